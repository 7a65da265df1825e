#include "cli/position_kinds.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/positions/check.h"
#include "ropewalk/positions/shards.h"

namespace ropewalk::cli {
namespace {

using Ids = std::vector<int64_t>;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::invalid_argument, what); }

bool is_file(const PositionRequest& request) { return request.values.ends_with(".npy"); }

// What a builder refuses in a file is a bad file, not a wrong command line.
template <typename Build>
auto built(const PositionRequest& request, Build build) {
  if (!is_file(request)) return build();
  decltype(build()) result;
  with_input_files(request.values, [&] { result = build(); });
  return result;
}

// Whole numbers of the command line or of an .npy file [S] or [B, S].
PositionArray load_rows(const PositionRequest& request) {
  if (!is_file(request)) {
    Ids ids = parse_positions(request.values, "VALUES");
    return {{1, std::ssize(ids)}, std::move(ids)};
  }
  const Tensor tensor = load_positions(request.values);
  const Dims& shape = tensor.shape;
  if (shape.empty() || shape.size() > 2) {
    throw Error(ErrorCode::malformed, fmt::format("{}: expected [S] or [B, S], found {}",
                                                  escaped(request.values), to_string(shape)));
  }
  return {{shape.size() == 2 ? shape[0] : 1, shape.back()}, integers_of(tensor)};
}

Ids load_list(const PositionRequest& request) { return load_rows(request).ids; }

struct Mask {
  int64_t batch = 0, seq = 0;
  std::vector<uint8_t> values;
  PaddingMask view() const { return {batch, seq, values}; }
};

// "00111,11111", a row each.
Mask load_mask(const PositionRequest& request) {
  Mask mask;
  if (is_file(request)) {
    const PositionArray rows = load_rows(request);
    mask = {rows.shape[0], rows.shape[1], {}};
    // 2 stands for any other number, to be refused by its index.
    for (const int64_t id : rows.ids) mask.values.push_back(id == 0 || id == 1 ? id != 0 : 2);
    return mask;
  }
  const std::string& text = request.values;
  for (size_t begin = 0; begin <= text.size(); ++mask.batch) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string row = text.substr(begin, end - begin);
    if (row.find_first_not_of("01") != std::string::npos || row.empty() ||
        (mask.batch > 0 && std::ssize(row) != mask.seq)) {
      fail(fmt::format("VALUES: expected rows of 0 and 1, each as long as the first, found \"{}\"",
                       escaped(row)));
    }
    mask.seq = std::ssize(row);
    for (const char digit : row) mask.values.push_back(digit == '1');
    begin = end + 1;
  }
  return mask;
}

MadePositions of_mask(const PositionRequest& request) {
  const int64_t fill = request.integer_of("--fill", 0);
  const Mask mask = load_mask(request);
  return built(request, [&] {
    return MadePositions{.array = mask_positions(mask.view(), fill),
                         .next = mask_lengths(mask.view())};
  });
}

MadePositions of_opt(const PositionRequest& request) {
  const Mask mask = load_mask(request);
  return built(request, [&] { return MadePositions{opt_positions(mask.view())}; });
}

MadePositions of_offsets(const PositionRequest& request) {
  const int64_t seq = request.integer_of("--seq", 1, 0);
  const Ids offsets = load_list(request);
  const auto count = checked_mul(std::ssize(offsets), seq);
  if (count && *count <= kMaxTokens) check_printed(request, *count);
  return built(request, [&] { return MadePositions{offset_positions(offsets, seq)}; });
}

MadePositions of_fairseq(const PositionRequest& request) {
  const int64_t padding = request.integer_of("--pad", 1, 0);
  const int64_t cached = request.integer_of("--cache", 0, 0);
  const PositionArray rows = load_rows(request);
  return built(request, [&] {
    const TokenIds tokens{rows.shape[0], rows.shape[1], rows.ids};
    return MadePositions{fairseq_positions(tokens, padding, cached)};
  });
}

ShardOrder order_of(const std::string& text) {
  if (text == "zigzag") return ShardOrder::zigzag;
  if (text == "contiguous" || text.empty()) return ShardOrder::contiguous;
  fail(fmt::format("--order: expected contiguous or zigzag, found \"{}\"", escaped(text)));
}

MadePositions of_shard(const PositionRequest& request, const Ids& cu_seqlens) {
  const ShardSpec spec{request.integer_of("--ranks", 1, 1), request.integer_of("--rank", 0),
                       order_of(request.text_of("--order"))};
  if (spec.rank < 0 || spec.rank >= spec.ranks) {
    fail(fmt::format("--rank: expected one of {} ranks, 0 the first, found {}", spec.ranks,
                     spec.rank));
  }
  TokenShard shard = built(request, [&] { return shard_tokens(cu_seqlens, spec); });
  const Dims shape = {std::ssize(shard.positions)};
  return {.array = {shape, std::move(shard.positions)}, .tokens = std::move(shard.tokens)};
}

MadePositions of_packed(const PositionRequest& request) {
  const std::string& firsts = request.text_of("--firsts");
  const bool shards = !request.text_of("--ranks").empty();
  for (const char* option : {"--rank", "--order"}) {
    if (!shards && !request.text_of(option).empty()) {
      fail(fmt::format("{} goes with --ranks", option));
    }
  }
  if (shards && !firsts.empty()) fail("give either --firsts or --ranks");
  const Ids cu_seqlens = load_list(request);
  if (shards) return of_shard(request, cu_seqlens);
  const Ids first = firsts.empty() ? Ids{} : parse_positions(firsts, "--firsts");
  const bool sound = first.empty() || first.size() + 1 == cu_seqlens.size();
  if (sound && std::ranges::is_sorted(cu_seqlens) && cu_seqlens.back() <= kMaxTokens) {
    check_printed(request, cu_seqlens.back());
  }
  return built(request, [&] { return MadePositions{packed_positions(cu_seqlens, first)}; });
}

MadePositions of_chatglm(const PositionRequest& request) {
  const Ids tokens = load_list(request);
  const ChatGlmPositions ids = built(request, [&] { return chatglm_positions(tokens); });
  return {.array = {{2, 1, std::ssize(ids.position)}, ids.planes()}, .axes = {"position", "block"}};
}

const std::vector<PositionKind>& all_kinds() {
  static const std::vector<PositionKind> kinds = {
      {"mask", of_mask, {"--fill"}},
      {"packed", of_packed, {"--firsts", "--ranks", "--rank", "--order"}},
      {"offsets", of_offsets, {"--seq"}},
      {"fairseq", of_fairseq, {"--pad", "--cache"}},
      {"opt", of_opt, {}},
      {"chatglm", of_chatglm, {}},
      {"mrope",
       positions_of_mrope,
       {"--merge", "--temporal-merge", "--tokens-per-second", "--second-per-grid", "--frames-apart",
        "--next", "--padding", "--fill", "--for"}},
      {"grid", positions_of_grid, {"--for", "--merge", "--axes", "--first"}}};
  return kinds;
}

}  // namespace

int64_t PositionRequest::integer_of(const std::string& option, int64_t fallback,
                                    int64_t least) const {
  const std::string& text = text_of(option);
  const int64_t value = text.empty() ? fallback : parse_integer(text, option);
  if (value < least) fail(fmt::format("{}: expected at least {}, found {}", option, least, value));
  return value;
}

void check_printed(const PositionRequest& request, int64_t ids) {
  if (ids <= request.most) return;
  fail(fmt::format("{} position ids, more than the {} that are printed: give -o FILE.npy", ids,
                   request.most));
}

std::vector<std::string> items_of(const std::string& text, char separator) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::span<const PositionKind> position_kinds() { return all_kinds(); }

}  // namespace ropewalk::cli
