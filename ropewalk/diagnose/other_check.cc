#include "ropewalk/diagnose/other_check.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "ropewalk/base/error.h"
#include "ropewalk/conventions/family.h"
#include "ropewalk/models/model_file.h"
#include "ropewalk/models/models.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;

// The model with the pairs of another, and written where they were read.
ModelEncoding with_pairs_of(const ModelEncoding& other, ModelEncoding model) {
  for (size_t i = 0; i < model.layers.size(); ++i) {
    auto* rope = std::get_if<RopeConfig>(&model.layers[i].positions);
    if (rope == nullptr) continue;
    rope->output_layout.reset();
    if (i >= other.layers.size()) continue;
    const auto* own = std::get_if<RopeConfig>(&other.layers[i].positions);
    if (own == nullptr || own->layout.windows.size() != rope->layout.windows.size()) continue;
    for (size_t w = 0; w < rope->layout.windows.size(); ++w) {
      rope->layout.windows[w].pairing = own->layout.windows[w].pairing;
    }
  }
  return model;
}

// Whether the converter of llama.cpp moves the rows of the model, so that it turns other pairs.
bool has_other_pairs_as_gguf(const ModelEncoding& model) {
  const KnownType known = find_model_type(model.model_type);
  return known.type != nullptr && !known.type->gguf.architecture.empty() &&
         known.type->gguf.pairing != known.type->pairing;
}

// The keys of the rope blocks of the layers.
std::set<std::string> rope_fields(const ModelEncoding& model) {
  std::set<std::string> fields = {"rope_theta", "rope_type"};
  for (const PositionEncoding& encoding : layer_positions(model)) {
    const auto* rope = std::get_if<RopeConfig>(&encoding);
    if (rope == nullptr) continue;
    for (const auto& [key, value] : rope->parameters) fields.insert(key);
    for (const auto& [key, list] : rope->lists) fields.insert(key);
  }
  return fields;
}

// Whether a tower or another part beside the layers is only in the first: a GGUF has it in a file
// of its own.
bool is_part(const ModelEncoding& model, const std::string& field) {
  return std::any_of(model.others.begin(), model.others.end(),
                     [&](const NamedEncoding& part) { return part.name == field; });
}

// How two configs differ, but for the pairs where the rows were moved with them; and what of that
// is minor.
void compare_configs(const ModelEncoding& model, const ModelEncoding& other, bool rows_moved,
                     bool gguf, OtherCheck& check) {
  const bool repeated_keys =
      std::any_of(check.rows.begin(), check.rows.end(), [](const auto& rows) {
        return rows.expected && rows.relation == PermutedRows::Relation::ordered;
      });
  constexpr int64_t kLong = int64_t{1} << 20;
  const ModelEncoding a = with_pairs_of(model, model),
                      b = with_pairs_of(rows_moved ? model : other, other);
  check.comparison = compare(a, b);
  std::set<std::string> same_turns;
  if (check.comparison.rotations.empty() && compare(a, b, {.seq_len = kLong}).rotations.empty()) {
    same_turns = rope_fields(a);
    same_turns.merge(rope_fields(b));
  }
  const auto is_minor = [&](const Difference& each) {
    const bool unstated = std::holds_alternative<std::monostate>(each.b);
    return each.field == "max_positions" || same_turns.contains(each.field) ||
           (repeated_keys && each.field == "kv_heads") ||
           (gguf && unstated &&
            (each.level == Difference::Level::attention || is_part(model, each.field)));
  };
  auto& differences = check.comparison.differences;
  const auto first_minor =
      std::stable_partition(differences.begin(), differences.end(),
                            [&](const Difference& each) { return !is_minor(each); });
  for (auto each = first_minor; each != differences.end(); ++each) {
    const bool unstated = std::holds_alternative<std::monostate>(each->a) ||
                          std::holds_alternative<std::monostate>(each->b);
    if (each->field == "max_positions" && unstated) continue;
    check.minor.push_back(*each);
  }
  differences.erase(first_minor, differences.end());
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A checkpoint, or a file that says what a model is.
ModelEncoding model_at(const fs::path& path) {
  const bool weights = path.extension() == ".safetensors" || path.string().ends_with(".index.json");
  return read_model(weights ? folder_of(path) : path);
}

}  // namespace

OtherCheck compare_checkpoints(const ModelEncoding& model, const std::optional<fs::path>& weights,
                               const fs::path& path, const ModelEncoding* of_path,
                               const CompareProgress& progress) {
  OtherCheck check{.path = path};
  std::error_code none;
  ModelEncoding other;
  try {
    other = of_path != nullptr ? *of_path : model_at(path);
  } catch (const Error& error) {
    check.unread = error.what();
    return check;
  }
  if (weights) {
    try {
      check.rows = compare_rows(*weights, model, path, other, progress);
    } catch (const Error& error) {
      const bool unsupported = error.code() == ErrorCode::unsupported;
      (unsupported ? check.rows_unread : check.unread) = error.what();
    }
  }
  const bool gguf = fs::is_regular_file(path, none) && is_gguf(path);
  // Where q moved and k went wrong the pairs are others all the same.
  const bool rows_moved = std::any_of(check.rows.begin(), check.rows.end(), [](const auto& rows) {
    return rows.expected && rows.relation == PermutedRows::Relation::moved;
  });
  const bool rows_fit = !check.rows.empty() && !are_wrong(check.rows);
  compare_configs(model, other, rows_fit || rows_moved || (gguf && has_other_pairs_as_gguf(model)),
                  gguf, check);
  return check;
}

bool are_wrong(const std::vector<PermutedRows>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const PermutedRows& each) { return !each.expected; });
}

}  // namespace ropewalk
