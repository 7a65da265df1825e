// Position ids of pictures: the patches of a vision tower, and M-RoPE of a prompt.
#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/position_kinds.h"
#include "ropewalk/models/models.h"
#include "ropewalk/positions/grid.h"
#include "ropewalk/positions/mrope_prompt.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::invalid_argument, what); }

constexpr int64_t kMergeOfQwen = 2;

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

// A grid that cannot be cut into blocks, by the option that says their size.
void check_merge(const VisionGrid& grid, const std::string& text, int64_t merge,
                 const PositionRequest& request) {
  if (merge < 1 || grid.h < 1 || grid.w < 1 || (grid.h % merge == 0 && grid.w % merge == 0)) return;
  const char* said = "";
  if (request.text_of("--merge").empty()) said = ", the default; 1 is row by row";
  if (request.options.contains("--for") && !request.text_of("--for").empty()) {
    said = ", as the model says";
  }
  fail(
      fmt::format("--merge: expected a number that divides the rows and columns of \"{}\", found "
                  "{}{}",
                  escaped(text), merge, said));
}

PatchGrid patches_of_model(const PositionRequest& request) {
  const std::string& path = request.text_of("--for");
  const ModelEncoding model = load_model(path);
  if (!model.patches) {
    throw Error(ErrorCode::unsupported,
                fmt::format("--for: {}: no vision tower that turns by rows and columns was found",
                            escaped(model.name)));
  }
  PatchGrid patches = *model.patches;
  for (const char* option : {"--axes", "--first"}) {
    if (!request.text_of(option).empty()) {
      fail(fmt::format("{} is said by --for: give one or the other", option));
    }
  }
  const bool merge_given = !request.text_of("--merge").empty();
  if (patches.merge != 0 && merge_given) {
    fail("--merge is said by --for: give one or the other");
  }
  if (patches.merge == 0 && !merge_given) {
    fail(fmt::format("--merge is needed: {} takes it with each picture", escaped(model.name)));
  }
  if (merge_given) patches.merge = request.integer_of("--merge", 1, 1);
  return patches;
}

PatchGrid patches_of(const PositionRequest& request) {
  if (!request.text_of("--for").empty()) return patches_of_model(request);
  const std::string& axes = request.text_of("--axes");
  PatchGrid patches{
      .axes = axes.empty() ? PatchAxes::hw : parse_name(axes, "--axes", patch_axes_from_name),
      .merge = request.integer_of("--merge", kMergeOfQwen, 1),
      .first = request.integer_of("--first", 0)};
  constexpr int64_t kMost = int64_t{1} << 53;
  if (patches.first < -kMost || patches.first > kMost) {
    fail(fmt::format("--first: expected a number within 2^53, found {}", patches.first));
  }
  return patches;
}

// "4,image:1x4x6,2,video:3x4x4" is 4 tokens of text, an image, 2 of text, a video.
MropePrompt prompt_of(const std::string& text, const PositionRequest& request,
                      const MropeRules& rules, int64_t before_each_frame) {
  MropePrompt prompt;
  for (const std::string& item : items_of(text)) {
    const bool image = item.starts_with("image:"), video = item.starts_with("video:");
    if (!image && !video) {
      int64_t tokens = 0;
      const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), tokens);
      if (error != std::errc{} || stop != item.data() + item.size()) {
        fail(
            fmt::format("VALUES: expected items N (tokens of text), image:HxW, image:TxHxW or "
                        "video:TxHxW, commas between them, found \"{}\"",
                        escaped(item)));
      }
      add_text(prompt, tokens);
      continue;
    }
    const VisionGrid grid = grid_of(item.substr(6));
    check_merge(grid, item, rules.spatial_merge, request);
    if (image) add_image(prompt, grid, rules);
    if (video) add_video(prompt, grid, rules, before_each_frame);
  }
  return prompt;
}

// What the model says; nothing may say it again.
MropeRules rules_of_model(const PositionRequest& request) {
  const ModelEncoding model = load_model(request.text_of("--for"));
  if (!model.mrope) {
    throw Error(ErrorCode::unsupported,
                fmt::format("--for: {}: expected a model whose text and pictures share positions "
                            "of three axes (M-RoPE), found none that ropewalk knows",
                            escaped(model.name)));
  }
  for (const char* option : {"--merge", "--temporal-merge", "--tokens-per-second"}) {
    if (request.text_of(option).empty()) continue;
    fail(fmt::format("{} is said by --for: give one or the other", option));
  }
  const bool given = !request.text_of("--frames-apart").empty();
  const bool video = request.values.find("video:") != std::string::npos;
  if (given && !model.mrope->frames_apart) {
    fail(fmt::format("--frames-apart: {} has no text between the frames of a video",
                     escaped(model.name)));
  }
  if (!given && model.mrope->frames_apart && video) {
    fail(
        fmt::format("--frames-apart is needed: {} has a timestamp before each frame of a video, "
                    "of so many tokens",
                    escaped(model.name)));
  }
  return *model.mrope;
}

MropeRules rules_of_options(const PositionRequest& request) {
  MropeRules rules{.spatial_merge = request.integer_of("--merge", kMergeOfQwen, 1),
                   .temporal_merge = request.integer_of("--temporal-merge", 1, 1),
                   .frames_apart = !request.text_of("--frames-apart").empty()};
  if (!request.text_of("--tokens-per-second").empty()) {
    rules.tokens_per_second =
        parse_number(request.text_of("--tokens-per-second"), "--tokens-per-second");
  }
  return rules;
}

MropeRules rules_of(const PositionRequest& request) {
  MropeRules rules =
      request.text_of("--for").empty() ? rules_of_options(request) : rules_of_model(request);
  const std::string& next = request.text_of("--next");
  if (next == "side") {
    rules.next = MropeNext::side;
  } else if (!next.empty() && next != "largest") {
    fail(fmt::format("--next: expected largest or side, found \"{}\"", escaped(next)));
  }
  return rules;
}

// Rows of one length need no side.
PaddingSide side_of(const PositionRequest& request, const std::vector<MropePrompt>& prompts) {
  const std::string& side = request.text_of("--padding");
  if (side == "left") return PaddingSide::left;
  if (side == "right") return PaddingSide::right;
  if (!side.empty()) {
    fail(fmt::format("--padding: expected left or right, found \"{}\"", escaped(side)));
  }
  for (const MropePrompt& prompt : prompts) {
    if (prompt.kinds.size() == prompts[0].kinds.size()) continue;
    fail(fmt::format("--padding left or right is needed: rows have {} and {} tokens",
                     prompts[0].kinds.size(), prompt.kinds.size()));
  }
  return PaddingSide::right;
}

}  // namespace

MadePositions positions_of_grid(const PositionRequest& request) {
  const PatchGrid patches = patches_of(request);
  std::vector<VisionGrid> grids;
  for (const std::string& item : items_of(request.values)) {
    grids.push_back(grid_of(item));
    check_merge(grids.back(), item, patches.merge, request);
  }
  const int64_t axes = patches.axes == PatchAxes::thw ? 3 : 2;
  check_printed(request, axes * patch_count(grids, patches));
  if (request.text_of("--for").empty() && request.text_of("--merge").empty()) {
    fmt::print(stderr,
               "ropewalk: warning: blocks of 2 x 2 patches, as Qwen-VL has them; --for MODEL or "
               "--merge says how another model has them\n");
  }
  MadePositions made{.array = patch_positions(grids, patches)};
  for (const char letter : name(patches.axes)) {
    made.axes.push_back(letter == 't' ? "t" : letter == 'h' ? "h" : "w");
  }
  return made;
}

MadePositions positions_of_mrope(const PositionRequest& request) {
  const MropeRules rules = rules_of(request);
  const int64_t before_each_frame = request.integer_of("--frames-apart", 0, 0);
  std::vector<MropePrompt> prompts;
  for (const std::string& row : items_of(request.values, '/')) {
    prompts.push_back(prompt_of(row, request, rules, before_each_frame));
  }
  std::vector<double> seconds;
  if (!request.text_of("--second-per-grid").empty()) {
    for (const std::string& item : items_of(request.text_of("--second-per-grid"))) {
      seconds.push_back(parse_number(item, "--second-per-grid"));
    }
  }
  const int64_t fill = request.integer_of("--fill", 0);
  const MropeBatch batch = padded_batch(prompts, side_of(request, prompts));
  check_printed(request, 3 * batch.batch * batch.seq);
  MropeInput input = batch.input();
  input.second_per_grid = seconds;
  MropePositions positions = mrope_positions(input, rules, fill);
  MadePositions made{.array = std::move(positions.positions), .axes = {"t", "h", "w"}};
  for (size_t row = 0; row < prompts.size(); ++row) {
    made.next.push_back(positions.deltas[row] + std::ssize(prompts[row].kinds));
  }
  return made;
}

}  // namespace ropewalk::cli
