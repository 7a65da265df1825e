#include "ropewalk/report/dumps_to_json.h"

#include <nlohmann/json.hpp>

#include "ropewalk/report/dump_words.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Cause& cause) {
  ordered_json json = {{"hypothesis", cause.hypothesis}, {"variant", cause.variant}};
  if (!cause.name.empty()) json["name"] = cause.name;
  for (const auto& [key, value] : cause.numbers) json[std::string(key)] = value;
  return json;
}

ordered_json to_json(const DumpFinding& finding) {
  ordered_json json = {{"causes", ordered_json::array()},
                       {"in_words", in_words(finding)},
                       {"change", what_to_change(finding)},
                       {"residual_in_ulp", finding.residual},
                       {"of_wrong_tokens", finding.of_wrong_tokens}};
  for (const Cause& cause : finding.causes) json["causes"].push_back(to_json(cause));
  return json;
}

ordered_json to_json(const FirstWrong& first) {
  return {{"batch", first.batch},
          {"token", first.token},
          {"positions", first.positions},
          {"pair", first.pair < 0 ? ordered_json() : ordered_json(first.pair)},
          {"expected_angle", first.expected_angle},
          {"found_angle", first.found_angle},
          {"expected_amplitude", first.expected_amplitude},
          {"found_amplitude", first.found_amplitude},
          {"from_zero", first.from_zero}};
}

}  // namespace

ordered_json to_json(const DumpDiagnosis& diagnosis) {
  constexpr const char* kVerdicts[] = {"consistent", "fault", "unexplained"};
  ordered_json json = {{"verdict", kVerdicts[static_cast<int>(diagnosis.verdict)]},
                       {"residual_in_ulp", diagnosis.residual},
                       {"dtype", name(diagnosis.dtype)},
                       {"tokens", diagnosis.tokens},
                       {"wrong_tokens", diagnosis.wrong_tokens},
                       {"largest_expected_angle", diagnosis.largest_angle}};
  if (diagnosis.first_wrong) json["first_wrong"] = to_json(*diagnosis.first_wrong);
  json["findings"] = ordered_json::array();
  for (const DumpFinding& finding : diagnosis.findings)
    json["findings"].push_back(to_json(finding));
  if (const auto& observed = diagnosis.observed) {
    json["observed"] = {{"in_words", in_words(*observed)},
                        {"places", ordered_json::array()},
                        {"amplitude", observed->amplitude},
                        {"pairs", ordered_json::array()}};
    for (const Cause& cause : observed->places)
      json["observed"]["places"].push_back(to_json(cause));
    for (const Observed::Pair& pair : observed->pairs) {
      json["observed"]["pairs"].push_back({{"pair", pair.pair},
                                           {"inv_freq", pair.inv_freq},
                                           {"error", pair.error},
                                           {"expected", pair.expected}});
    }
  }
  if (diagnosis.telling_position) json["telling_position"] = *diagnosis.telling_position;
  if (diagnosis.scaling_shows_at) json["scaling_shows_at"] = *diagnosis.scaling_shows_at;
  if (diagnosis.precision) {
    json["angle_precision"] = {{"mode", name(diagnosis.precision->mode)},
                               {"largest_error", diagnosis.precision->largest},
                               {"position", diagnosis.precision->position}};
  }
  return json;
}

ordered_json to_json(const FoundEncodings& found) {
  ordered_json json = {
      {"found", ordered_json::array()}, {"dtype", name(found.dtype)}, {"tokens", found.tokens}};
  if (found.nothing_turned) json["nothing_turned"] = true;
  for (const FoundEncoding& each : found.found) {
    const RotaryWindow& window = each.turning.places.in.windows[0];
    ordered_json one = {{"in_words", in_words(each)},
                        {"rope_theta", each.turning.rope.rope_theta},
                        {"rope_type", each.turning.rope.rope_type},
                        {"offset", window.offset},
                        {"rotary_dim", window.dim},
                        {"head_dim", each.turning.places.in.head_dim},
                        {"pairing", name(window.pairing)},
                        {"written_pairing", name(each.turning.places.out.windows[0].pairing)},
                        {"causes", ordered_json::array()},
                        {"residual_in_ulp", each.residual},
                        {"models", each.models}};
    if (each.pairs_alone) {
      for (const char* of_channels : {"offset", "head_dim", "pairing", "written_pairing"}) {
        one.erase(of_channels);
      }
      one["pairs"] = window.dim / 2;
    }
    for (const Cause& cause : each.causes) one["causes"].push_back(to_json(cause));
    json["found"].push_back(one);
  }
  return json;
}

ordered_json to_json(const FoundFaults& found) {
  ordered_json json = {
      {"alike", found.alike},           {"mine_not_rotated", found.mine_not_rotated},
      {"found", ordered_json::array()}, {"residual_in_ulp", found.residual},
      {"dtype", name(found.dtype)},     {"tokens", found.tokens}};
  for (const FoundFault& each : found.found) {
    json["found"].push_back({{"reference", in_words(each.rope)},
                             {"models", each.models},
                             {"diagnosis", to_json(each.diagnosis)}});
  }
  if (found.mine_not_rotated) json["encoding"] = to_json(found.encoding);
  return json;
}

}  // namespace ropewalk
