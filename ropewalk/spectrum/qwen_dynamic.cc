#include <algorithm>
#include <cmath>

#include "ropewalk/spectrum/common_parameters.h"
#include "ropewalk/spectrum/ntk_base.h"
#include "ropewalk/spectrum/parameter_reader.h"
#include "ropewalk/spectrum/powers.h"
#include "ropewalk/spectrum/scalings.h"

namespace ropewalk {
namespace {

constexpr ScalingParameter kSeqLength{.key = "seq_length", .rule = kTokens};
constexpr ScalingParameter kParameters[] = {kSeqLength};

// Qwen-1 with use_dynamic_ntk: the base grows in steps with the length of the sequence,
//   alpha = max(2^ceil(log2(seq_len / seq_length) + 1) - 1, 1)
//   inv_freq_i = 1 / (rope_theta alpha^(d/(d-2)))^(2i/d)
// where seq_length is the length the model was trained for. Worked number: seq_length 8192 and
// seq_len 20000 give alpha 7. The model computes alpha from the prompt, for each row of the batch,
// and keeps it while it generates: pass that length. Its use_logn_attn scales q and is no matter of
// the spectrum.
// Source: modeling_qwen.py of Qwen-7B, get_ntk_alpha and RotaryEmbedding, in Python's float64 up to
// the base.
ScaledFrequencies make(const RopeConfig& config, int64_t seq_len) {
  const double trained = parameter(config, kSeqLength);
  const auto length = static_cast<double>(std::max<int64_t>(seq_len, 1));
  // Python's math.log(x, 2).
  const double context = std::log(length / trained) / std::log(2.0) + 1;
  const double alpha = std::max(std::exp2(std::ceil(context)) - 1, 1.0);
  const double base = ntk_base(config, alpha);
  check_base(config, base);
  return {.inv_freq = default_inv_freq(base, config.rotary_dim)};
}

}  // namespace

constinit const Scaling scaling::qwen_dynamic{.parameters = kParameters, .make = make};

}  // namespace ropewalk
