#include "ropewalk/models/parts.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/base/error.h"
#include "ropewalk/dialects/notes.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {
namespace {

void add_tower(ConfigReader& config, ModelEncoding& model, const Part& part) {
  if (!part.tower_type.empty()) {
    const auto vision = config.json().find("vision_config");
    if (vision == config.json().end() || !vision->is_object()) return;
    if (vision->value("model_type", nlohmann::ordered_json()) != part.tower_type) return;
  }
  add_vision(config, model, *part.tower);
  if (part.mrope != nullptr) add_mrope(config, model, *part.mrope);
}

// The indexer of DeepSeek-V3.2 and its kin, which chooses what to attend to, has heads of its own.
void add_indexer(const Said<int64_t>& said, Pairing pairing, ModelEncoding& model) {
  const auto* rope = std::get_if<RopeConfig>(&model.layers.front().positions);
  if (rope == nullptr) return;
  const int64_t head_dim =
      settled(model, "index_head_dim", said, kHeadDim, {{128, "default of the family"}});
  if (rope->rotary_dim > head_dim) {
    refuse(ErrorCode::malformed, said.source,
           fmt::format("expected at least the {} channels that turn, found {}", rope->rotary_dim,
                       head_dim));
  }
  RopeConfig indexer = *rope;
  indexer.layout = {head_dim, {{0, rope->rotary_dim, pairing}}};
  indexer.output_layout.reset();
  if (pairing == Pairing::interleaved) {
    indexer.output_layout = {head_dim, {{0, rope->rotary_dim, Pairing::half_split}}};
  }
  note(model, "indexer pairing", std::string(name(pairing)), "family: the code of the indexer");
  model.others.push_back({"indexer", indexer});
}

// Whether a part of this name was read already: a tower that turns, in the place of another kind.
bool has_part(const ModelEncoding& model, std::string_view name) {
  return std::any_of(model.others.begin(), model.others.end(),
                     [&](const NamedEncoding& other) { return other.name == name; });
}

// Files of transformers 4 repeat the type of the whole in its parts (Idefics).
std::string stated_type(const ConfigReader& config) {
  const auto type = config.json().find("model_type");
  const bool text = type != config.json().end() && type->is_string();
  return text ? type->get<std::string>() : std::string();
}

// A model of its own in an object of the file. What it says beside its positions is its own affair.
void add_model(ConfigReader& config, ModelEncoding& model, const Part& part) {
  std::optional<ConfigReader> object = config.find_object(part.key);
  if (!object || has_part(model, part.name)) return;
  ModelEncoding own;
  own.name = model.name;
  ConfigReader reader(object->json(), config.label(), object->pointer(), own);
  try {
    const bool stated = reader.has("model_type") && stated_type(reader) != stated_type(config);
    const KnownType known = stated ? find_model_type(reader) : find_model_type(part.type);
    read_model_type(reader, own, known);
  } catch (const Error& error) {
    warn(model, fmt::format("the {} is not read: {}", part.name, error.what()));
    return;
  }
  note(model, part.name, own.model_type, config.source(part.key));
  for (const std::string& warning : own.warnings) {
    warn(model, fmt::format("{}: {}", part.name, warning));
  }
  if (!model.patches) model.patches = own.patches;
  std::vector<NamedEncoding> found;
  for (const Layer& layer : own.layers) {
    NamedEncoding named{std::string(part.name), layer.positions};
    const bool known = std::holds_alternative<NoEncoding>(named.encoding) ||
                       std::find(found.begin(), found.end(), named) != found.end();
    if (!known) found.push_back(std::move(named));
  }
  std::move(found.begin(), found.end(), std::back_inserter(model.others));
  for (NamedEncoding& other : own.others) {
    other.name = other.name == "input" ? fmt::format("{} input", part.name)
                                       : fmt::format("{}: {}", part.name, other.name);
    model.others.push_back(std::move(other));
  }
}

}  // namespace

void add_parts(ConfigReader& config, ModelEncoding& model, std::span<const Part> parts) {
  for (const Part& part : parts) {
    switch (part.kind) {
      case Part::Kind::vision_tower:
        add_tower(config, model, part);
        break;
      case Part::Kind::indexer:
        add_indexer(config.said_integer("index_head_dim", kHeadDim), part.pairing, model);
        break;
      case Part::Kind::model:
        add_model(config, model, part);
        break;
    }
  }
}

void add_stated_indexer(const StatedModel& stated, std::span<const Part> parts,
                        ModelEncoding& model) {
  for (const Part& part : parts) {
    if (part.kind != Part::Kind::indexer || !stated.index_head_dim) continue;
    add_indexer(stated.index_head_dim, part.pairing, model);
  }
}

}  // namespace ropewalk
