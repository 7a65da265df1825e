#include <ropewalk.h>
#include <stdio.h>

int main(void) {
  static float q[32 * 128], k[8 * 128];  // of one token of Llama 3 8B, in one layer
  const int64_t q_shape[] = {1, 32, 128}, k_shape[] = {1, 8, 128};  // [tokens, heads, head_dim]
  ropewalk_tensor q_view = ropewalk_tensor_of(q, ROPEWALK_F32, 3, q_shape);
  ropewalk_tensor k_view = ropewalk_tensor_of(k, ROPEWALK_F32, 3, k_shape);
  ropewalk_positions position = ropewalk_run(17, 1);
  ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
  ropewalk_model* model = NULL;
  ropewalk_rope* rope = NULL;
  ropewalk_rows* rows = NULL;
  how.layout = ROPEWALK_THD;
  q[0] = k[0] = 1;
  if (ropewalk_read_model("llama-3-8b", NULL, &model) ||  // or a config.json, a GGUF, a folder
      ropewalk_rope_of_layer(model, 0, 0, &rope) ||
      ropewalk_make_rows(rope, &position, NULL, &rows) ||    // once in each step
      ropewalk_rotate_rows(rows, &q_view, &k_view, &how)) {  // in each layer
    fprintf(stderr, "%s\n", ropewalk_last_error());
    return 1;
  }
  printf("%.6f %.6f\n", q[0], q[64]);  // cos 17, sin 17
  ropewalk_free_rows(rows);
  ropewalk_free_rope(rope);
  ropewalk_free_model(model);
  return 0;
}
