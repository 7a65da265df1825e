#include "ropewalk/apply/bucket_bias.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(ErrorCode::invalid_argument, "bucket bias: " + what);
}

// Buckets of one direction, and how many of them hold one distance each.
struct Buckets {
  int64_t count, single;
};

Buckets buckets_of(const BucketBiasConfig& config) {
  const int64_t count = config.bidirectional ? config.buckets / 2 : config.buckets;
  const Buckets buckets{count, count / 2};
  if (count < 2) fail(fmt::format("expected 2 buckets or more a direction, found {}", count));
  if (config.max_distance <= buckets.single || config.max_distance > int64_t{1} << 24) {
    fail(fmt::format("expected a max_distance in {}..2^24, found {}", buckets.single + 1,
                     config.max_distance));
  }
  return buckets;
}

// a - b within -most..most; the difference itself may pass the ends of int64.
int64_t clamped_difference(int64_t a, int64_t b, int64_t most) {
  const uint64_t distance = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                  : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  const auto n = static_cast<int64_t>(std::min(distance, static_cast<uint64_t>(most)));
  return a > b ? n : -n;
}

// `distance` within -max_distance .. max_distance.
int64_t bucket_of(const BucketBiasConfig& config, const Buckets& buckets, int64_t distance) {
  const bool after = distance > 0;
  if (after && !config.bidirectional) return 0;
  const int64_t upper = after ? buckets.count : 0;
  const int64_t n = std::abs(distance);
  if (n < buckets.single) return upper + n;
  const auto single = static_cast<double>(buckets.single);
  const double place = std::log(static_cast<double>(n) / single) /
                       std::log(static_cast<double>(config.max_distance) / single) *
                       static_cast<double>(buckets.count - buckets.single);
  // A power that is met exactly (16, 32, 64 of 8 and 128) must not fall below its integer.
  const double nearest = std::round(place);
  const double whole = std::abs(place - nearest) < 0x1p-30 ? nearest : std::floor(place);
  return upper + std::min(buckets.count - 1, buckets.single + static_cast<int64_t>(whole));
}

const float* number(const ConstTensorView& table, int64_t bucket, int64_t head) {
  const int64_t at = bucket * table.strides[0] + head * table.strides[1];
  return static_cast<const float*>(table.data) + at;
}

void check_table(const BucketBiasConfig& config, const ConstTensorView& table) {
  const Dims expected{config.buckets, config.heads};
  if (table.shape == expected && table.dtype == DType::f32) return;
  fail(fmt::format("expected a table [buckets, heads] {} of f32, found {} of {}",
                   to_string(expected), to_string(table.shape), name(table.dtype)));
}

}  // namespace

int64_t relative_bucket(const BucketBiasConfig& config, int64_t distance) {
  const Buckets buckets = buckets_of(config);
  return bucket_of(config, buckets, clamped_difference(distance, 0, config.max_distance));
}

std::vector<float> bias_by_distance(const BucketBiasConfig& config, const ConstTensorView& table) {
  check_table(config, table);
  const Buckets buckets = buckets_of(config);
  const int64_t reach = config.max_distance, columns = 2 * reach + 1;
  std::vector<float> bias(static_cast<size_t>(config.heads * columns));
  for (int64_t d = -reach; d <= reach; ++d) {
    const int64_t bucket = bucket_of(config, buckets, d);
    for (int64_t h = 0; h < config.heads; ++h) {
      bias[static_cast<size_t>(h * columns + reach + d)] = *number(table, bucket, h);
    }
  }
  return bias;
}

Tensor bucket_bias(const BucketBiasConfig& config, const ConstTensorView& table,
                   std::span<const int64_t> query_positions,
                   std::span<const int64_t> key_positions) {
  check_table(config, table);
  const Buckets buckets = buckets_of(config);
  const auto queries = static_cast<int64_t>(query_positions.size()),
             keys = static_cast<int64_t>(key_positions.size());
  Tensor bias = make_tensor(DType::f32, {config.heads, queries, keys});
  auto* out = reinterpret_cast<float*>(bias.bytes.data());
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) {
      const int64_t distance =
          clamped_difference(key_positions[static_cast<size_t>(j)],
                             query_positions[static_cast<size_t>(i)], config.max_distance);
      const int64_t bucket = bucket_of(config, buckets, distance);
      for (int64_t h = 0; h < config.heads; ++h) {
        out[(h * queries + i) * keys + j] = *number(table, bucket, h);
      }
    }
  }
  return bias;
}

}  // namespace ropewalk
