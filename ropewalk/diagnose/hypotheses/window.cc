#include <algorithm>
#include <cmath>

#include "ropewalk/diagnose/dumps/hypothesis.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using Out = std::vector<Proposal>;

void set_window(Turning& turning, RotaryWindow window) {
  for (RotaryLayout* layout : {&turning.places.in, &turning.places.out}) {
    window.pairing = layout->windows[0].pairing;
    layout->windows = {window};
  }
  turning.rope.layout = turning.places.in;
}

std::vector<double> frequencies(RopeConfig rope, int64_t dim, int64_t seq_len) {
  rope.rotary_dim = dim;
  rope.layout.windows = {{0, dim, Pairing::half_split}};
  return make_spectrum(rope, seq_len).inv_freq;
}

Cause cause(std::string_view variant, int64_t found, int64_t expected) {
  return {"window",
          variant,
          {{"found", static_cast<double>(found)}, {"expected", static_cast<double>(expected)}}};
}

// Another count of channels turns, with frequencies of its own.
void propose_widths(const Turning& from, int64_t dim, Out& out) {
  const int64_t head = from.places.in.head_dim;
  std::vector<int64_t> widths;
  for (const int64_t width :
       {head, head / 2, head / 4, head * 3 / 4, head * 2 / 5, 2 * dim, dim / 2}) {
    const bool known = std::find(widths.begin(), widths.end(), width) != widths.end();
    if (width < 2 || width % 2 != 0 || width > head || width == dim || known) continue;
    widths.push_back(width);
    Turning turning = from;
    turning.rope.rotary_dim = width;
    turning.rope.lists.clear();
    turning.inv_freq.clear();
    set_window(turning, {.offset = 0, .dim = width});
    out.push_back({turning, cause("width", width, dim)});
    if (width < dim) {  // the list of frequencies was cut short
      turning.rope = from.rope;
      std::vector<double> cut = frequencies(from.rope, dim, from.seq_len);
      cut.resize(static_cast<size_t>(width / 2));
      turning.inv_freq = cut;
      out.push_back({turning, cause("cut", width, dim)});
    }
  }
}

// The same channels in another place of the head.
void propose_places(const Turning& from, const RotaryWindow& window, Out& out) {
  const int64_t last = from.places.in.head_dim - window.dim;
  for (const int64_t offset : {int64_t{0}, last}) {
    if (offset == window.offset) continue;
    Turning turning = from;
    set_window(turning, {.offset = offset, .dim = window.dim});
    out.push_back({turning, cause(offset == 0 ? "leading" : "trailing", offset, window.offset)});
  }
}

// A part of the head turns with the frequencies that the whole head would have, 2i / head_dim.
void propose_proportional(const Turning& from, const RotaryWindow& window, Out& out) {
  const int64_t head = from.places.in.head_dim;
  if (window.dim == head) return;
  Turning turning = from;
  std::vector<double> inv_freq = frequencies(from.rope, head, from.seq_len);
  turning.inv_freq = inv_freq;
  turning.inv_freq.resize(static_cast<size_t>(window.dim / 2));
  out.push_back({turning, cause("exponent", head, window.dim)});
  std::fill(inv_freq.begin() + window.dim / 2, inv_freq.end(), 0.0);
  turning.inv_freq = inv_freq;
  turning.rope.rotary_dim = head;
  set_window(turning, {.offset = 0, .dim = head});
  out.push_back({turning, cause("proportional", head, window.dim)});
  // Pairs of the whole head, but the frequencies of the part.
  turning.inv_freq = frequencies(from.rope, window.dim, from.seq_len);
  turning.inv_freq.resize(static_cast<size_t>(head / 2), 0.0);
  out.push_back({turning, cause("pair_offset", head, window.dim)});
}

// The fastest pairs alone turn, of a head whose pairs are those of the whole.
void propose_leading_part(const Turning& from, Out& out) {
  const auto part = from.rope.parameters.find("partial_rotary_factor");
  if (part == from.rope.parameters.end()) return;
  const int64_t head = from.places.in.head_dim;
  const int64_t dim = std::llround(part->second * static_cast<double>(head)) / 2 * 2;
  if (dim < 2 || dim >= head) return;
  Turning turning = from;
  turning.rope = without_scaling(from.rope);
  turning.inv_freq.clear();
  out.push_back({turning, cause("width", head, dim)});
  turning.rope.rotary_dim = dim;
  set_window(turning, {.offset = 0, .dim = dim});
  out.push_back({turning, cause("not_proportional", dim, head)});
}

void propose(const Turning& from, DumpEvidence&, Out& out) {
  if (from.rope.position_axes != 1 || from.places.in.windows.size() != 1 ||
      from.places.out.windows.size() != 1 || !from.rope.lists.empty()) {
    return;
  }
  const RotaryWindow window = from.places.in.windows[0];
  propose_widths(from, window.dim, out);
  propose_places(from, window, out);
  propose_proportional(from, window, out);
  propose_leading_part(from, out);
}

}  // namespace

// Which channels of the head turn, and which dimension their frequencies are powers of.
constinit const Hypothesis hypothesis::window{.propose = propose, .moves_places = true};

}  // namespace ropewalk
