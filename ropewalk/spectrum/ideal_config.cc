#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/ntk_base.h"
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
    if ((type == "dynamic" || type == "xdrope") && has_alpha) {
      return ntk_base(config, alpha->second);
    }
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("rope_type \"{}\": no ideal frequencies, expected default or a fixed "
                          "base and no freq_factors",
                          type));
}

}  // namespace

Spectrum ideal_spectrum(const RopeConfig& config) {
  const Spectrum stored = make_spectrum(config);
  const int64_t pairs = config.rotary_dim / 2;
  const Spectrum one_axis = ideal_spectrum(fixed_base(config), config.rotary_dim, pairs);
  Spectrum spectrum;
  spectrum.axis = stored.axis;
  for (size_t pair = 0; pair < stored.axis.size(); ++pair) {
    const size_t i = pair % static_cast<size_t>(pairs);
    spectrum.inv_freq.push_back(config.reversed ? -one_axis.inv_freq[i] : one_axis.inv_freq[i]);
    spectrum.turns.hi.push_back(one_axis.turns.hi[i]);
    spectrum.turns.mid.push_back(one_axis.turns.mid[i]);
    spectrum.turns.lo.push_back(one_axis.turns.lo[i]);
    if (config.reversed) negate_last(spectrum.turns);
  }
  return spectrum;
}

}  // namespace ropewalk
