#include "cli/frequencies.h"

#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/report/to_json.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

using nlohmann::ordered_json;

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
  json["scaling"] = to_json(bands_shown(rope, shown, found.context));
  return json;
}

}  // namespace

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
