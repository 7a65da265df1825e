#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

RotaryLayout with_pairing(RotaryLayout layout, Pairing pairing) {
  for (RotaryWindow& window : layout.windows) window.pairing = pairing;
  return layout;
}

std::string_view variant_of(Pairing in, Pairing out) {
  if (in == out) return in == Pairing::half_split ? "half_split" : "interleaved";
  return in == Pairing::half_split ? "half_split_to_interleaved" : "interleaved_to_half_split";
}

void propose(const Turning& from, DumpEvidence&, std::vector<Proposal>& out) {
  constexpr Pairing kBoth[] = {Pairing::half_split, Pairing::interleaved};
  const auto add = [&](Pairing read, Pairing written) {
    Turning turning = from;
    turning.places.in = with_pairing(from.places.in, read);
    turning.places.out = with_pairing(from.places.out, written);
    if (turning.places == from.places) return;
    out.push_back({turning, {"pairing", variant_of(read, written)}});
  };
  for (const Pairing both : kBoth) add(both, both);
  for (const Pairing read : kBoth) {
    add(read, read == Pairing::half_split ? Pairing::interleaved : Pairing::half_split);
  }
}

}  // namespace

// Halves for neighbours or neighbours for halves; or read as one and written as the other, as where
// the rows of Q and K are still in the other form.
constinit const Hypothesis hypothesis::pairing{.propose = propose, .moves_places = true};

}  // namespace ropewalk
