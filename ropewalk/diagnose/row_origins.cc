#include "ropewalk/diagnose/row_origins.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

float rounded(float value, DType dtype) {
  if (dtype == DType::bf16) return float_from_bf16(bf16_from_float(value));
  return dtype == DType::f16 ? float_from_f16(f16_from_float(value)) : value;
}

// FNV-1a of the numbers of a row, rounded to a type; 0 and -0 are one.
uint64_t hash_of(const float* row, int64_t columns, DType dtype) {
  uint64_t hash = 0xCBF29CE484222325U;
  for (int64_t c = 0; c < columns; ++c) {
    const float value = rounded(row[c], dtype);
    hash = (hash ^ (value == 0 ? 0 : std::bit_cast<uint32_t>(value))) * 0x100000001B3U;
  }
  return hash;
}

// Rows that are alike have several numbers.
using Numbers = std::unordered_multimap<uint64_t, int64_t>;

// That of rows that are alike which stands where the heads say, else the first.
int64_t row_of(const Numbers& known, uint64_t hash, int64_t likely) {
  const auto [first, last] = known.equal_range(hash);
  int64_t least = -1;
  for (auto each = first; each != last; ++each) {
    if (each->second == likely) return likely;
    if (least < 0 || each->second < least) least = each->second;
  }
  return least;
}

// The head of A that each head of B is; none where one is torn apart.
std::vector<int64_t> head_order_of(const RowOrigins& origins, int64_t own_rows,
                                   const std::vector<int64_t>& channels) {
  const int64_t dim = std::ssize(channels);
  std::vector<int64_t> order;
  for (size_t row = 0; row < origins.source.size(); ++row) {
    const int64_t from = origins.source[row];
    const auto place = static_cast<int64_t>(row) % dim;
    if (from < 0 || from >= own_rows) return {};
    if (place == 0) order.push_back(from / dim);
    if (from != order.back() * dim + channels[static_cast<size_t>(place)]) return {};
  }
  return order;
}

}  // namespace

RowOrigins row_origins(const CheckpointRows& own, const CheckpointRows& other,
                       const CheckpointRows& b, const std::vector<int64_t>& channels) {
  DType coarser = DType::f32;
  for (const CheckpointRows* rows : {&own, &other, &b}) {
    if (rows->dtype == DType::bf16 || (rows->dtype == DType::f16 && coarser == DType::f32)) {
      coarser = rows->dtype;
    }
  }
  Numbers known;
  for (int64_t r = 0; r < own.count; ++r)
    known.emplace(hash_of(own.row(r), own.columns, coarser), r);
  for (int64_t r = 0; r < other.count && other.columns == own.columns; ++r) {
    known.emplace(hash_of(other.row(r), other.columns, coarser), own.count + r);
  }
  RowOrigins result;
  const int64_t dim = std::ssize(channels);
  int64_t head = 0;
  for (int64_t r = 0; r < b.count; ++r) {
    // The rest of a head is where its first row was found.
    const int64_t likely =
        (r % dim == 0 ? r / dim : head) * dim + channels[static_cast<size_t>(r % dim)];
    const int64_t from = row_of(known, hash_of(b.row(r), b.columns, coarser), likely);
    if (r % dim == 0) head = from / dim;
    result.source.push_back(from);
    if (from >= 0) ++result.found;
    if (from >= own.count) ++result.of_other;
  }
  result.head_order = head_order_of(result, own.count, channels);
  return result;
}

}  // namespace ropewalk
