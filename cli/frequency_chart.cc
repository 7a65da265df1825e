#include "cli/frequency_chart.h"

#ifdef ROPEWALK_PLOTS

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/scaling_bands.h"

namespace ropewalk::cli {
namespace {

// log10 of the wavelength in positions; a pair that stands still has none.
plot::Series series_of(const std::string& name, const std::vector<double>& wavelengths) {
  plot::Series series{.name = name};
  for (size_t i = 0; i < wavelengths.size(); ++i) {
    series.x.push_back(static_cast<double>(i));
    series.y.push_back(std::isinf(wavelengths[i]) ? std::numeric_limits<double>::quiet_NaN()
                                                  : std::log10(wavelengths[i]));
  }
  return series;
}

plot::Series context_line(int64_t context, size_t pairs) {
  const double y = std::log10(static_cast<double>(context));
  return {.name = fmt::format("the context, {} positions", context),
          .x = {0, static_cast<double>(pairs - 1)},
          .y = {y, y}};
}

plot::LineChart rope_chart(const ModelEncoding& model, const RopeConfig& rope, int64_t seq_len) {
  const Wavelengths lengths = wavelengths(rope, seq_len);
  plot::LineChart chart{.x_label = "pair", .y_label = "log₁₀ of the wavelength in positions"};
  chart.series.push_back(series_of(rope.rope_type, lengths.scaled));
  if (!lengths.plain.empty()) chart.series.push_back(series_of("without scaling", lengths.plain));
  const int64_t context = std::max(seq_len, model.max_positions);
  if (context > 0) {
    chart.series.push_back(context_line(context, lengths.scaled.size()));
    chart.caption = "A pair above the context's line never completes a turn within it.";
  }
  return chart;
}

plot::LineChart alibi_chart(const AlibiConfig& alibi) {
  plot::Series slopes{.markers = true};
  for (const float slope : alibi_slopes(alibi)) {
    slopes.x.push_back(static_cast<double>(slopes.x.size()));
    slopes.y.push_back(slope);
  }
  return {.x_label = "head", .y_label = "slope, per position", .series = {slopes}};
}

}  // namespace

plot::LineChart frequency_chart(const ModelEncoding& model, int64_t layer, int64_t seq_len) {
  const PositionEncoding& encoding = layer_at(model, layer).positions;
  plot::LineChart chart;
  if (const auto* rope = std::get_if<RopeConfig>(&encoding)) {
    chart = rope_chart(model, *rope, seq_len);
  } else if (const auto* alibi = std::get_if<AlibiConfig>(&encoding)) {
    chart = alibi_chart(*alibi);
  } else {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: layer {}: expected rope or alibi to draw, found {}",
                            escaped(model.name), layer, name(encoding)));
  }
  chart.title = fmt::format("{}, layer {}", escaped(model.name), layer);
  return chart;
}

}  // namespace ropewalk::cli

#endif
