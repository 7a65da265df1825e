#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

using Kind = PositionChange::Kind;

// Each sequence of the batch by its own shift, as padding that is counted or not.
void propose_row_offsets(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  constexpr int64_t kMostRows = 64;
  const int64_t batch = evidence.positions().batch;
  if (batch < 2 || batch > kMostRows) return;
  PositionChange change{Kind::row_offset, 0, {}};
  Cause cause{"positions", "row_offset"};
  bool alike = true;
  for (int64_t b = 0; b < batch; ++b) {
    const auto offset = estimate_offset(from, evidence, b);
    if (!offset || std::abs(*offset) > (1 << 24)) return;
    change.order.push_back(static_cast<int32_t>(*offset));
    cause.name += (b > 0 ? ", " : "") + std::to_string(*offset);
    alike = alike && change.order.back() == change.order.front();
  }
  if (alike) return;
  Turning turning = from;
  turning.positions = change;
  out.push_back({turning, std::move(cause)});
}

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  const PositionTable& given = evidence.positions();
  if (from.times == 0 || from.positions.kind != Kind::none || given.length == 0) return;
  const auto add = [&](Kind kind, int64_t number, std::string_view variant) {
    const PositionChange change{kind, number, {}};
    if (changed(given, change) == given) return;
    Turning turning = from;
    turning.positions = change;
    out.push_back({turning, {"positions", variant, {{"number", static_cast<double>(number)}}}});
  };
  add(Kind::offset, 1, "offset");
  add(Kind::offset, -1, "offset");
  add(Kind::index, 0, "index");
  add(Kind::zero_based, 0, "zero_based");
  add(Kind::first_row, 0, "first_row");
  if (const auto offset = estimate_offset(from, evidence)) add(Kind::offset, *offset, "offset");
  propose_row_offsets(from, evidence, out);
  add(Kind::offset, 2, "offset");
  add(Kind::offset, -2, "offset");
  add(Kind::reversed, 0, "reversed");
  add(Kind::one_token, 0, "one_token");
  add(Kind::one_token, given.length - 1, "one_token");
  const auto [least, most] = std::minmax_element(given.ids.begin(), given.ids.end());
  for (const int64_t p : {int64_t{1}, *most + 1, given.length - 1, given.length}) {
    add(Kind::constant, p, "constant");
  }
  std::vector<int64_t> bounds = {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
  if (evidence.model() != nullptr && evidence.model()->max_positions > 0) {
    bounds.insert(bounds.begin(), evidence.model()->max_positions);
  }
  // The end of any other table is where the first token is wrong.
  const auto first_wrong = evidence.first_wrong();
  if (first_wrong && *first_wrong < given.length) {
    for (int64_t b = 0; b < given.batch; ++b) {
      const int64_t p = given.at(0, b, *first_wrong);
      if (p > 1 && std::ranges::find(bounds, p) == bounds.end()) bounds.push_back(p);
    }
  }
  for (const int64_t bound : bounds) {
    if (bound > *most || bound <= *least) continue;
    add(Kind::clamped, bound, "clamped");
    add(Kind::wrapped, bound, "wrapped");
  }
  if (const auto wrong = evidence.first_wrong(); wrong && *wrong > 0) {
    for (const int64_t back : {1, 0, 2}) {  // position 0 looks the same
      if (*wrong > back) add(Kind::restart, *wrong - back, "restart");
    }
  }
}

}  // namespace

// Other positions than those given: shifted, from 0 again, of another row, past the end of a table.
constinit const Hypothesis hypothesis::positions{.propose = propose};

}  // namespace ropewalk
