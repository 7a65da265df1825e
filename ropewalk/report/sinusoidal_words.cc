#include "ropewalk/report/sinusoidal_words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/report/cause_words.h"

namespace ropewalk {
namespace {

constexpr CauseWords kWords[] = {
    {"sinusoidal", "order", "channels are {name}", "lay sines and cosines out as the model does"},
    {"sinusoidal", "half_minus_one", "frequencies are base^(-i / (d/2 - 1)), not base^(-i / (d/2))",
     "divide by d/2"},
    {"sinusoidal", "half", "frequencies are base^(-i / (d/2)), not base^(-i / (d/2 - 1))",
     "divide by d/2 - 1"},
    {"sinusoidal", "base", "the base is {found}, not {expected}", "set the base to {expected}"},
    {"sinusoidal", "offset", "{found} is added to positions, not {expected}",
     "add {expected} to each position (fairseq: padding_idx + 1)"},
    {"sinusoidal", "sign", "the sines have the other sign", "sin(p f), not sin(-p f)"},
    {"sinusoidal", "scale", "vectors are multiplied by {found}",
     "scale the token vectors, if at all, not those of positions"},
};

}  // namespace

std::string in_words(const SinusoidalDiagnosis& diagnosis) {
  return joined_words(kWords, diagnosis.causes, &CauseWords::sentence);
}

std::string what_to_change(const SinusoidalDiagnosis& diagnosis) {
  return joined_words(kWords, diagnosis.causes, &CauseWords::change);
}

std::string in_words(const SinusoidalForm& form) {
  std::string text = fmt::format("{}, {}^(-i / (d/2{}))", name(form.order), number_words(form.base),
                                 form.half_minus_one ? " - 1" : "");
  if (form.offset != 0) text += fmt::format(", {} added to positions", form.offset);
  if (form.minus_sin) text += ", minus the sines";
  if (form.scale != 1) text += fmt::format(", times {}", number_words(form.scale));
  return text;
}

std::string in_words(const FirstWrongChannel& first) {
  return fmt::format("row {} (position {}), channel {}: expected {:.4g}, found {:.4g}", first.row,
                     first.position, first.channel, first.expected, first.found);
}

nlohmann::ordered_json to_json(const SinusoidalDiagnosis& diagnosis) {
  constexpr const char* kVerdicts[] = {"consistent", "fault", "unexplained"};
  nlohmann::ordered_json json = {{"verdict", kVerdicts[static_cast<int>(diagnosis.verdict)]},
                                 {"residual_in_ulp", diagnosis.residual},
                                 {"dtype", name(diagnosis.dtype)},
                                 {"rows", diagnosis.rows},
                                 {"wrong_rows", diagnosis.wrong_rows},
                                 {"causes", nlohmann::ordered_json::array()}};
  for (const Cause& cause : diagnosis.causes) {
    nlohmann::ordered_json one = {{"hypothesis", cause.hypothesis}, {"variant", cause.variant}};
    if (!cause.name.empty()) one["name"] = cause.name;
    for (const auto& [key, value] : cause.numbers) one[std::string(key)] = value;
    json["causes"].push_back(std::move(one));
  }
  if (diagnosis.verdict == DumpDiagnosis::Verdict::fault) {
    json["in_words"] = in_words(diagnosis);
    json["change"] = what_to_change(diagnosis);
    json["found"] = in_words(diagnosis.found);
    json["found_residual_in_ulp"] = diagnosis.left;
  }
  return json;
}

}  // namespace ropewalk
