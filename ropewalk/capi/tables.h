// Tables of cos and sin, sinusoidal vectors, ALiBi. Include ropewalk.h.
#ifndef ROPEWALK_CAPI_TABLES_H_
#define ROPEWALK_CAPI_TABLES_H_

#include "ropewalk/capi/model.h"
#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// How the numbers c_0 ... c_{P-1} of the P pairs lie in a row of C numbers.
typedef enum ropewalk_row_form {
  // c_0 c_1 ... c_{P-1}, C = P: vLLM, ONNX
  ROPEWALK_FORM_HALF = 0,
  // c_0 ... c_{P-1} c_0 ... c_{P-1}, C = 2P: cat(freqs, freqs) of Hugging Face
  ROPEWALK_FORM_DOUBLED = 1,
  // c_0 c_0 c_1 c_1 ..., C = 2P: repeat_interleave(2), for pairs of neighbours
  ROPEWALK_FORM_INTERLEAVED = 2
} ropewalk_row_form;

// How the angle, position times inv_freq, is computed: exactly, or as another program does.
typedef enum ropewalk_angles {
  ROPEWALK_ANGLES_EXACT = 0,           // inv_freq as the model has it, the product exact
  ROPEWALK_ANGLES_IDEAL = 1,           // inv_freq without any rounding, the product exact
  ROPEWALK_ANGLES_HF_FLOAT32 = 2,      // float32(p w): transformers, Meta
  ROPEWALK_ANGLES_GGML_FLOAT32 = 3,    // float32(theta base^(-2/d)) from pair to pair: llama.cpp
  ROPEWALK_ANGLES_BF16_FREQUENCY = 4,  // float32(p bf16(w)): model.bfloat16()
  ROPEWALK_ANGLES_BF16_POSITION = 5,   // bf16(bf16(p) bf16(w))
  ROPEWALK_ANGLES_FP16 = 6,            // f16(f16(p) f16(w)): model.half()
  ROPEWALK_ANGLES_TF32 = 7             // float32(tf32(p) tf32(w))
} ropewalk_angles;

typedef struct ropewalk_cos_sin_options {
  size_t struct_size;
  int32_t form;    // a ropewalk_row_form
  int32_t angles;  // a ropewalk_angles
  int32_t threads;
} ropewalk_cos_sin_options;
#define ROPEWALK_COS_SIN_OPTIONS \
  { sizeof(ropewalk_cos_sin_options), ROPEWALK_FORM_HALF, ROPEWALK_ANGLES_EXACT, 0 }

// cos(p w) and sin(p w) of each pair, times attention_scaling, into the caller's cos and sin: both
// [S, C] ([B, S, C] for ids [B, S] or [axes, B, S]) of f32, bf16 or f16, any strides. Exact angles:
// correctly rounded to that dtype, once. Worked number: inv_freq 1, 0.01, position 1: cos 0.540302,
// 0.99995. options may be NULL. Errors: invalid_argument; unsupported for angles that the rope has
// not, and for a rope made with seq_len 0 whose sequences have frequencies of their own.
ROPEWALK_CHECKED ropewalk_status ropewalk_cos_sin(const ropewalk_rope* rope,
                                                  const ropewalk_positions* positions,
                                                  const ropewalk_tensor* cos,
                                                  const ropewalk_tensor* sin,
                                                  const ropewalk_cos_sin_options* options);

// Order of the channels of a sinusoidal vector of d channels.
typedef enum ropewalk_sinusoidal_layout {
  // sin cos sin cos ..., frequencies base^(-2i/d): "Attention Is All You Need"
  ROPEWALK_SINUSOIDAL_INTERLEAVED = 0,
  ROPEWALK_SINUSOIDAL_SIN_COS = 1,  // sin ... cos ..., the same frequencies: Marian, Pegasus
  ROPEWALK_SINUSOIDAL_FAIRSEQ = 2,  // sin ... cos ..., base^(-i/(d/2 - 1)): M2M100, NLLB
  ROPEWALK_SINUSOIDAL_COS_SIN = 3   // cos ... sin ..., as fairseq: MusicGen
} ropewalk_sinusoidal_layout;

typedef struct ropewalk_sinusoidal_options {
  size_t struct_size;
  int32_t layout;  // a ropewalk_sinusoidal_layout
  int32_t threads;
  double base;
  int64_t offset;            // added to each position (fairseq: padding_idx + 1)
  int64_t padding_position;  // after the offset: its row is zero; -1: none
} ropewalk_sinusoidal_options;
#define ROPEWALK_SINUSOIDAL_OPTIONS \
  { sizeof(ropewalk_sinusoidal_options), ROPEWALK_SINUSOIDAL_INTERLEAVED, 0, 10000.0, 0, -1 }

// pe(p, 2i) = sin(p / base^(2i/d)), pe(p, 2i+1) = cos(p / base^(2i/d)), or the other orders, into
// out [S, d] ([B, S, d] for ids [B, S]), f32, bf16 or f16, each number correctly rounded once.
// Worked number: d 4, position 1: 0.841471, 0.540302, 0.0099998, 0.99995. options may be NULL.
// Errors: invalid_argument for shapes that do not fit the positions.
ROPEWALK_CHECKED ropewalk_status ropewalk_sinusoidal(const ropewalk_positions* positions,
                                                     const ropewalk_tensor* out,
                                                     const ropewalk_sinusoidal_options* options);

// out = x + pe(positions), float32 [B, S, d]; out may be x. Errors: as ropewalk_sinusoidal.
ROPEWALK_CHECKED ropewalk_status
ropewalk_add_sinusoidal(const ropewalk_positions* positions, const ropewalk_tensor* x,
                        const ropewalk_tensor* out, const ropewalk_sinusoidal_options* options);

// What ALiBi multiplies the slope of a head by, for the query at q and the key at k.
typedef enum ropewalk_alibi_form {
  ROPEWALK_ALIBI_RELATIVE = 0,      // k - q: the paper, MPT
  ROPEWALK_ALIBI_KEY_POSITION = 1,  // k: BLOOM, Falcon-RW, Baichuan-13B
  ROPEWALK_ALIBI_SYMMETRIC = 2      // -|k - q|: jina-bert-v2
} ropewalk_alibi_form;

typedef struct ropewalk_alibi_options {
  size_t struct_size;
  int64_t heads;         // of the whole model; must be given
  int64_t first_head;    // of a shard of them
  int64_t head_count;    // of the shard; 0: all from first_head on
  double max_bias;       // MPT: alibi_bias_max
  int32_t form;          // a ropewalk_alibi_form
  int32_t bf16;          // 1: slope, distance and product are rounded to bf16 (Falcon)
  int32_t before_scale;  // 1: (q.k + bias) softmax_scale: Falcon
  // Where before_scale is 1, ropewalk_alibi_bias is multiplied by it: what a scaled score sees.
  double softmax_scale;
} ropewalk_alibi_options;
#define ROPEWALK_ALIBI_OPTIONS \
  { sizeof(ropewalk_alibi_options), 0, 0, 0, 8.0, ROPEWALK_ALIBI_RELATIVE, 0, 0, 1.0 }

// The options of a layer; struct_size must be set. Errors: unsupported for a layer without ALiBi.
ROPEWALK_CHECKED ropewalk_status ropewalk_alibi_of_layer(const ropewalk_model* model, int64_t layer,
                                                         ropewalk_alibi_options* options);

// slope_h = 2^(-max_bias h / heads), h = 1 .. heads, for a power of two, and what the paper's code
// does for any other number, into `count` floats: the heads of the shard. Worked number: 8 heads:
// 0.5, 0.25, ..., 0.00390625. Errors: invalid_argument, as for another count.
ROPEWALK_CHECKED ropewalk_status ropewalk_alibi_slopes(const ropewalk_alibi_options* options,
                                                       float* slopes, int64_t count);

// bias[h, i, j] = slope_h times the form's distance of query i and key j, float32 [heads of the
// shard, queries, keys]. Positions are runs or ids [S]. Errors: invalid_argument.
ROPEWALK_CHECKED ropewalk_status ropewalk_alibi_bias(const ropewalk_alibi_options* options,
                                                     const ropewalk_positions* queries,
                                                     const ropewalk_positions* keys,
                                                     const ropewalk_tensor* bias);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_TABLES_H_
