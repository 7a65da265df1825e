#pragma once

#include "ropewalk/conventions/weight_names.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/weights/layer_reader.h"

namespace ropewalk {

// Where the rows of q, k and v lie within a fused tensor.
struct FusedRows {
  Rows q, k, v;
};

// Of a form that is one of fused, fused_per_head, fused_per_group, fused_or_per_head,
// fused_in_four.
FusedRows fused_rows(QkvForm form, const Layer& layer);

}  // namespace ropewalk
