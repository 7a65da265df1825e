#pragma once

#include <cstdint>
#include <string_view>

#include "ropewalk/base/parallel_for.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/tables/angle_mode.h"

namespace ropewalk {

// How the numbers c_0 ... c_{P-1} of the pairs lie in a row of C numbers.
enum class RowForm {
  half,         // c_0 c_1 ... c_{P-1}, C = P: once for each pair (vLLM, ONNX)
  doubled,      // c_0 ... c_{P-1} c_0 ... c_{P-1}, C = 2P, in each window of the layout by itself:
                // cat(freqs, freqs) of Hugging Face, for pairs that are half_split
  interleaved,  // c_0 c_0 c_1 c_1 ..., C = 2P: repeat_interleave(2), for pairs of neighbours
                // (GPT-J, Cohere, diffusers)
};

std::string_view name(RowForm form);

// Throws invalid_argument listing the names for any other text.
RowForm row_form_from_name(std::string_view text);

// cos and sin of tokens, each [S, C] or [B, S, C].
struct CosSin {
  Tensor cos, sin;
};

struct CosSinOptions {
  AngleMode mode = AngleMode::exact;
  RowForm form = RowForm::half;
  DType dtype = DType::f32;  // or bf16, f16
  int64_t seq_len = 0;       // of make_spectrum
  Parallel parallel;
};

// attention_scaling cos(p w) and attention_scaling sin(p w) of each pair for tokens at any
// positions, i4 or i8 [S], [B, S] or [axes, B, S] as in PositionIds: the tables that another
// program computes or expects. exact and ideal: the exact value rounded once to the dtype. The
// other modes: float32 as make_table has it, rounded again to a 16-bit dtype, as cos.to(dtype) of
// the models' code. Worked number: inv_freq [1, 0.01], positions [1], doubled: cos [0.540302,
// 0.99995, 0.540302, 0.99995]. Throws as make_spectrum, and as PositionReader for the ids;
// unsupported for another dtype, in ideal for a rope_type that does more than change the base, in
// ggml_float32 for several axes, in every float mode for frequencies kept in f64; resource_limit
// past 2^40 bytes.
CosSin cos_sin(const RopeConfig& config, const ConstTensorView& position_ids,
               const CosSinOptions& options = {});

// cos + i sin as the two numbers of a complex one, [..., C, 2] of the same dtype: freqs_cis of
// Meta's LLaMA (torch.view_as_complex), of rows in form half.
Tensor as_complex(const CosSin& rows);

}  // namespace ropewalk
