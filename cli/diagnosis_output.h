#pragma once

#include <string>
#include <vector>

#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/diagnose/find_encoding.h"

namespace ropewalk::cli {

// What was found in one array.
struct DumpReport {
  std::string name;     // "q"
  std::string subject;  // "llama-3-8b, layer 0"
  Dims shape;
  TensorLayout layout = TensorLayout::bshd;
  std::string note = {};  // on how it was compared
  DumpDiagnosis diagnosis;
};

bool any_fault(const std::vector<DumpReport>& reports);

// What was found of a dump without a model.
void print_found(const FoundEncodings& found, bool json);

void print_reports(const std::vector<DumpReport>& reports, bool json);

}  // namespace ropewalk::cli
