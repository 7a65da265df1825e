#pragma once

#include <cstdint>

#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/kv_cells.h"
#include "ropewalk/attention/within_memory.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk {

// Rows of zeros for a page.
KvRows make_kv_rows(const KvForm& form);

// Cells [first, first + count) as [count, heads, channels]; of i8 without their scales.
TensorView cells_of(const KvForm& form, KvRows& rows, int64_t first, int64_t count);
ConstTensorView cells_of(const KvForm& form, const KvRows& rows, int64_t first, int64_t count);

// Stores numbers [count, heads, channels] of f32, bf16 or f16 in the cells from `first` on, each
// rounded once. i8 as KvCache says.
void store(const KvForm& form, KvRows& rows, int64_t first, const ConstTensorView& numbers);

// Writes the numbers of the cells at `to`, [count, heads, channels], in f32 or the rows' own type,
// which is not i8.
void load(const KvForm& form, const KvRows& rows, int64_t first, int64_t count, DType dtype,
          std::byte* to);

// The numbers of the cells as they lie where `dtype` is theirs, else in f32, in `memory`.
ConstTensorView numbers_of(const KvForm& form, const KvRows& rows, int64_t first, int64_t count,
                           DType dtype, Tensor& memory);

void copy_cells(const KvForm& form, const KvRows& from, KvRows& to, int64_t first, int64_t count);
void move_cell(const KvForm& form, KvRows& rows, int64_t from, int64_t to);
bool same_cell(const KvForm& form, const KvRows& a, int64_t a_cell, const KvRows& b,
               int64_t b_cell);

// Stores `numbers` after rotate(Rotated) has turned them, in float32 where the types differ.
template <typename Rotate>
void store_rotated(const KvForm& form, KvRows& rows, int64_t first, const ConstTensorView& numbers,
                   Rotate rotate) {
  if (numbers.dtype == form.dtype) {
    return rotate(Rotated{numbers, cells_of(form, rows, first, numbers.shape[0])});
  }
  Tensor turned = converted(numbers, DType::f32);
  rotate(in_place(turned.view()));
  store(form, rows, first, turned.view());
}

}  // namespace ropewalk
