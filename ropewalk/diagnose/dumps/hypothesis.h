#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/diagnose/dumps/dump_evidence.h"
#include "ropewalk/diagnose/dumps/turning.h"

namespace ropewalk {

// What was done otherwise than it should have been: a hypothesis, which way of it, and its numbers.
struct Cause {
  std::string_view hypothesis;  // as in hypotheses.inc
  std::string_view variant;
  std::vector<std::pair<std::string_view, double>> numbers = {};  // "found", "expected", "offset"
  std::string name = {};  // of a rope_type, a key, layers: what the variant is about

  bool operator==(const Cause&) const = default;
};

// `value` of a number of the cause, 0 for one that it has not.
double number_of(const Cause& cause, std::string_view key);

struct Proposal {
  Turning turning;
  Cause cause;
};

// A kind of fault: proposes turnings that differ from `from` by it, the likeliest first.
struct Hypothesis {
  void (*propose)(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out);
  bool moves_places = false;  // it changes TurnedPlaces
};

namespace hypothesis {
#define ROPEWALK_HYPOTHESIS(name) extern const Hypothesis name;
#include "ropewalk/diagnose/hypotheses/hypotheses.inc"
#undef ROPEWALK_HYPOTHESIS
}  // namespace hypothesis

struct NamedHypothesis {
  std::string_view name;
  const Hypothesis* hypothesis;
};

// In the order of the list.
std::span<const NamedHypothesis> hypotheses();

}  // namespace ropewalk
