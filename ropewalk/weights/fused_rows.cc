#include "ropewalk/weights/fused_rows.h"

#include <cstdint>

namespace ropewalk {

FusedRows fused_rows(QkvForm form, const Layer& layer) {
  const int64_t d = layer.head_dim, e = layer.value_dim, q = layer.heads * d,
                k = layer.kv_heads * d, v = layer.kv_heads * e;
  const bool per_head = form == QkvForm::fused_per_head ||
                        (form == QkvForm::fused_or_per_head && layer.heads == layer.kv_heads);
  if (per_head) {
    const int64_t step = 2 * d + e;
    return {{0, d, step, layer.heads}, {d, d, step, layer.heads}, {2 * d, e, step, layer.heads}};
  }
  if (form == QkvForm::fused_per_group) {
    const int64_t queries = layer.heads / layer.kv_heads * d, step = queries + d + e;
    return {{0, queries, step, layer.kv_heads},
            {queries, d, step, layer.kv_heads},
            {queries + d, e, step, layer.kv_heads}};
  }
  if (form == QkvForm::fused_in_four) {
    const int64_t part = q / 4;
    return {{0, part, 3 * part, 4}, {2 * part, part, 3 * part, 4}, {part, part, 3 * part, 4}};
  }
  return {{0, q, 0, 1}, {q, k, 0, 1}, {q + k, v, 0, 1}};
}

}  // namespace ropewalk
