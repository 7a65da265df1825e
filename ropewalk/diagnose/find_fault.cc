#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dumps/made_dumps.h"
#include "ropewalk/diagnose/find_encoding.h"
#include "ropewalk/diagnose/layer_kinds.h"
#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

struct Dumped {
  const ConstTensorView &mine, &reference;
  TensorLayout layout;
  const PositionIds& positions;
};

// The rotations of presets for heads of a width, each once, with the models that have it.
std::vector<FoundFault> ropes_of_presets(int64_t head_dim) {
  std::vector<FoundFault> ropes;
  for (const std::string& name : preset_names()) {
    for (const LayerGroup& group : groups_of_layers(preset(name))) {
      const auto* rope = std::get_if<RopeConfig>(&group.positions);
      if (rope == nullptr || rope->layout.head_dim != head_dim || rope->position_axes != 1)
        continue;
      const auto known = std::find_if(ropes.begin(), ropes.end(),
                                      [&](const FoundFault& each) { return each.rope == *rope; });
      if (known == ropes.end()) {
        ropes.push_back({*rope, {name}, {}});
      } else if (known->models.back() != name) {
        known->models.push_back(name);
      }
    }
  }
  return ropes;
}

RopeConfig whole_head(int64_t head_dim) {
  RopeConfig rope;
  rope.rotary_dim = head_dim;
  rope.layout = {head_dim, {{0, head_dim, Pairing::half_split}}};
  return rope;
}

// The difference, as if nothing were to turn one into the other.
DumpDiagnosis difference(const Dumped& given, int64_t head_dim) {
  ExpectedRotation none{.rope = whole_head(head_dim)};
  none.rotates = false;
  none.most_faults = 0;
  return diagnose_dump({given.reference, given.mine, given.layout, given.positions}, none);
}

// Whether rows became others by a plain rotation: base and scaling, and nothing else.
bool is_plain(const FoundEncodings& found) {
  if (found.found.empty()) return false;
  const std::vector<Cause>& causes = found.found.front().causes;
  return std::all_of(causes.begin(), causes.end(), [](const Cause& cause) {
    return cause.hypothesis == "base" || cause.hypothesis == "scaling";
  });
}

DumpDiagnosis diagnosed(const Dumped& given, const RopeConfig& rope) {
  ExpectedRotation expected{.rope = rope};
  expected.most_faults = 1;
  const MadeDump made = undone(given.reference, given.layout, given.positions, expected);
  return diagnose_dump({made.before.view(), given.mine, given.layout, given.positions,
                        made.rounded_to, false, made.uncertainty},
                       expected);
}

}  // namespace

FoundFaults find_fault(const ConstTensorView& mine, const ConstTensorView& reference,
                       TensorLayout layout, const PositionIds& positions) {
  constexpr size_t kMost = 3;
  const Dumped given{mine, reference, layout, positions};
  const int64_t head_dim = reference.shape.empty() ? 0 : reference.shape.back();
  FoundFaults result;
  if (head_dim % 2 != 0 || head_dim < 2) {
    throw Error(
        ErrorCode::invalid_argument,
        "reference: expected heads of an even width, found shape " + to_string(reference.shape));
  }
  const DumpDiagnosis apart = difference(given, head_dim);
  result.residual = apart.residual;
  result.dtype = apart.dtype;
  result.tokens = apart.tokens;
  result.alike = apart.verdict == DumpDiagnosis::Verdict::consistent;
  if (result.alike) return result;
  result.encoding = find_encoding({mine, reference, layout, positions});
  result.mine_not_rotated = is_plain(result.encoding);
  if (result.mine_not_rotated) return result;
  for (FoundFault& each : ropes_of_presets(head_dim)) {
    try {
      each.diagnosis = diagnosed(given, each.rope);
    } catch (const Error& error) {
      // A scaling that needs a length, or positions that it has not.
      if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::unsupported)
        throw;
      continue;
    }
    if (each.diagnosis.findings.empty()) continue;
    result.found.push_back(std::move(each));
  }
  std::stable_sort(result.found.begin(), result.found.end(),
                   [](const FoundFault& x, const FoundFault& y) {
                     return x.diagnosis.findings[0].residual < y.diagnosis.findings[0].residual;
                   });
  if (result.found.size() > kMost) {
    result.found.erase(result.found.begin() + static_cast<std::ptrdiff_t>(kMost),
                       result.found.end());
  }
  return result;
}

}  // namespace ropewalk
