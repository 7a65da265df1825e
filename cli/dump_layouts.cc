#include "cli/dump_layouts.h"

#include <algorithm>

#include "cli/arguments.h"
#include "ropewalk/base/error.h"

namespace ropewalk::cli {

std::vector<TensorLayout> likely_layouts(const std::string& option,
                                         const std::optional<Layer>& layer,
                                         const NamedHeads& heads) {
  if (!option.empty()) return {parse_name(option, "--layout", tensor_layout_from_name)};
  if (!layer) return {TensorLayout::bshd};
  TensorLayout likelier = TensorLayout::bshd, other = TensorLayout::bhsd;
  try {
    check_not_transposed(*layer, {heads.name, heads.shape, heads.name == "k"}, likelier);
  } catch (const Error&) {
    std::swap(likelier, other);
  }
  if (!may_be_transposed(*layer, heads.shape, likelier)) return {likelier};
  return {likelier, other};
}

DumpReport of_likeliest(const std::vector<TensorLayout>& layouts,
                        const std::function<DumpReport(TensorLayout)>& report_of) {
  std::vector<DumpReport> reports;
  std::optional<Error> refused;
  for (const TensorLayout layout : layouts) {
    try {
      reports.push_back(report_of(layout));
    } catch (const Error& error) {
      if (!refused) refused = error;  // positions of another number, as a rule
    }
    if (!reports.empty() && fault_count(reports.back().diagnosis) == 0) break;
  }
  if (reports.empty()) throw Error(*refused);
  return *std::ranges::min_element(
      reports, {}, [](const DumpReport& report) { return fault_count(report.diagnosis); });
}

}  // namespace ropewalk::cli
