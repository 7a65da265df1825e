#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/position_kinds.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/formats/npy.h"

namespace ropewalk::cli {
namespace {

struct Options {
  std::string kind, output;
  PositionRequest request;
  bool json = false, force = false;
};

const PositionKind& kind_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const PositionKind& kind : position_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("KIND: \"{}\" is not one of {}{}", escaped(name), fmt::join(names, ", "),
                          did_you_mean(name, names)));
}

void check_options(const Options& options, const PositionKind& kind) {
  for (const auto& [name, text] : options.request.options) {
    if (text.empty() || std::ranges::count(kind.options, name) > 0) continue;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{} does not go with {}, which takes {}", name, kind.name,
                    kind.options.empty() ? "no option of its own"
                                         : fmt::format("{}", fmt::join(kind.options, ", "))));
  }
  if (options.output.empty()) return;
  if (!options.output.ends_with(".npy")) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("-o: \"{}\" does not end in .npy", escaped(options.output)));
  }
  check_output(options.output, overwrite(options.force));
}

// Rows of the last dimension.
std::vector<std::span<const int64_t>> rows_of(const PositionArray& array) {
  const auto length = static_cast<size_t>(array.shape.back());
  std::vector<std::span<const int64_t>> rows;
  for (size_t begin = 0; length > 0 && begin < array.ids.size(); begin += length) {
    rows.push_back(std::span(array.ids).subspan(begin, length));
  }
  return rows;
}

void print_positions_json(const MadePositions& made) {
  nlohmann::ordered_json json = {{"shape", made.array.shape}};
  if (!made.axes.empty()) json["axes"] = made.axes;
  json["position_ids"] = made.array.ids;
  if (!made.tokens.empty()) json["tokens"] = made.tokens;
  if (!made.next.empty()) json["next"] = made.next;
  print_json(json);
}

void print_line(std::string_view name, size_t width, std::span<const int64_t> numbers) {
  fmt::print("{:<{}}{}\n", name, width, fmt::join(numbers, " "));
}

// "h" of one sequence, "h[1]" of the second of several.
std::vector<std::string> names_of(const MadePositions& made) {
  if (!made.tokens.empty()) return {"position"};
  std::vector<std::string> names;
  const int64_t batch = made.array.shape.size() == 3 ? made.array.shape[1] : 1;
  for (const std::string_view axis : made.axes) {
    for (int64_t b = 0; b < batch; ++b) {
      names.push_back(batch == 1 ? std::string(axis) : fmt::format("{}[{}]", axis, b));
    }
  }
  return names;
}

// A line for each sequence; where there is more than one, each with its name before it.
void print_positions(const MadePositions& made) {
  const std::vector<std::string> names = names_of(made);
  size_t width = made.next.empty() ? 0 : 6;
  for (const std::string& name : names) width = std::max(width, name.size() + 2);
  if (!made.tokens.empty()) print_line("token", width, made.tokens);
  size_t row = 0;
  for (const std::span<const int64_t> ids : rows_of(made.array)) {
    print_line(row < names.size() ? names[row] : "", width, ids);
    ++row;
  }
  if (!made.next.empty()) print_line("next", width, made.next);
}

int positions(const Options& options) {
  const PositionKind& kind = kind_of(options.kind);
  check_options(options, kind);
  constexpr int64_t kMostPrinted = 4096, kMostInJson = 1 << 20;
  PositionRequest request = options.request;
  if (options.json) {
    request.most = kMostInJson;
  } else if (options.output.empty()) {
    request.most = kMostPrinted;
  }
  const MadePositions made = kind.make(request);
  check_printed(request, std::ssize(made.array.ids));
  if (!options.output.empty()) {
    write_npy(options.output, made.array.view(), overwrite(options.force));
  }
  if (options.json) {
    print_positions_json(made);
  } else if (options.output.empty()) {
    print_positions(made);
  }
  return 0;
}

}  // namespace

Run declare_positions(CLI::App& app) {
  app.description(
      "Example: ropewalk positions mask 00111,11111\n\n"
      "Position ids, as --positions of rotate and attend takes them from an .npy file. By KIND, "
      "VALUES are:\n"
      "  mask     rows of an attention mask; 0 is padding, wherever it is\n"
      "  packed   boundaries of sequences in one row, 0,4,8; with --ranks those of one rank\n"
      "  offsets  the position of the first token of each row, as in a decode step\n"
      "  fairseq  token ids: rows of a table that begins with padding (RoBERTa, M2M100, XGLM)\n"
      "  opt      rows of an attention mask: rows of OPT's table\n"
      "  chatglm  token ids of ChatGLM-6B: position and block position\n"
      "  mrope    a prompt with images and videos, 4,image:4x6,2,video:3x4x4 (Qwen-VL, GLM-4V): t, "
      "h, w;\n"
      "           several prompts of a batch with / between them\n"
      "  grid     the patches of images HxW and videos TxHxW: row and column, as --for MODEL has "
      "them");
  const auto o = std::make_shared<Options>();
  std::vector<std::string> kinds;
  for (const PositionKind& kind : position_kinds()) kinds.emplace_back(kind.name);
  add_choice_option(app, "KIND", o->kind, kinds, fmt::format("{}", fmt::join(kinds, " | ")))
      ->required();
  app.add_option("VALUES", o->request.values,
                 "as above, or FILE.npy of i4/i8 [S] or [B, S] (not for mrope and grid)")
      ->type_name("P")
      ->required();
  const auto add = [&](const std::string& name, const std::string& help, const std::string& type) {
    add_text_option(app, name, o->request.options[name], help, type);
  };
  const auto choose = [&](const std::string& name, const std::vector<std::string>& words,
                          const std::string& help) {
    add_choice_option(app, name, o->request.options[name], words, help);
  };
  add("--fill", "mask, mrope: what stands for padding (0)", "N");
  add("--firsts", "packed: the first position of each sequence (0)", "N,..");
  add("--ranks", "packed: the ranks that share the tokens", "N");
  add("--rank", "packed: this one of them (0)", "N");
  choose("--order", {"contiguous", "zigzag"}, "packed: which of them a rank has (contiguous)");
  add("--seq", "offsets: tokens of each row (1)", "N");
  add("--pad", "fairseq: the token id of padding (1)", "N");
  add("--cache", "fairseq: tokens before these (0)", "N");
  add("--merge", "mrope, grid: patches each way that become one token (2)", "N");
  add("--temporal-merge", "mrope: frames of a video that become one (1; ERNIE-4.5-VL: 2)", "N");
  add("--tokens-per-second", "mrope: the pace of time (frames count by 1; Qwen2.5-VL: 2)", "X");
  add("--second-per-grid", "mrope: seconds from frame to frame of each video (1)", "X,..");
  add("--frames-apart", "mrope: tokens of text before each frame (Qwen3-VL, GLM-4V)", "N");
  choose("--next", {"largest", "side"},
         "mrope: text goes on after the largest id (largest), or the side (transformers 5)");
  choose("--padding", {"left", "right"}, "mrope: where shorter prompts are filled");
  add("--for",
      "mrope: merges and pace of time as the model has them; grid: its order of axes and patches, "
      "its first number, its class token",
      "MODEL");
  choose("--axes", {"hw", "wh", "thw"}, "grid: which, in which order (hw)");
  add("--first", "grid: the number of the first row and column (0; Llama 4: 1)", "N");
  app.add_option("-o,--output", o->output, "write them to FILE.npy, i8")->type_name("FILE");
  app.add_flag("--json", o->json, "as JSON");
  app.add_flag("--force", o->force, "replace an output file that exists");
  return [o] { return positions(*o); };
}

}  // namespace ropewalk::cli
