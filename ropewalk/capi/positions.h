// Position ids of padded, packed and pictured sequences, into the caller's int64 tensors. Include
// ropewalk.h.
#ifndef ROPEWALK_CAPI_POSITIONS_H_
#define ROPEWALK_CAPI_POSITIONS_H_

#include "ropewalk/capi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of an attention mask [B, S], 1 for a token and 0 for padding (bool, u8, i32 or i64): tokens up to
// here - 1, and masked_value for padding. Worked numbers: mask 0 0 1 1 1: 0 0 0 1 2. out int64 [B,
// S].
ROPEWALK_CHECKED ropewalk_status ropewalk_mask_positions(const ropewalk_tensor* mask,
                                                         int64_t masked_value,
                                                         const ropewalk_tensor* out);

// Of sequences packed one after the other, with the boundaries cu_seqlens [N + 1], i32 or i64, 0
// first and T last. Each counts from 0, or from firsts[i], [N], unless that is NULL. Worked
// numbers: 0 4 8: 0 1 2 3 0 1 2 3. out int64 [T].
ROPEWALK_CHECKED ropewalk_status ropewalk_packed_positions(const ropewalk_tensor* cu_seqlens,
                                                           const ropewalk_tensor* firsts,
                                                           const ropewalk_tensor* out);

// The order in which the pairs of a vision tower have the axes of a patch.
typedef enum ropewalk_grid_axes {
  ROPEWALK_GRID_HW = 1,  // rows, columns: Qwen2-VL and after, GLM-4V, Pixtral
  ROPEWALK_GRID_WH = 2,  // columns, rows: Llama 4
  ROPEWALK_GRID_THW = 3  // time, rows, columns
} ropewalk_grid_axes;

// Of the patches of pictures and videos, grids [N, 3] of i32 or i64, grid_thw of Hugging Face:
// frames one after the other, in a frame blocks of merge x merge patches, row by row. Worked
// numbers: 1 x 2 x 4, merge 2: h 0 0 1 1 0 0 1 1, w 0 1 0 1 2 3 2 3. out int64 [2 or 3, 1,
// patches], axes a ropewalk_grid_axes.
ROPEWALK_CHECKED ropewalk_status ropewalk_grid_positions(const ropewalk_tensor* grids,
                                                         int64_t merge, int32_t axes,
                                                         const ropewalk_tensor* out);

// Where the text after a picture goes on.
typedef enum ropewalk_mrope_next {
  ROPEWALK_MROPE_LARGEST = 0,  // 1 + the largest id so far: transformers 4, vLLM
  ROPEWALK_MROPE_SIDE = 1      // first id of the picture + max(h, w) / merge: transformers 5
} ropewalk_mrope_next;

typedef struct ropewalk_mrope_input {
  size_t struct_size;
  // [B, S], mm_token_type_ids: 0 text, 1 image, 2 video; must be given.
  const ropewalk_tensor* kinds;
  const ropewalk_tensor* mask;    // [B, S], 0 is padding; NULL: none
  const ropewalk_tensor* images;  // [N, 3] grid_thw, in the order of the tokens; NULL: none
  const ropewalk_tensor* videos;  // the same
  const ropewalk_tensor* second_per_grid;  // [videos] f64; NULL: 1
  int64_t spatial_merge;                   // vision_config.spatial_merge_size
  int64_t temporal_merge;                  // of videos: ERNIE-4.5-VL
  double tokens_per_second;                // Qwen2.5-VL; 0: frames count by 1
  int32_t frames_apart;  // 1: timestamps stand between the frames of a video (Qwen3-VL, GLM-4V)
  int32_t next;          // a ropewalk_mrope_next
  int64_t masked_value;  // the position of padding
} ropewalk_mrope_input;
#define ROPEWALK_MROPE_INPUT                                                  \
  {                                                                           \
    sizeof(ropewalk_mrope_input), NULL, NULL, NULL, NULL, NULL, 2, 1, 0.0, 0, \
        ROPEWALK_MROPE_LARGEST, 0                                             \
  }

// Three positions of each token, time, row and column, out int64 [3, B, S]; deltas int64 [B],
// unless NULL: the next token's position is delta + tokens of the row. Worked numbers: 4 text, a
// picture 1 x 4 x 6 merged by 2, 1 text:
//   t 0 1 2 3 4 4 4 4 4 4 7,  h 0 1 2 3 4 4 4 5 5 5 7,  w 0 1 2 3 4 5 6 4 5 6 7
// Errors: invalid_argument unless the tokens of each kind are those of the grids,
// naming row and token.
ROPEWALK_CHECKED ropewalk_status ropewalk_mrope_positions(const ropewalk_mrope_input* input,
                                                          const ropewalk_tensor* out,
                                                          const ropewalk_tensor* deltas);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_POSITIONS_H_
