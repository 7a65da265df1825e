#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/diagnosis_output.h"
#include "ropewalk/attention/head_counts.h"

namespace ropewalk::cli {

// The layouts that a dump of q, or of k by its name, may have, the likelier first: that of the
// option, else what the counts of heads of the layer allow.
std::vector<TensorLayout> likely_layouts(const std::string& option,
                                         const std::optional<Layer>& layer,
                                         const NamedHeads& heads);

// The report of the layout that leaves the fewest faults, the first of equals. A layout that the
// dump or its positions do not fit counts only where none does: then the error of the first.
DumpReport of_likeliest(const std::vector<TensorLayout>& layouts,
                        const std::function<DumpReport(TensorLayout)>& report_of);

}  // namespace ropewalk::cli
