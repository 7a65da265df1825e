#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/attention/prepare_heads.h"
#include "ropewalk/base/tensor_layout.h"
#include "ropewalk/diagnose/diagnose_dumps.h"

namespace ropewalk {

// The scores of a layer as a program dumped them, and what it made them of.
struct ScoreDump {
  ConstTensorView scores;  // [B, H, Sq, Sk] or [H, Sq, Sk]; f32, bf16 or f16
  ConstTensorView q, k;    // the queries are the last Sq of Sk tokens
  TensorLayout layout = TensorLayout::bshd;
  PositionIds positions;       // of the keys
  bool rotated = false;        // q and k are as the product takes them
  bool after_softmax = false;  // each row of scores went through the softmax
  HeadNorms norms;
  ConstTensorView bucket_bias{};  // of a BucketBiasConfig
  ConstTensorView key_mask{};     // as AttentionOptions
  int64_t prefix = 0;             // tokens of the prompt that all see, where the mask is prefix
  int64_t seq_len = 0;            // that the scaling takes; 0: 1 + the largest position
};

// Faults, of one kind each, that would have made the scores.
struct ScoreFinding {
  std::vector<Cause> causes;
  double residual = 0;  // what it leaves, in ULP of the dump: root mean square
};

struct FirstWrongScore {
  int64_t batch = 0, head = 0, query = 0, key = 0;
  double expected = 0, found = 0;  // -infinity: hidden
};

struct ScoreDiagnosis {
  DumpDiagnosis::Verdict verdict = DumpDiagnosis::Verdict::consistent;
  std::vector<ScoreFinding> findings;  // at most 3, the likeliest first
  // What the layer's own scores leave, in ULP of the products that they are sums of: root mean
  // square over the keys that both see.
  double residual = 0;
  DType dtype = DType::f32;           // the coarsest of q, k and the scores
  int64_t queries = 0, compared = 0;  // of each sequence
  int64_t wrong = 0;                  // numbers of those compared
  std::optional<FirstWrongScore> first_wrong;
};

// Compares the scores with those of the layer,
//   s = softcap(q.k scale) + bias over the keys that mask, window and chunk leave,
// and looks for the fault: for q and k turned in the ways in use, scale and bias follow from least
// squares. Scores of -infinity, or of -9000 and less where the layer's are not, are hidden keys.
// After the softmax the logarithms of a row are compared up to a constant. Up to 2^22 numbers are
// compared, of evenly spaced queries (two at least), and some 2^17 searched: memory beside the
// dumps under 150 MB, or 80 bytes for each of B H Sk. Throws invalid_argument for shapes and
// types that do not fit and for NaN among the scores, unsupported as check_computed, and as
// scores_of.
ScoreDiagnosis diagnose_scores(const ScoreDump& dump, const ModelEncoding& model,
                               const Layer& layer);

}  // namespace ropewalk
