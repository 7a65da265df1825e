#include "cli/frequencies.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/scaling_words.h"
#include "ropewalk/report/to_json.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

using nlohmann::ordered_json;

std::vector<size_t> pairs_to_print(size_t pairs, bool all) {
  std::vector<size_t> chosen;
  const size_t step = all || pairs <= 10 ? 1 : (pairs + 7) / 8;
  for (size_t i = 0; i < pairs; i += step) chosen.push_back(i);
  if (pairs > 0 && chosen.back() != pairs - 1) chosen.push_back(pairs - 1);
  return chosen;
}

std::vector<std::string> head_of(const SpectraByLength& found, bool axes) {
  std::vector<std::string> head = {"pair"};
  if (axes) head.emplace_back("position axis");
  head.emplace_back("inv_freq (rad per position)");
  head.emplace_back("wavelength (positions)");
  if (found.context > 0) head.push_back(fmt::format("turns in {} positions", found.context));
  if (found.in_context) head.push_back(fmt::format("inv_freq for {}", found.context));
  return head;
}

std::vector<std::string> row_of(const SpectraByLength& found, bool axes, size_t pair) {
  const double inv_freq = found.spectrum.inv_freq[pair];
  std::vector<std::string> row = {fmt::to_string(pair)};
  if (axes) row.push_back(fmt::to_string(found.spectrum.axis[pair]));
  row.push_back(fmt::format("{:.9g}", inv_freq));
  row.push_back(fmt::format("{:.6g}", wavelength(inv_freq)));
  if (found.context > 0) {
    // Of the frequencies that a sequence of this length has.
    const double of_context = found.in_context ? found.in_context->inv_freq[pair] : inv_freq;
    row.push_back(
        fmt::format("{:.4g}", static_cast<double>(found.context) / wavelength(of_context)));
  }
  if (found.in_context) row.push_back(fmt::format("{:.9g}", found.in_context->inv_freq[pair]));
  return row;
}

// The softmax scale is that of the layers, no matter of a part.
ScalingBands bands_of(const RopeConfig& rope, const Shown& shown, int64_t context) {
  ScalingBands bands = scaling_bands(rope, shown.seq_len, context);
  if (!shown.part.empty()) bands.softmax_factor = 1;
  return bands;
}

// Which sequences turn so.
void print_length(const SpectraByLength& found, const RopeConfig& rope, int64_t seq_len) {
  if (found.ignores_length) {
    fmt::print("--seq-len changes nothing: rope_type {} does not depend on the length\n",
               rope.rope_type);
  } else if (seq_len > 0) {
    fmt::print("inv_freq is that of a sequence of {} positions\n", seq_len);
  }
  if (!found.holds_until) return;
  fmt::print("inv_freq holds for sequences of up to {} positions; {} (--seq-len for another)\n",
             *found.holds_until,
             found.in_context
                 ? fmt::format("longer ones have others,\none of {} that of the last column",
                               found.context)
                 : "longer ones have others");
}

void print_rotation(const ModelEncoding& model, const RopeConfig& rope, const Shown& shown,
                    bool all) {
  const SpectraByLength found = spectra_by_length(rope, shown.seq_len, context_shown(model, shown));
  const bool axes = axis_count(found.spectrum) > 1;
  std::vector<std::vector<std::string>> rows = {head_of(found, axes)};
  for (const size_t pair : pairs_to_print(found.spectrum.inv_freq.size(), all)) {
    rows.push_back(row_of(found, axes, pair));
  }
  if (shown.layer > 0) fmt::print("\nLayer {}", shown.layer);
  if (!shown.part.empty()) fmt::print("\nPart {}", shown.part);
  fmt::print("\nFrequencies{}\n{}", all ? "" : " (some; --all prints every pair)",
             table(rows, std::vector<bool>(rows[0].size(), true)));
  print_length(found, rope, shown.seq_len);
  fmt::print("{}", in_words(bands_of(rope, shown, found.context), rope, found.context));
}

void print_slopes(const AlibiConfig& config) {
  const std::vector<float> slopes = alibi_slopes(config);
  std::vector<std::vector<std::string>> rows = {{"head", "slope"}};
  for (size_t h : pairs_to_print(slopes.size(), false)) {
    rows.push_back({fmt::format("{}", h), fmt::format("{}", slopes[h])});
  }
  const char* factor = config.form == AlibiForm::relative       ? "(key - query)"
                       : config.form == AlibiForm::key_position ? "key"
                                                                : "-|key - query|";
  fmt::print("\nALiBi slopes (slope x {} is added to a score{})\n{}", factor,
             config.before_scale ? ", before it is scaled" : "", table(rows, {true, true}));
}

ordered_json rotation_json(const ModelEncoding& model, const RopeConfig& rope, const Shown& shown) {
  const SpectraByLength found = spectra_by_length(rope, shown.seq_len, context_shown(model, shown));
  ordered_json rows = ordered_json::array();
  for (size_t i = 0; i < found.spectrum.inv_freq.size(); ++i) {
    const double length = wavelength(found.spectrum.inv_freq[i]);
    ordered_json row = {{"pair", i},
                        {"axis", found.spectrum.axis[i]},
                        {"inv_freq", found.spectrum.inv_freq[i]},
                        {"wavelength", length}};
    if (found.context > 0) {
      row["turns_in_context"] =
          static_cast<double>(found.context) /
          (found.in_context ? wavelength(found.in_context->inv_freq[i]) : length);
    }
    if (found.in_context) row["inv_freq_in_context"] = found.in_context->inv_freq[i];
    rows.push_back(row);
  }
  ordered_json json = {{"seq_len", nullptr},
                       {"context", nullptr},
                       {"attention_scaling", found.spectrum.attention_scaling},
                       {"frequencies", std::move(rows)}};
  if (shown.seq_len > 0) json["seq_len"] = shown.seq_len;
  json["holds_until"] = found.holds_until ? ordered_json(*found.holds_until) : nullptr;
  if (found.context > 0) json["context"] = found.context;
  json["scaling"] = to_json(bands_of(rope, shown, found.context));
  return json;
}

}  // namespace

const PositionEncoding& encoding_shown(const ModelEncoding& model, const Shown& shown) {
  static const PositionEncoding kNothing;
  if (shown.part.empty() && model.layers.empty()) return kNothing;
  return shown.part.empty() ? layer_at(model, shown.layer).positions
                            : part_option(model, shown.part).encoding;
}

int64_t context_shown(const ModelEncoding& model, const Shown& shown) {
  const auto axes = [](const PositionEncoding& encoding) {
    const auto* rope = std::get_if<RopeConfig>(&encoding);
    return rope == nullptr ? 0 : rope->position_axes;
  };
  const bool same_positions =
      shown.part.empty() ||
      std::any_of(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
        return axes(layer.positions) == axes(encoding_shown(model, shown));
      });
  return same_positions ? model.max_positions : 0;
}

void print_frequencies(const ModelEncoding& model, const Shown& shown, bool all) {
  const PositionEncoding& layer = encoding_shown(model, shown);
  if (const auto* rope = std::get_if<RopeConfig>(&layer)) print_rotation(model, *rope, shown, all);
  if (const auto* alibi = std::get_if<AlibiConfig>(&layer)) print_slopes(*alibi);
  const bool printed =
      std::holds_alternative<RopeConfig>(layer) || std::holds_alternative<AlibiConfig>(layer);
  if (!printed && !shown.part.empty()) {
    fmt::print("\nPart {}\n  {}\n", shown.part, in_a_line(layer));
  }
}

ordered_json frequencies_json(const ModelEncoding& model, const Shown& shown) {
  const PositionEncoding& layer = encoding_shown(model, shown);
  ordered_json json;
  if (model.layers.empty() && shown.part.empty()) {
    json["layer_shown"] = nullptr;
  } else if (shown.part.empty()) {
    json["layer_shown"] = shown.layer;
  } else {
    json["part_shown"] = shown.part;
  }
  if (const auto* rope = std::get_if<RopeConfig>(&layer)) {
    json.update(rotation_json(model, *rope, shown));
  }
  if (const auto* alibi = std::get_if<AlibiConfig>(&layer)) {
    json["alibi_slopes"] = json_numbers(alibi_slopes(*alibi));
  }
  return json;
}

}  // namespace ropewalk::cli
