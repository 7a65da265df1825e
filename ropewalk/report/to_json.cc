#include "ropewalk/report/to_json.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

ordered_json text(std::string_view value) { return std::string(value); }

ordered_json to_json(const FieldValue& value) {
  return std::visit(
      [](const auto& inner) {
        if constexpr (std::is_same_v<std::decay_t<decltype(inner)>, std::monostate>) {
          return ordered_json();
        } else {
          return ordered_json(inner);
        }
      },
      value);
}

ordered_json shape_json(const Dims& shape) {
  return std::vector<int64_t>(shape.begin(), shape.end());
}

ordered_json to_json(const RotationDifference& rotation) {
  ordered_json json = {
      {"layers", rotation.layers},
      {"pairs", {rotation.pairs_a, rotation.pairs_b}},
      {"first_pair", ordered_json()},
      {"inv_freq", ordered_json()},
      {"largest_relative_difference", rotation.largest},
      {"attention_scaling", {rotation.attention_scaling_a, rotation.attention_scaling_b}}};
  if (rotation.first_pair) {
    json["first_pair"] = *rotation.first_pair;
    json["inv_freq"] = {rotation.inv_freq_a, rotation.inv_freq_b};
  }
  if (!rotation.axis_pairs_a.empty()) {
    json["axis_pairs"] = {rotation.axis_pairs_a, rotation.axis_pairs_b};
  }
  json["cosines"] = ordered_json::array();
  for (const RotationCosine& each : rotation.cosines) {
    ordered_json cosine = {{"position", each.position}, {"cosine", each.cosine}};
    if (each.moved) cosine["moved"] = *each.moved;
    json["cosines"].push_back(cosine);
  }
  return json;
}

}  // namespace

ordered_json to_json(const Comparison& comparison) {
  ordered_json json = {{"alike", comparison.alike()},
                       {"differences", ordered_json::array()},
                       {"rotations", ordered_json::array()}};
  for (const Difference& each : comparison.differences) {
    json["differences"].push_back({{"level", text(name(each.level))},
                                   {"field", each.field},
                                   {"a", to_json(each.a)},
                                   {"b", to_json(each.b)},
                                   {"layers", each.layers}});
  }
  for (const RotationDifference& each : comparison.rotations) {
    json["rotations"].push_back(to_json(each));
  }
  return json;
}

ordered_json to_json(const ScalingBands& bands) {
  ordered_json names = ordered_json::array();
  for (const Band band : bands.bands) names.push_back(text(name(band)));
  return {{"bands", std::move(names)},
          {"attention_scaling", bands.attention_scaling},
          {"softmax_factor", bands.softmax_factor},
          {"slow_pairs", bands.slow_pairs}};
}

ordered_json to_json(const Trap& trap) {
  if (const auto* factor = std::get_if<FactorDisagrees>(&trap)) {
    return {{"trap", "factor_disagrees"},
            {"factor", factor->factor},
            {"max_positions", factor->max_positions},
            {"original_max_position_embeddings", factor->original}};
  }
  const BaseNotStated& base = std::get<BaseNotStated>(trap);
  return {{"trap", "base_not_stated"},
          {"rope_theta", base.rope_theta},
          {"max_positions", base.max_positions}};
}

ordered_json to_json(const CheckpointFindings& findings) {
  ordered_json json = ordered_json::object();
  for (const StoredFrequencies& each : findings.frequencies) {
    json["stored_inv_freq"].push_back(to_json(each));
  }
  for (const WrongShape& each : findings.shapes) json["wrong_shapes"].push_back(to_json(each));
  for (const auto& [key, why] : {std::pair{"stored_inv_freq_unread", &findings.frequencies_unread},
                                 {"wrong_shapes_unread", &findings.shapes_unread}}) {
    if (!why->empty()) json[key] = *why;
  }
  return json;
}

ordered_json to_json(const StoredFrequencies& stored) {
  ordered_json json = {{"file", escaped(stored.file.string())},
                       {"tensor", escaped(stored.tensor)},
                       {"fault", text(name(stored.fault))}};
  switch (stored.fault) {
    case StoredFrequencies::Fault::no_rotation:
      break;
    case StoredFrequencies::Fault::other_count:
      json["count"] = stored.count;
      json["expected_count"] = stored.expected_count;
      break;
    case StoredFrequencies::Fault::rounded:
      json["phase_error"] = stored.phase_error;
      json["positions"] = stored.positions;
      [[fallthrough]];
    case StoredFrequencies::Fault::differs:
      json["dtype"] = text(name(stored.dtype));
      json["pair"] = stored.pair;
      json["stored"] = stored.stored;
      json["expected"] = stored.expected;
  }
  return json;
}

ordered_json to_json(const WrongShape& shape) {
  return {{"file", escaped(shape.file.string())},
          {"tensor", escaped(shape.tensor)},
          {"layer", shape.layer},
          {"heads", shape.heads},
          {"kv_heads", shape.kv_heads},
          {"head_dim", shape.head_dim},
          {"expected", shape_json(shape.expected)},
          {"found", shape_json(shape.found)}};
}

ordered_json to_json(const PermutedRows& rows) {
  using Relation = PermutedRows::Relation;
  ordered_json json = {{"layer", rows.layer},
                       {"of", rows.keys ? "k" : "q"},
                       {"tensors", {escaped(rows.tensor_a, 4096), escaped(rows.tensor_b, 4096)}},
                       {"relation", name(rows.relation)},
                       {"expected", rows.expected},
                       {"exact", rows.exact}};
  if (rows.relation == Relation::moved) {
    json["to"] = rows.to_half_split ? "half_split" : "interleaved";
    json["heads"] = rows.heads;
    json["head_dim"] = rows.head_dim;
    json["wrong_heads"] = rows.wrong_heads;
    json["whole_head"] = rows.whole_head;
  }
  if (rows.relation == Relation::ordered) {
    json["own_rows"] = rows.layer_heads * rows.layer_head_dim;
    json["head_order"] = rows.origins.head_order;
    if (rows.origins.head_order.empty()) json["rows"] = rows.origins.source;
  }
  if (!rows.exact) json["cosine"] = rows.cosine;
  return json;
}

ordered_json to_json(const OtherCheck& other) {
  ordered_json json = {{"path", escaped(other.path.string(), 4096)}};
  json.update(to_json(other.comparison));
  json["rows"] = ordered_json::array();
  for (const PermutedRows& rows : other.rows) json["rows"].push_back(to_json(rows));
  if (!other.unread.empty()) json["unread"] = other.unread;
  if (!other.rows_unread.empty()) json["rows_unread"] = other.rows_unread;
  return json;
}

}  // namespace ropewalk
