#include "ropewalk/models/rope_block.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

constexpr const char* kOriginal = "original_max_position_embeddings";
// What a rope block may hold beside the parameters of its scaling.
constexpr std::string_view kOtherKeys[] = {"rope_type",           "type",
                                           "rope_theta",          "partial_rotary_factor",
                                           "mrope_section",       "mrope_interleaved",
                                           "llama_4_scaling_beta"};

bool is_full(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() && !found->empty();
}

// The key whose block counts.
std::string block_key(const ordered_json& object) {
  return is_full(object, "rope_parameters") && !is_full(object, "rope_scaling") ? "rope_parameters"
                                                                                : "rope_scaling";
}

std::string type_of(const ordered_json& block) {
  for (const char* key : {"rope_type", "type"}) {
    const auto found = block.find(key);
    if (found != block.end() && found->is_string()) return found->get<std::string>();
  }
  return "";
}

[[noreturn]] void refuse_given(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, what);
}

std::string known_rope_type(const std::string& text) {
  try {
    return std::string(canonical_rope_type(text));
  } catch (const Error& error) {
    refuse_given(error.what());
  }
}

void check_keys(const ordered_json& given, const std::string& rope_type) {
  std::vector<std::string_view> keys(std::begin(kOtherKeys), std::end(kOtherKeys));
  std::vector<std::string_view> read;
  for (const ScalingParameter& parameter : scaling_parameters(rope_type)) {
    if (parameter.key != "max_position_embeddings") read.push_back(parameter.key);
  }
  read.push_back(kFreqFactors.key);
  keys.insert(keys.end(), read.begin(), read.end());
  for (const auto& [key, value] : given.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    refuse_given(fmt::format("expected keys that rope_type {} reads, {}, found \"{}\"{}", rope_type,
                             fmt::join(read, ", "), escaped(key), did_you_mean(key, keys)));
  }
}

// What the file has of the new block already: all of its own where the scaling stays.
ordered_json kept(const ordered_json& old, const std::string& rope_type) {
  const std::string old_type = type_of(old).empty() ? "" : known_rope_type(type_of(old));
  if (old_type == rope_type) return old;
  ordered_json block = ordered_json::object();
  for (const auto& [key, value] : old.items()) {
    const bool length = key == kOriginal && reads_parameter(rope_type, kOriginal);
    const bool other =
        std::find(std::begin(kOtherKeys), std::end(kOtherKeys), key) != std::end(kOtherKeys);
    if (length || (other && key != "rope_type" && key != "type")) block[key] = value;
  }
  return block;
}

ordered_json joined(const ordered_json& old, const ordered_json& given) {
  const std::string text = type_of(given).empty() ? type_of(old) : type_of(given);
  if (text.empty() && given.contains("factor")) {
    refuse_given(
        "rope_type: expected the name of a scaling, because the file has none; found no "
        "such key");
  }
  const std::string rope_type = text.empty() ? "default" : known_rope_type(text);
  check_keys(given, rope_type);
  ordered_json block = {{"rope_type", text}};
  if (text.empty()) block = ordered_json::object();
  const ordered_json stays = kept(old, rope_type);
  for (const auto& [key, value] : stays.items()) {
    if (key != "type" && key != "rope_type") block[key] = value;
  }
  for (const auto& [key, value] : given.items()) {
    if (key != "type" && key != "rope_type") block[key] = value;
  }
  return block;
}

void add_length(ordered_json& block, const ordered_json& object, int64_t max_positions) {
  const std::string text = type_of(block);
  if (text.empty() || max_positions == 0 || object.contains(kOriginal)) return;
  if (reads_parameter(text, kOriginal) && !block.contains(kOriginal)) {
    block[kOriginal] = max_positions;
  }
}

bool takes_scaling(const ModelType& type, const std::string& kind) {
  return std::any_of(type.layers.kinds.begin(), type.layers.kinds.end(),
                     [&](const LayerKind& each) {
                       return each.name == kind && each.rotates && each.takes_rope_scaling;
                     });
}

// A base beside the block counts too, and must say the same: it is put there, under the name that
// the file has for it, "rope_theta" or "attn_config/rope_theta". Gives the key at the top of it.
std::string move_theta(const TextObject& text, ordered_json& given) {
  const auto theta = given.find("rope_theta");
  if (theta == given.end()) return "";
  for (const std::string_view key : {std::string_view("rope_theta"), text.type->theta_key}) {
    if (key.empty()) continue;
    const ordered_json::json_pointer place(fmt::format("/{}", key));
    if (!text.object->contains(place)) continue;
    (*text.object)[place] = *theta;
    given.erase("rope_theta");
    return std::string(key.substr(0, key.find('/')));
  }
  return "";
}

}  // namespace

TextObject find_text(ordered_json& json, const std::string& name, std::string_view assume) {
  ModelEncoding ignored;
  TextObject text{&json, "", nullptr};
  ConfigReader config(json, name, "", ignored);
  text.type = (assume.empty() ? find_model_type(config) : known_type(assume)).type;
  while (!text.type->part.empty()) {
    const auto part = text.object->find(std::string(text.type->part));
    if (part == text.object->end() || !part->is_object()) {
      text.type = find_model_type(text.type->part_type).type;  // its keys are at the top
      continue;
    }
    text.pointer += fmt::format("/{}", text.type->part);
    text.object = &*part;
    ConfigReader reader(*part, name, text.pointer, ignored);
    text.type =
        (reader.has("model_type") ? find_model_type(reader) : find_model_type(text.type->part_type))
            .type;
  }
  return text;
}

Replaced replace_block(const TextObject& text, ordered_json given, int64_t max_positions) {
  if (!given.is_object() || given.empty()) {
    refuse_given("expected keys of a rope block, found " +
                 (given.is_object() ? "none" : described(given)));
  }
  for (const char* key : {"rope_type", "type"}) {
    if (!given.contains(key) || given[key].is_string()) continue;
    refuse_given(fmt::format("{}: expected a name, found {}", key, described(given[key])));
  }
  Replaced result{.key = block_key(*text.object)};
  const auto theta = given.find("rope_theta");
  if (theta != given.end() && theta->is_number()) result.rope_theta = theta->get<double>();
  result.theta_key = move_theta(text, given);
  ordered_json& blocks = (*text.object)[result.key];
  if (!blocks.is_object()) blocks = ordered_json::object();
  const auto put = [&](ordered_json& block) {
    block = joined(block, given);
    add_length(block, *text.object, max_positions);
    if (!type_of(block).empty()) result.rope_type = known_rope_type(type_of(block));
    ++result.blocks;
  };
  const bool nested = std::any_of(blocks.begin(), blocks.end(),
                                  [](const ordered_json& value) { return value.is_object(); });
  if (!nested) {
    put(blocks);
    if (!blocks.empty()) return result;
    text.object->erase(result.key);
    result.key.clear();
    return result;
  }
  for (auto& [kind, block] : blocks.items()) {
    if (block.is_object() && takes_scaling(*text.type, kind)) put(block);
  }
  return result;
}

}  // namespace ropewalk
