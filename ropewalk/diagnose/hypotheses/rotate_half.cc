#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

void propose(const Turning& from, DumpEvidence&, std::vector<Proposal>& out) {
  const TurnedPlaces& places = from.places;
  if (from.times == 0 || from.form != SinForm::rotation || !places.heads.empty()) return;
  if (places.grouping != RowGrouping::tokens || places.unit_rows) return;
  const auto add = [&](SinForm form, std::string_view variant) {
    Turning turning = from;
    turning.form = form;
    out.push_back({turning, {"rotate_half", variant}});
  };
  add(SinForm::no_minus, "no_minus");
  add(SinForm::both_minus, "both_minus");
  add(SinForm::not_exchanged, "not_exchanged");
  add(SinForm::in_place, "in_place");
  if (places.in.windows.size() != 1) return;
  const bool halves = places.in.windows[0].pairing == Pairing::half_split;
  add(SinForm::other_columns, halves ? "interleaved_rows" : "doubled_rows");
}

}  // namespace

// What is done with the two numbers of a pair: the minus of rotate_half, the exchange of its
// halves, a number overwritten before it is read, columns of a table for pairs of the other kind.
constinit const Hypothesis hypothesis::rotate_half{.propose = propose};

}  // namespace ropewalk
