#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/pair_axes.h"
#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/spectrum/turns.h"

namespace ropewalk {
namespace {

double fixed_base(const RopeConfig& config) {
  const std::string_view type = canonical_rope_type(config.rope_type);
  const auto alpha = config.parameters.find("alpha");
  const bool has_alpha = alpha != config.parameters.end();
  if (config.lists.empty()) {
    if (type == "default") return config.rope_theta;
    if ((type == "dynamic" || type == "xdrope") && has_alpha && config.axis_dims.empty()) {
      return ntk_base(config, alpha->second);
    }
  }
  throw Error(
      ErrorCode::unsupported,
      fmt::format("ideal frequencies: expected rope_type default or a fixed base, and no "
                  "freq_factors, found rope_type {}{}",
                  type, config.lists.empty() ? "" : " with " + config.lists.begin()->first));
}

void append(const Spectrum& more, Spectrum& all) {
  const auto add = [](const auto& from, auto& to) {
    to.insert(to.end(), from.begin(), from.end());
  };
  add(more.inv_freq, all.inv_freq);
  add(more.turns.hi, all.turns.hi);
  add(more.turns.mid, all.turns.mid);
  add(more.turns.lo, all.turns.lo);
}

}  // namespace

Spectrum ideal_spectrum(const RopeConfig& config) {
  make_spectrum(config);  // checks the config
  const double base = fixed_base(config);
  const std::vector<int64_t> dims =
      config.axis_dims.empty() ? std::vector<int64_t>{config.rotary_dim} : config.axis_dims;
  Spectrum lists;
  for (int64_t dim : dims) append(ideal_spectrum(base, dim, dim / 2), lists);
  Spectrum spectrum;
  for (const PairSource& source : pair_sources(config)) {
    const auto i = static_cast<size_t>(source.frequency);
    spectrum.axis.push_back(source.axis);
    spectrum.inv_freq.push_back(config.reversed ? -lists.inv_freq[i] : lists.inv_freq[i]);
    spectrum.turns.hi.push_back(lists.turns.hi[i]);
    spectrum.turns.mid.push_back(lists.turns.mid[i]);
    spectrum.turns.lo.push_back(lists.turns.lo[i]);
    if (config.reversed) negate_last(spectrum.turns);
  }
  return spectrum;
}

}  // namespace ropewalk
