#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/formats/torch_types.h"

namespace ropewalk {

// "tensor \"q\"", or "the tensor" of a file that holds one without a name; for messages.
std::string tensor_words(std::string_view name);

// A tensor as data.pkl describes it: nothing of it is checked against the storage yet.
struct PickledTensor {
  std::string name;  // keys and numbers of the lists it is in, joined by dots; empty if in none
  const TorchType* type = nullptr;
  std::string storage;                  // the name of its record
  int64_t storage_bytes = 0;            // not negative
  int64_t offset = 0;                   // elements before the first one
  std::vector<int64_t> shape, strides;  // in elements
};

// The tensors of the pickle that torch.save writes (protocol 2): a tensor, or dicts, lists and
// tuples of them, at most four deep; numbers, texts and None beside them are left out. The pickle
// is not run: a call of anything but what rebuilds a tensor is refused by its name. `offset`: of
// the pickle in the file, for messages. Throws malformed, unsupported or resource_limit (a million
// values).
std::vector<PickledTensor> parse_torch_pickle(std::string_view pickle, uint64_t offset,
                                              const std::string& label);

}  // namespace ropewalk
