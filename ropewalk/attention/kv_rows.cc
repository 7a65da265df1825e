#include "ropewalk/attention/kv_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "ropewalk/base/half.h"

namespace ropewalk {
namespace {

int64_t row_bytes(const KvForm& form) {
  return form.channels * static_cast<int64_t>(size_in_bytes(form.dtype));
}

int64_t row_of(const KvForm& form, int64_t head, int64_t cell) {
  return head * form.page_size + cell;
}

std::byte* row(const KvForm& form, KvRows& rows, int64_t head, int64_t cell) {
  return reinterpret_cast<std::byte*>(rows.memory.data()) +
         row_of(form, head, cell) * row_bytes(form);
}

const std::byte* row(const KvForm& form, const KvRows& rows, int64_t head, int64_t cell) {
  return reinterpret_cast<const std::byte*>(rows.memory.data()) +
         row_of(form, head, cell) * row_bytes(form);
}

float& scale(const KvForm& form, KvRows& rows, int64_t head, int64_t cell) {
  return rows.scales[static_cast<size_t>(row_of(form, head, cell))];
}

float scale(const KvForm& form, const KvRows& rows, int64_t head, int64_t cell) {
  return rows.scales[static_cast<size_t>(row_of(form, head, cell))];
}

// The scale of a row of numbers, of which `codes` become the multiples. Both loops are such that a
// compiler makes vectors of them.
float quantize(const float* numbers, int64_t count, int8_t* codes) {
  uint32_t largest = 0;  // magnitudes are ordered as their bits
  for (int64_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<uint32_t>(numbers[i]) & 0x7FFFFFFF);
  }
  if (!std::isfinite(std::bit_cast<float>(largest))) {
    std::memset(codes, 1, static_cast<size_t>(count));
    return std::numeric_limits<float>::quiet_NaN();
  }
  // The least normal number: below it the scale itself would have lost its digits.
  float scale = std::max(std::bit_cast<float>(largest) / 127, std::numeric_limits<float>::min());
  // Of the largest floats the quotient may have been rounded up, and 127 of it lie beyond them.
  if (!std::isfinite(127 * scale)) scale = std::nextafter(scale, 0.0F);
  // The quotients are within 127 and some 2^-23: 1.5 2^23 rounds them to integers, ties to even.
  constexpr float kIntegers = 0x1.8p23F;
  for (int64_t i = 0; i < count; ++i) {
    codes[i] =
        static_cast<int8_t>(static_cast<int32_t>((numbers[i] / scale + kIntegers) - kIntegers));
  }
  return scale;
}

void store_i8(const KvForm& form, KvRows& rows, int64_t first, const ConstTensorView& numbers) {
  Tensor floats;
  if (numbers.dtype != DType::f32 || !is_contiguous(numbers)) {
    floats = converted(numbers, DType::f32);
  }
  const auto* from =
      static_cast<const float*>(floats.bytes.empty() ? numbers.data : floats.bytes.data());
  for (int64_t t = 0; t < numbers.shape[0]; ++t) {
    for (int64_t h = 0; h < form.heads; ++h, from += form.channels) {
      auto* codes = reinterpret_cast<int8_t*>(row(form, rows, h, first + t));
      scale(form, rows, h, first + t) = quantize(from, form.channels, codes);
    }
  }
}

// A row in f32.
void to_floats(const KvForm& form, const std::byte* from, float step, float* to) {
  const auto* const codes = reinterpret_cast<const int8_t*>(from);
  const auto* const halves = reinterpret_cast<const uint16_t*>(from);
  const int64_t count = form.channels;
  if (form.dtype == DType::i8) {
    for (int64_t c = 0; c < count; ++c) to[c] = step * static_cast<float>(codes[c]);
  } else if (form.dtype == DType::bf16) {
    for (int64_t c = 0; c < count; ++c) to[c] = float_from_bf16(halves[c]);
  } else {
    for (int64_t c = 0; c < count; ++c) to[c] = float_from_f16(halves[c]);
  }
}

TensorView view_of(const KvForm& form, void* data, int64_t count) {
  return {{data,
           form.dtype,
           {count, form.heads, form.channels},
           {form.channels, form.page_size * form.channels, 1}}};
}

}  // namespace

KvRows make_kv_rows(const KvForm& form) {
  constexpr auto kLine = static_cast<int64_t>(sizeof(KvLine));
  const int64_t count = form.heads * form.page_size;
  KvRows rows;
  rows.memory.resize(static_cast<size_t>((count * row_bytes(form) + kLine - 1) / kLine));
  if (form.dtype == DType::i8) rows.scales.resize(static_cast<size_t>(count));
  return rows;
}

TensorView cells_of(const KvForm& form, KvRows& rows, int64_t first, int64_t count) {
  return view_of(form, row(form, rows, 0, first), count);
}

ConstTensorView cells_of(const KvForm& form, const KvRows& rows, int64_t first, int64_t count) {
  return view_of(form, const_cast<std::byte*>(row(form, rows, 0, first)), count);
}

void store(const KvForm& form, KvRows& rows, int64_t first, const ConstTensorView& numbers) {
  if (form.dtype == DType::i8) return store_i8(form, rows, first, numbers);
  if (numbers.dtype != form.dtype) {
    return store(form, rows, first, converted(numbers, form.dtype).view());
  }
  const auto size = static_cast<int64_t>(size_in_bytes(form.dtype));
  const auto* const data = static_cast<const std::byte*>(numbers.data);
  for (int64_t t = 0; t < numbers.shape[0]; ++t) {
    for (int64_t h = 0; h < form.heads; ++h) {
      const auto* from = data + (t * numbers.strides[0] + h * numbers.strides[1]) * size;
      std::byte* to = row(form, rows, h, first + t);
      if (numbers.strides[2] == 1) {
        std::memcpy(to, from, static_cast<size_t>(row_bytes(form)));
        continue;
      }
      for (int64_t c = 0; c < form.channels; ++c) {
        std::memcpy(to + c * size, from + c * numbers.strides[2] * size, static_cast<size_t>(size));
      }
    }
  }
}

void load(const KvForm& form, const KvRows& rows, int64_t first, int64_t count, DType dtype,
          std::byte* to) {
  const int64_t bytes = form.channels * static_cast<int64_t>(size_in_bytes(dtype));
  for (int64_t t = first; t < first + count; ++t) {
    for (int64_t h = 0; h < form.heads; ++h, to += bytes) {
      const std::byte* const from = row(form, rows, h, t);
      if (form.dtype == dtype) {
        std::memcpy(to, from, static_cast<size_t>(bytes));
      } else {
        const float step = form.dtype == DType::i8 ? scale(form, rows, h, t) : 1;
        to_floats(form, from, step, reinterpret_cast<float*>(to));
      }
    }
  }
}

ConstTensorView numbers_of(const KvForm& form, const KvRows& rows, int64_t first, int64_t count,
                           DType dtype, Tensor& memory) {
  if (form.dtype == dtype && dtype != DType::i8) return cells_of(form, rows, first, count);
  memory = make_tensor(DType::f32, {count, form.heads, form.channels});
  load(form, rows, first, count, DType::f32, memory.bytes.data());
  return std::as_const(memory).view();
}

void copy_cells(const KvForm& form, const KvRows& from, KvRows& to, int64_t first, int64_t count) {
  for (int64_t h = 0; h < form.heads; ++h) {
    std::memcpy(row(form, to, h, first), row(form, from, h, first),
                static_cast<size_t>(count * row_bytes(form)));
    if (from.scales.empty()) continue;
    std::copy_n(&from.scales[static_cast<size_t>(row_of(form, h, first))], count,
                &to.scales[static_cast<size_t>(row_of(form, h, first))]);
  }
}

void move_cell(const KvForm& form, KvRows& rows, int64_t from, int64_t to) {
  if (rows.is_empty()) return;
  for (int64_t h = 0; h < form.heads; ++h) {
    std::memcpy(row(form, rows, h, to), row(form, rows, h, from),
                static_cast<size_t>(row_bytes(form)));
    if (!rows.scales.empty()) scale(form, rows, h, to) = scale(form, rows, h, from);
  }
}

bool same_cell(const KvForm& form, const KvRows& a, int64_t a_cell, const KvRows& b,
               int64_t b_cell) {
  for (int64_t h = 0; h < form.heads; ++h) {
    if (std::memcmp(row(form, a, h, a_cell), row(form, b, h, b_cell),
                    static_cast<size_t>(row_bytes(form))) != 0) {
      return false;
    }
    if (a.scales.empty()) continue;
    // Bits: the scale of a row that is NaN equals itself.
    if (std::bit_cast<uint32_t>(scale(form, a, h, a_cell)) !=
        std::bit_cast<uint32_t>(scale(form, b, h, b_cell))) {
      return false;
    }
  }
  return true;
}

}  // namespace ropewalk
