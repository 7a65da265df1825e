#include "ropewalk/diagnose/row_candidates.h"

#include <algorithm>
#include <utility>

#include "ropewalk/encoding/layout_permutation.h"

namespace ropewalk {
namespace {

// The channels of the head that the rows are: all, or the last `channels` (k of latent attention).
std::vector<int64_t> spread(const std::vector<int64_t>& channels, int64_t kept, int64_t rows) {
  const int64_t skipped = std::ssize(channels) - kept;
  std::vector<int64_t> source(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t head = r / kept, c = r % kept;
    source[static_cast<size_t>(r)] =
        head * kept + channels[static_cast<size_t>(skipped + c)] - skipped;
  }
  return source;
}

RotaryLayout whole(int64_t head_dim, Pairing pairing) {
  return {head_dim, {{.offset = 0, .dim = head_dim, .pairing = pairing}}};
}

class Candidates {
 public:
  Candidates(int64_t rows, bool to_half_split, std::vector<int64_t> expected)
      : rows_(rows), to_half_split_(to_half_split), expected_(std::move(expected)) {}

  void add(RowCandidate candidate, std::vector<int64_t> source) {
    const auto is_same = [&](const RowCandidate& other) { return other.source == source; };
    if (std::any_of(list_.begin(), list_.end(), is_same)) return;
    candidate.expected = source == expected_;
    candidate.source = std::move(source);
    list_.push_back(std::move(candidate));
  }

  // Both directions between the pairings of a layout, that of the two models first: of heads of 4
  // channels they are the same.
  void add_moved(RowCandidate candidate, const RotaryLayout& layout, int64_t kept) {
    const RotaryLayout pairs = with_pairing(layout, Pairing::interleaved),
                       halves = with_pairing(layout, Pairing::half_split);
    candidate.moved = true;
    for (const bool to_half_split : {to_half_split_, !to_half_split_}) {
      candidate.to_half_split = to_half_split;
      add(candidate, spread(to_half_split ? permutation(pairs, halves) : permutation(halves, pairs),
                            kept, rows_));
    }
  }

  std::vector<RowCandidate> list() && { return std::move(list_); }

 private:
  int64_t rows_;
  bool to_half_split_;  // the more likely direction
  std::vector<int64_t> expected_;
  std::vector<RowCandidate> list_;
};

}  // namespace

std::vector<RowCandidate> row_candidates(const Layer& layer, bool keys, int64_t rows,
                                         const RotaryLayout& a, const RotaryLayout& b) {
  const bool shared = keys && layer.attention.latent.shared_dim > 0;
  const int64_t kept = shared ? layer.attention.latent.shared_dim : layer.head_dim,
                heads = rows / kept;
  std::vector<int64_t> identity(static_cast<size_t>(rows)), expected;
  for (size_t r = 0; r < identity.size(); ++r) identity[r] = static_cast<int64_t>(r);
  if (a.head_dim == b.head_dim && pair_count(a) == pair_count(b)) {
    expected = spread(permutation(a, b), kept, rows);
  }
  const bool to_half_split = a.windows.front().pairing == Pairing::interleaved;
  Candidates candidates(rows, to_half_split, expected);
  candidates.add({}, identity);
  candidates.add_moved({.heads = heads, .head_dim = kept}, a, kept);
  if (shared) return std::move(candidates).list();
  candidates.add_moved({.heads = heads, .head_dim = kept, .whole_head = true},
                       whole(kept, Pairing::half_split), kept);
  const int64_t other = keys ? layer.heads : layer.kv_heads;
  for (const int64_t wrong : {other, layer.heads / std::max<int64_t>(layer.kv_heads, 1)}) {
    if (wrong < 1 || wrong == heads || rows % wrong != 0 || rows / wrong % 2 != 0) continue;
    const int64_t dim = rows / wrong;
    candidates.add_moved({.heads = wrong, .head_dim = dim, .wrong_heads = true},
                         whole(dim, Pairing::half_split), dim);
  }
  return std::move(candidates).list();
}

}  // namespace ropewalk
