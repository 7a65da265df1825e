#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kAlpha{.key = "alpha", .rule = kPositive};
constexpr ScalingParameter kParameters[] = {kAlpha};

// HunYuan-VL: a fixed base, rope_theta alpha^(d/(d-2)), whose pairs four position axes share (the
// file's xdrope_section is RopeConfig::mrope_section, contiguous).
// Source: vLLM xdrope.py. modeling_hunyuan_vl.py of transformers 5.24 gives the two channels of a
// pair different axes (it doubles each section over cat(freqs, freqs)), which is no rotation: only
// where all axes agree, as they do for text, is it the same.
ScaledFrequencies make(const RopeConfig& config, int64_t) {
  const double base = ntk_base(config, parameter(config, kAlpha));
  check_base(config, base);
  return {.inv_freq = default_inv_freq(base, config.rotary_dim)};
}

}  // namespace

constinit const Scaling scaling::xdrope{.parameters = kParameters, .make = make};

}  // namespace ropewalk
