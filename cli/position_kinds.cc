#include "cli/position_kinds.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/positions/mrope_prompt.h"
#include "ropewalk/positions/shards.h"

namespace ropewalk::cli {
namespace {

using Ids = std::vector<int64_t>;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::invalid_argument, what); }

const std::string& text_of(const PositionRequest& request, std::string_view option) {
  return request.options.find(option)->second;
}

int64_t integer_of(const PositionRequest& request, const std::string& option, int64_t fallback,
                   int64_t least = INT64_MIN) {
  const std::string& text = text_of(request, option);
  const int64_t value = text.empty() ? fallback : parse_integer(text, option);
  if (value < least) fail(fmt::format("{}: expected at least {}, found {}", option, least, value));
  return value;
}

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
  PositionArray rows{{shape.size() == 2 ? shape[0] : 1, shape.back()}, {}};
  const PositionReader reader(positions_of(tensor.view()), rows.shape[0], rows.shape[1], 1);
  for (int64_t b = 0; b < rows.shape[0]; ++b) {
    for (int64_t s = 0; s < rows.shape[1]; ++s) rows.ids.push_back(reader.at(0, b, s));
  }
  return rows;
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
  const int64_t fill = integer_of(request, "--fill", 0);
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
  const int64_t seq = integer_of(request, "--seq", 1, 0);
  const Ids offsets = load_list(request);
  return built(request, [&] { return MadePositions{offset_positions(offsets, seq)}; });
}

MadePositions of_fairseq(const PositionRequest& request) {
  const int64_t padding = integer_of(request, "--pad", 1, 0);
  const int64_t cached = integer_of(request, "--cache", 0, 0);
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
  const ShardSpec spec{integer_of(request, "--ranks", 1, 1), integer_of(request, "--rank", 0),
                       order_of(text_of(request, "--order"))};
  if (spec.rank < 0 || spec.rank >= spec.ranks) {
    fail(fmt::format("--rank: expected one of {} ranks, 0 the first, found {}", spec.ranks,
                     spec.rank));
  }
  TokenShard shard = built(request, [&] { return shard_tokens(cu_seqlens, spec); });
  const Dims shape = {std::ssize(shard.positions)};
  return {.array = {shape, std::move(shard.positions)}, .tokens = std::move(shard.tokens)};
}

MadePositions of_packed(const PositionRequest& request) {
  const std::string& firsts = text_of(request, "--firsts");
  const bool shards = !text_of(request, "--ranks").empty();
  for (const char* option : {"--rank", "--order"}) {
    if (!shards && !text_of(request, option).empty()) {
      fail(fmt::format("{} goes with --ranks", option));
    }
  }
  if (shards && !firsts.empty()) fail("give either --firsts or --ranks");
  const Ids cu_seqlens = load_list(request);
  if (shards) return of_shard(request, cu_seqlens);
  const Ids first = firsts.empty() ? Ids{} : parse_positions(firsts, "--firsts");
  return built(request, [&] { return MadePositions{packed_positions(cu_seqlens, first)}; });
}

MadePositions of_chatglm(const PositionRequest& request) {
  const Ids tokens = load_list(request);
  const ChatGlmPositions ids = built(request, [&] { return chatglm_positions(tokens); });
  return {.array = {{2, 1, std::ssize(ids.position)}, ids.planes()}, .axes = {"position", "block"}};
}

// "1x4x6" or, of one frame, "4x6".
VisionGrid grid_of(const std::string& text) {
  int64_t numbers[3] = {1, 0, 0};
  const auto parts = std::count(text.begin(), text.end(), 'x') + 1;
  const char *at = text.data(), *end = text.data() + text.size();
  bool sound = parts == 2 || parts == 3;
  for (auto i = 3 - parts; sound && i < 3; ++i) {
    const auto [stop, error] = std::from_chars(at, end, numbers[i]);
    sound = error == std::errc{} && (i == 2 ? stop == end : stop != end && *stop == 'x');
    at = stop + (i < 2);
  }
  if (!sound) {
    fail(fmt::format("VALUES: expected a grid HxW or TxHxW, found \"{}\"", escaped(text)));
  }
  return {numbers[0], numbers[1], numbers[2]};
}

std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return items;
}

MadePositions of_grid(const PositionRequest& request) {
  std::vector<VisionGrid> grids;
  for (const std::string& item : items_of(request.values)) grids.push_back(grid_of(item));
  const GridPositions patches = grid_positions(grids, integer_of(request, "--merge", 2, 1));
  const std::string& axes = text_of(request, "--axes");
  if (axes == "hw" || axes.empty()) return {.array = patches.hw(), .axes = {"h", "w"}};
  if (axes == "wh") return {.array = patches.wh(), .axes = {"w", "h"}};
  if (axes == "thw") return {.array = patches.thw(), .axes = {"t", "h", "w"}};
  fail(fmt::format("--axes: expected hw, wh or thw, found \"{}\"", escaped(axes)));
}

// "4,image:1x4x6,2,video:3x4x4" is 4 tokens of text, an image, 2 of text, a video.
MropePrompt prompt_of(const PositionRequest& request, const MropeRules& rules,
                      int64_t before_each_frame) {
  MropePrompt prompt;
  for (const std::string& item : items_of(request.values)) {
    if (item.starts_with("image:")) {
      add_image(prompt, grid_of(item.substr(6)), rules);
    } else if (item.starts_with("video:")) {
      add_video(prompt, grid_of(item.substr(6)), rules, before_each_frame);
    } else {
      int64_t tokens = 0;
      const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), tokens);
      if (error != std::errc{} || stop != item.data() + item.size()) {
        fail(
            fmt::format("VALUES: expected items N (tokens of text), image:HxW, image:TxHxW or "
                        "video:TxHxW, commas between them, found \"{}\"",
                        escaped(item)));
      }
      add_text(prompt, tokens);
    }
  }
  return prompt;
}

MadePositions of_mrope(const PositionRequest& request) {
  MropeRules rules{.spatial_merge = integer_of(request, "--merge", 2, 1),
                   .temporal_merge = integer_of(request, "--temporal-merge", 1, 1),
                   .frames_apart = !text_of(request, "--frames-apart").empty()};
  const std::string& next = text_of(request, "--next");
  if (next == "side") {
    rules.next = MropeNext::side;
  } else if (!next.empty() && next != "largest") {
    fail(fmt::format("--next: expected largest or side, found \"{}\"", escaped(next)));
  }
  if (!text_of(request, "--tokens-per-second").empty()) {
    rules.tokens_per_second =
        parse_number(text_of(request, "--tokens-per-second"), "--tokens-per-second");
  }
  const MropePrompt prompt = prompt_of(request, rules, integer_of(request, "--frames-apart", 0, 0));
  std::vector<double> seconds;
  if (!text_of(request, "--second-per-grid").empty()) {
    for (const std::string& item : items_of(text_of(request, "--second-per-grid"))) {
      seconds.push_back(parse_number(item, "--second-per-grid"));
    }
  }
  MropeInput input = prompt.input();
  input.second_per_grid = seconds;
  MropePositions made = mrope_positions(input, rules);
  return {.array = std::move(made.positions),
          .axes = {"t", "h", "w"},
          .next = {made.deltas[0] + input.seq}};
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
       of_mrope,
       {"--merge", "--temporal-merge", "--tokens-per-second", "--second-per-grid", "--frames-apart",
        "--next"}},
      {"grid", of_grid, {"--merge", "--axes"}}};
  return kinds;
}

}  // namespace

std::span<const PositionKind> position_kinds() { return all_kinds(); }

}  // namespace ropewalk::cli
