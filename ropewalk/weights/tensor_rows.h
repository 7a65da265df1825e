#pragma once

#include <string>
#include <string_view>

#include "ropewalk/weights/attention_rows.h"
#include "ropewalk/weights/module_rows.h"

namespace ropewalk {

// A tensor of a module that holds q or k.
struct ModuleTensor {
  const std::string& name;
  const StoredTensor& entry;
  const Layer& layer;
  const ModuleRows& module;
  std::string_view suffix;   // what follows the module's name and a dot
  const std::string& label;  // of the checkpoint, for messages
};

// Says in `to` what the tensor's rows are: its part, rows, heads and block. Throws as
// attention_tensors.
void describe_rows(const ModuleTensor& tensor, AttentionTensor& to);

}  // namespace ropewalk
