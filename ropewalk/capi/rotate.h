// Rotating q and k. Include ropewalk.h.
#ifndef ROPEWALK_CAPI_ROTATE_H_
#define ROPEWALK_CAPI_ROTATE_H_

#include "ropewalk/capi/model.h"
#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Order of the dimensions of q and k; there is no default, for a wrong one may fit and be wrong.
typedef enum ropewalk_layout {
  ROPEWALK_BSHD = 1,  // [batch, seq, heads, head_dim], or [seq, heads, head_dim]
  ROPEWALK_BHSD = 2,  // [batch, heads, seq, head_dim], or [heads, seq, head_dim]
  ROPEWALK_THD = 3    // [tokens, heads, head_dim]: tokens of one or more sequences
} ropewalk_layout;

typedef enum ropewalk_direction {
  ROPEWALK_FORWARD = 0,   // R(p) x
  ROPEWALK_INVERSE = 1,   // undoes it: R(-p) x / attention_scaling
  ROPEWALK_TRANSPOSE = 2  // the backward pass: attention_scaling R(-p) x
} ropewalk_direction;

typedef struct ropewalk_rotate_options {
  size_t struct_size;
  int32_t layout;     // a ropewalk_layout; must be given
  int32_t direction;  // a ropewalk_direction
  // At most so many; 0: OMP_NUM_THREADS, or one for each processor; 1: the calling thread alone.
  int32_t threads;
  // Where the results go, in the shape and dtype of q and k; NULL: in place of q and k. With k,
  // both or neither.
  const ropewalk_tensor* q_out;
  const ropewalk_tensor* k_out;
} ropewalk_rotate_options;
#define ROPEWALK_ROTATE_OPTIONS \
  { sizeof(ropewalk_rotate_options), 0, ROPEWALK_FORWARD, 0, NULL, NULL }

// Turns q, and k unless it is NULL, by the positions of their tokens:
//   y_a = x_a cos(p w_i) - x_b sin(p w_i),  y_b = x_b cos(p w_i) + x_a sin(p w_i)
// for each pair i = (a, b), times attention_scaling. q and k may differ in their heads and their
// dtypes: f32, bf16 or f16. A run has as many positions as there are tokens. Worked number:
// head_dim 4, half_split, base 10000, position 1: [1, 2, 3, 4] becomes
// [-1.984111, 1.959901, 2.462378, 4.0198].
//
// The angle is exact, cos and sin are correctly rounded to float32, products and sums are float32,
// and a 16-bit result is rounded once: the same bits with any strides, threads and instruction set.
// An output may be the input itself; any other overlap is refused. Errors: invalid_argument,
// unsupported; nothing is written then.
ROPEWALK_CHECKED ropewalk_status ropewalk_rotate(const ropewalk_rope* rope,
                                                 const ropewalk_positions* positions,
                                                 const ropewalk_tensor* q, const ropewalk_tensor* k,
                                                 const ropewalk_rotate_options* options);

// cos and sin of the tokens of one step, made once and used by every layer of the same rope.
typedef struct ropewalk_rows ropewalk_rows;

typedef struct ropewalk_rows_options {
  size_t struct_size;
  int32_t direction;
  int32_t threads;
} ropewalk_rows_options;
#define ROPEWALK_ROWS_OPTIONS \
  { sizeof(ropewalk_rows_options), ROPEWALK_FORWARD, 0 }

// Of B sequences of S tokens, as the ids [B, S] have them; ids [S] and a run serve any number of
// sequences. options may be NULL. 8 bytes for each pair of each token. Errors: as ropewalk_rotate
// for the positions, resource_limit.
ROPEWALK_CHECKED ropewalk_status ropewalk_make_rows(const ropewalk_rope* rope,
                                                    const ropewalk_positions* positions,
                                                    const ropewalk_rows_options* options,
                                                    ropewalk_rows** rows);

// The bits of ropewalk_rotate with the rope and positions that the rows were made of.
// options->direction must be that of the rows.
ROPEWALK_CHECKED ropewalk_status ropewalk_rotate_rows(const ropewalk_rows* rows,
                                                      const ropewalk_tensor* q,
                                                      const ropewalk_tensor* k,
                                                      const ropewalk_rotate_options* options);

ROPEWALK_API void ropewalk_free_rows(ropewalk_rows* rows);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_ROTATE_H_
