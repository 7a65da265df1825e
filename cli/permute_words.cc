#include "cli/permute_words.h"

#include <algorithm>
#include <set>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "ropewalk/base/error.h"
#include "ropewalk/encoding/layout_permutation.h"
#include "ropewalk/report/layer_words.h"

namespace ropewalk::cli {
namespace {

std::string what_is_done(const RowMove& move) {
  const AttentionTensor& tensor = move.tensor;
  if (tensor.part == TensorPart::kept) return "stays";
  if (tensor.block > 0) return fmt::format("stays: of {} rows together", tensor.block);
  if (move.moved == 0) return "stays: no row changes its place";
  return fmt::format("{} of {} {} move", move.moved, tensor.rows,
                     tensor.part == TensorPart::norm ? "numbers" : "rows");
}

size_t moved_tensors(const PermutePlan& plan) {
  return static_cast<size_t>(std::count_if(plan.moves.begin(), plan.moves.end(),
                                           [](const RowMove& move) { return move.moved > 0; }));
}

std::vector<size_t> moved_layers(const PermutePlan& plan) {
  std::set<size_t> layers;
  for (const RowMove& move : plan.moves) {
    if (move.moved > 0) layers.insert(static_cast<size_t>(move.tensor.layer));
  }
  return {layers.begin(), layers.end()};
}

// The first layer that rotates.
size_t first_rotating(const Permuted& permuted) {
  size_t i = 0;
  while (i + 1 < permuted.layouts_from.size() && permuted.layouts_from[i].windows.empty()) ++i;
  return i;
}

// "1 head", "2 heads"
std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "layer 0", "layers 0-31"
std::string layers_moved(const PermutePlan& plan) {
  const std::vector<size_t> layers = moved_layers(plan);
  return fmt::format("layer{} {}", layers.size() == 1 ? "" : "s", ranges(layers));
}

std::string comma_list(const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) shown.push_back(escaped(names[i]));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

void print_heading(const Permuted& permuted) {
  const size_t first = first_rotating(permuted);
  const Layer& layer = permuted.model.layers[first];
  fmt::print("{}: {} to {}, {} and {} of {} channels\n", escaped(permuted.checkpoint),
             permuted.from, permuted.to, counted(layer.heads, "head"),
             counted(layer.kv_heads, "key head"), layer.head_dim);
  constexpr size_t kShown = 8;
  const std::vector<int64_t> channels =
      permutation(permuted.layouts_from[first], permuted.layouts_to[first]);
  const size_t offset = static_cast<size_t>(permuted.layouts_to[first].windows.front().offset);
  const size_t end = std::min(offset + kShown, channels.size());
  fmt::print("channels {}.. of a head were {}{}\n", offset,
             fmt::join(channels.begin() + static_cast<std::ptrdiff_t>(offset),
                       channels.begin() + static_cast<std::ptrdiff_t>(end), ", "),
             end < channels.size() ? ", ..." : "");
}

void print_beside(const Permuted& permuted) {
  if (!permuted.folder) return;
  const FilesBeside beside = files_beside(permuted.plan);
  if (!beside.copied.empty()) fmt::print("copied as they are: {}\n", comma_list(beside.copied));
  if (!beside.left.empty()) fmt::print("not copied: {}\n", comma_list(beside.left));
}

}  // namespace

void print_plan(const Permuted& permuted) {
  print_heading(permuted);
  std::vector<std::vector<std::string>> rows = {{"tensor", "part", "type", "shape", "rows"}};
  const auto& tensors = permuted.plan.stored.tensors;
  for (const RowMove& move : permuted.plan.moves) {
    const StoredTensor& entry = tensors.find(move.tensor.name)->second;
    rows.push_back({escaped(move.tensor.name), std::string(name(move.tensor.part)),
                    escaped(entry.dtype), fmt::format("[{}]", fmt::join(entry.shape, ", ")),
                    what_is_done(move)});
  }
  fmt::print("\n{}", table(rows));
  fmt::print("\n{} of {} tensors move, those of {}; the others stay as they are\n",
             moved_tensors(permuted.plan), tensors.size(), layers_moved(permuted.plan));
  print_beside(permuted);
}

void print_written(const Permuted& permuted, const std::string& output) {
  print_heading(permuted);
  fmt::print("{}: rows of {} of {} tensors moved, those of {}\n", escaped(output),
             moved_tensors(permuted.plan), permuted.plan.stored.tensors.size(),
             layers_moved(permuted.plan));
  print_beside(permuted);
}

nlohmann::ordered_json plan_json(const Permuted& permuted, const std::string& output) {
  using nlohmann::ordered_json;
  const PermutePlan& plan = permuted.plan;
  ordered_json json = {{"checkpoint", escaped(permuted.checkpoint, 4096)},
                       {"from", permuted.from},
                       {"to", permuted.to},
                       {"model_type", permuted.model.model_type}};
  json["written"] = output.empty() ? ordered_json() : ordered_json(escaped(output, 4096));
  json["tensors"] = ordered_json::array();
  for (const RowMove& move : plan.moves) {
    const StoredTensor& entry = plan.stored.tensors.find(move.tensor.name)->second;
    json["tensors"].push_back(
        {{"tensor", escaped(move.tensor.name, 4096)},
         {"file", escaped(plan.stored.files[entry.file].filename().string(), 4096)},
         {"layer", move.tensor.layer},
         {"part", name(move.tensor.part)},
         {"dtype", escaped(entry.dtype)},
         {"shape", entry.shape},
         {"rows", move.tensor.rows},
         {"moved_rows", move.moved}});
  }
  json["other_tensors"] = plan.stored.tensors.size() - plan.moves.size();
  if (!plan.beyond.empty()) json["layers_beyond_config"] = plan.beyond;
  if (permuted.folder) {
    const FilesBeside beside = files_beside(plan);
    json["copied"] = ordered_json::array();
    for (const std::string& file : beside.copied) json["copied"].push_back(escaped(file, 4096));
    json["not_copied"] = ordered_json::array();
    for (const std::string& file : beside.left) json["not_copied"].push_back(escaped(file, 4096));
  }
  return json;
}

void warn_of_plan(const Permuted& permuted) {
  const auto warn = [](const std::string& text) {
    fmt::print(stderr, "ropewalk: warning: {}\n", text);
  };
  const std::vector<RotaryLayout> own = layouts_of(permuted.model);
  if (own != permuted.layouts_to) {
    const size_t first = first_rotating(permuted);
    warn(fmt::format("{} reads {} pairs; a program that goes by it must be told {}",
                     escaped(permuted.model.name), name(own[first].windows.front().pairing),
                     name(permuted.layouts_to[first].windows.front().pairing)));
  }
  if (permuted.from_hf && own != permuted.layouts_from) {
    warn(fmt::format(
        "--from hf means half_split, but {} reads {} pairs: move only rows that were "
        "half_split before, as its own are not",
        escaped(permuted.model.name), name(own[first_rotating(permuted)].windows.front().pairing)));
  }
  if (!permuted.plan.beyond.empty()) {
    const std::vector<size_t> layers(permuted.plan.beyond.begin(), permuted.plan.beyond.end());
    warn(
        fmt::format("layers {} are beyond the {} of the config: taken to be like the last that "
                    "rotates",
                    ranges(layers), permuted.model.layers.size()));
  }
  for (const NamedEncoding& part : permuted.model.others) {
    if (!std::holds_alternative<RopeConfig>(part.encoding)) continue;
    warn(fmt::format("the rows of {} stay as they are: only those of the layers move", part.name));
  }
}

}  // namespace ropewalk::cli
