#include "ropewalk/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/targets.cc"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "ropewalk/base/error.h"

#if HWY_ONCE
namespace ropewalk {
namespace {

// Of the whole machine, whatever the cap; lower bits are better targets.
std::vector<int64_t> all_targets() {
  static const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  return targets;
}

}  // namespace

std::vector<std::string> available_targets() {
  std::vector<std::string> names;
  for (int64_t target : all_targets()) names.emplace_back(hwy::TargetName(target));
  return names;
}

void cap_target(std::string_view target) {
  int64_t allowed = 0;
  bool found = target.empty();
  for (int64_t candidate : all_targets()) {
    found = found || hwy::TargetName(candidate) == target;
    if (found) allowed |= candidate;
  }
  if (!found) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("instruction set \"{}\" is not available, expected one of: {}",
                            escaped(target), fmt::join(available_targets(), ", ")));
  }
  hwy::SetSupportedTargetsForTest(allowed);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace ropewalk
#endif
