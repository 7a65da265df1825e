#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ropewalk/base/dtype.h"

namespace ropewalk {

// A cache line: what memory of them begins at.
struct alignas(64) KvLine {
  std::byte bytes[64];
};

// How the rows of k, or of v, lie in a page: [heads, page_size, channels] of a type; i8 with a
// float32 scale for each row, [heads, page_size].
struct KvForm {
  DType dtype = DType::f32;
  int64_t heads = 0, page_size = 0, channels = 0;
};

struct KvForms {
  KvForm stored, k, v;  // k as it is stored and as it is read; they differ where raw keys are kept
  int64_t axes = 1;
};

struct KvRows {
  std::vector<KvLine> memory;
  std::vector<float> scales;

  bool is_empty() const { return memory.empty(); }
};

// What a KvCache holds of up to page_size tokens. A cell keeps where it began and where it is; what
// is read follows from both in one step.
struct KvCells {
  int64_t count = 0;
  std::vector<int64_t> base;       // [axes, page_size]: position when it was appended
  std::vector<int64_t> positions;  // [axes, page_size]: position now
  std::vector<size_t> spectrum;    // [page_size]: of its sequence's, which turned `stored`
  KvRows stored;                   // k turned to `base`; where raw keys are kept, those
  KvRows turned;                   // k turned to `positions`; empty: it is `stored`
  KvRows v;
};

}  // namespace ropewalk
