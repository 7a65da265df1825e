#include "ropewalk/parallel/key_numbers.h"

#include "ropewalk/base/half.h"

namespace ropewalk {

bool counts_keys(const AttentionOptions& options) {
  return !options.alibi_slopes.empty() && options.alibi_form == AlibiForm::key_position;
}

std::vector<int64_t> key_numbers(const RingSequences& sequences, const RingShard& shard,
                                 int64_t s) {
  const auto at = static_cast<size_t>(s);
  const int64_t first = sequences.key_starts[at];
  std::vector<int64_t> numbers;
  int64_t hidden = 0, counted = first;  // hidden keys of those before `counted`
  for (int64_t i = shard.starts[at]; i < shard.starts[at + 1]; ++i) {
    const int64_t row = shard.rows[static_cast<size_t>(i)];
    for (; counted < row && !sequences.key_shown.empty(); ++counted) {
      hidden += sequences.key_shown[static_cast<size_t>(counted)] == 0 ? 1 : 0;
    }
    numbers.push_back(row - first - hidden);
  }
  return numbers;
}

std::vector<float> key_position_bias(const AttentionOptions& options,
                                     const std::vector<int64_t>& numbers) {
  const auto rounded = [&](float x) {
    return options.alibi_bf16 ? float_from_bf16(bf16_from_float(x)) : x;
  };
  const auto scale = static_cast<float>(options.alibi_scale);
  std::vector<float> bias;
  for (const float slope : options.alibi_slopes) {
    for (const int64_t number : numbers) {
      bias.push_back(rounded(rounded(slope) * rounded(static_cast<float>(number))) * scale);
    }
  }
  return bias;
}

}  // namespace ropewalk
