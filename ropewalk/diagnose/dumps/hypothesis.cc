#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {

double number_of(const Cause& cause, std::string_view key) {
  for (const auto& [name, value] : cause.numbers) {
    if (name == key) return value;
  }
  return 0;
}

std::span<const NamedHypothesis> hypotheses() {
  static constexpr NamedHypothesis kAll[] = {
#define ROPEWALK_HYPOTHESIS(name) {#name, &hypothesis::name},
#include "ropewalk/diagnose/hypotheses/hypotheses.inc"
#undef ROPEWALK_HYPOTHESIS
  };
  return kAll;
}

}  // namespace ropewalk
