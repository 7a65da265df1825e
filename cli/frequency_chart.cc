#include "cli/frequency_chart.h"

#ifdef ROPEWALK_PLOTS

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/rotation_decay.h"
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

constexpr const char* kAbove = "A pair above the context's line never completes a turn within it.";

plot::LineChart wavelength_axes() {
  return {.x_label = "pair", .y_label = "log₁₀ of the wavelength in positions"};
}

plot::LineChart rope_chart(const RopeConfig& rope, int64_t seq_len, int64_t context) {
  const Wavelengths lengths = wavelengths(rope, seq_len);
  plot::LineChart chart = wavelength_axes();
  chart.series.push_back(series_of(rope.rope_type, lengths.scaled));
  if (!lengths.plain.empty()) chart.series.push_back(series_of("without scaling", lengths.plain));
  if (context > 0) {
    chart.series.push_back(context_line(context, lengths.scaled.size()));
    chart.caption = kAbove;
  }
  return chart;
}

plot::Series slopes_of(const AlibiConfig& alibi) {
  plot::Series slopes{.markers = true};
  for (const float slope : alibi_slopes(alibi)) {
    slopes.x.push_back(static_cast<double>(slopes.x.size()));
    slopes.y.push_back(slope);
  }
  return slopes;
}

plot::LineChart slope_axes() { return {.x_label = "head", .y_label = "slope, per position"}; }

std::string place_of(const Shown& shown) {
  return shown.part.empty() ? fmt::format("layer {}", shown.layer) : "part " + shown.part;
}

[[noreturn]] void refuse(const ModelEncoding& model, const Shown& shown,
                         std::string_view expected) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: {}: expected {} to draw, found {}", escaped(model.name),
                          place_of(shown), expected, name(encoding_shown(model, shown))));
}

// Adds what one of two models has to their chart.
void add_wavelengths(const ModelEncoding& model, const Shown& shown, plot::LineChart& chart) {
  const auto* rope = std::get_if<RopeConfig>(&encoding_shown(model, shown));
  if (rope == nullptr) refuse(model, shown, "rope, as of the other model,");
  const std::vector<double> lengths = wavelengths(*rope, shown.seq_len).scaled;
  chart.series.push_back(series_of(escaped(model.name), lengths));
}

}  // namespace

plot::LineChart frequency_chart(const ModelEncoding& model, const Shown& shown) {
  const PositionEncoding& encoding = encoding_shown(model, shown);
  plot::LineChart chart;
  if (const auto* rope = std::get_if<RopeConfig>(&encoding)) {
    chart = rope_chart(*rope, shown.seq_len, std::max(shown.seq_len, context_shown(model, shown)));
  } else if (const auto* alibi = std::get_if<AlibiConfig>(&encoding)) {
    chart = slope_axes();
    chart.series.push_back(slopes_of(*alibi));
  } else {
    refuse(model, shown, "rope or alibi");
  }
  chart.title = fmt::format("{}, {}", escaped(model.name), place_of(shown));
  return chart;
}

plot::LineChart frequency_chart(const ModelEncoding& a, const ModelEncoding& b,
                                const Shown& shown) {
  plot::LineChart chart;
  if (std::holds_alternative<AlibiConfig>(encoding_shown(a, shown))) {
    chart = slope_axes();
    for (const ModelEncoding* model : {&a, &b}) {
      const auto* alibi = std::get_if<AlibiConfig>(&encoding_shown(*model, shown));
      if (alibi == nullptr) refuse(*model, shown, "alibi, as of the other model,");
      chart.series.push_back(slopes_of(*alibi));
      chart.series.back().name = escaped(model->name);
    }
  } else {
    chart = wavelength_axes();
    add_wavelengths(a, shown, chart);
    add_wavelengths(b, shown, chart);
    std::vector<int64_t> contexts = {std::max(shown.seq_len, a.max_positions),
                                     std::max(shown.seq_len, b.max_positions)};
    if (contexts[0] == contexts[1]) contexts.pop_back();
    const size_t pairs = std::max(chart.series[0].x.size(), chart.series[1].x.size());
    for (const int64_t context : contexts) {
      if (context > 0) chart.series.push_back(context_line(context, pairs));
    }
    if (chart.series.size() > 2) chart.caption = kAbove;
  }
  chart.title = fmt::format("Two models, {}", place_of(shown));
  return chart;
}

plot::LineChart decay_chart(const std::vector<const ModelEncoding*>& models, const Shown& shown) {
  plot::LineChart chart{
      .title = fmt::format("{}, {}: q·k of equal q and k",
                           models.size() == 1 ? escaped(models[0]->name) : "Two models",
                           place_of(shown)),
      .x_label = "distance m − n (positions)",
      .y_label = "q·k divided by q·q",
      .log_x = true,
      .caption = "q = k = (1, 1, ..., 1)."};
  for (const ModelEncoding* model : models) {
    const auto* rope = std::get_if<RopeConfig>(&encoding_shown(*model, shown));
    if (rope == nullptr) refuse(*model, shown, "rope");
    const int64_t context = std::max(shown.seq_len, context_shown(*model, shown));
    const int64_t last = context > 0 ? context : 4096;
    std::vector<int64_t> distances;
    for (int64_t d = 1; d <= last; d += 1 + d / 256) distances.push_back(d);
    plot::Series series{.name = models.size() == 1 ? "" : escaped(model->name),
                        .x = {distances.begin(), distances.end()},
                        .y = rotation_decay(*rope, distances, shown.seq_len)};
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace ropewalk::cli

#endif
