#include "ropewalk/apply/alibi.h"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

constexpr int64_t kMaxHeads = int64_t{1} << 20;

void check(const AlibiConfig& config) {
  const auto fail = [](const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "alibi " + why);
  };
  if (config.heads < 1 || config.heads > kMaxHeads) {
    fail(fmt::format("heads: expected 1..{}, found {}", kMaxHeads, config.heads));
  }
  if (!std::isfinite(config.max_bias) || config.max_bias <= 0) {
    fail(fmt::format("max_bias: expected a positive number, found {}", config.max_bias));
  }
  if (config.first_head < 0 || config.first_head >= config.heads) {
    fail(fmt::format("first_head: expected 0..{}, found {}", config.heads - 1, config.first_head));
  }
  const int64_t most = config.heads - config.first_head;
  if (config.head_count < 0 || config.head_count > most) {
    fail(fmt::format("head_count: expected 0..{}, found {}", most, config.head_count));
  }
  if (config.dtype != DType::f32 && config.dtype != DType::bf16) {
    throw Error(ErrorCode::unsupported,
                fmt::format("alibi dtype: expected f32 or bf16, found {}", name(config.dtype)));
  }
}

float rounded(float value, DType dtype) {
  return dtype == DType::bf16 ? float_from_bf16(bf16_from_float(value)) : value;
}

// Head h (from 0) of the whole model. Both runs are powers of 2^(-max_bias / 2n): the first takes
// the even exponents, the second fills in the odd ones. The division comes last so that it is exact
// for every max_bias that is an integer.
float slope(const AlibiConfig& config, int64_t h) {
  const auto n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(config.heads)));
  const int64_t half_steps = h < n ? 2 * (h + 1) : 2 * (h - n) + 1;
  const double exponent =
      -config.max_bias * static_cast<double>(half_steps) / static_cast<double>(2 * n);
  return rounded(static_cast<float>(std::exp2(exponent)), config.dtype);
}

float distance(const AlibiConfig& config, int64_t q, int64_t k) {
  const auto difference = static_cast<float>(static_cast<double>(k) - static_cast<double>(q));
  float result = difference;
  if (config.form == AlibiForm::key_position) result = static_cast<float>(k);
  if (config.form == AlibiForm::symmetric) result = -std::fabs(difference);
  return rounded(result, config.dtype);
}

}  // namespace

int64_t alibi_heads(const AlibiConfig& config) {
  check(config);
  return config.head_count == 0 ? config.heads - config.first_head : config.head_count;
}

std::vector<float> alibi_slopes(const AlibiConfig& config) {
  std::vector<float> slopes(static_cast<size_t>(alibi_heads(config)));
  for (size_t h = 0; h < slopes.size(); ++h) {
    slopes[h] = slope(config, config.first_head + static_cast<int64_t>(h));
  }
  return slopes;
}

std::vector<float> alibi_score_slopes(const AlibiConfig& config, double softmax_scale) {
  std::vector<float> slopes = alibi_slopes(config);
  if (!config.before_scale) return slopes;
  for (float& value : slopes) value *= static_cast<float>(softmax_scale);
  return slopes;
}

Tensor alibi_bias(const AlibiConfig& config, std::span<const int64_t> query_positions,
                  std::span<const int64_t> key_positions, double softmax_scale) {
  const std::vector<float> slopes = alibi_slopes(config);
  Tensor bias = make_tensor(DType::f32, {static_cast<int64_t>(slopes.size()),
                                         static_cast<int64_t>(query_positions.size()),
                                         static_cast<int64_t>(key_positions.size())});
  auto* out = reinterpret_cast<float*>(bias.bytes.data());
  const float scale = config.before_scale ? static_cast<float>(softmax_scale) : 1;
  for (float head_slope : slopes) {
    for (int64_t q : query_positions) {
      for (int64_t k : key_positions) {
        *out++ = rounded(head_slope * distance(config, q, k), config.dtype) * scale;
      }
    }
  }
  return bias;
}

}  // namespace ropewalk
