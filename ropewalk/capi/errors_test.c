// What the C interface refuses, by which number and in which words; nothing is written then.
#include <stdlib.h>

#include "ropewalk/capi/capi_testing.h"

static const int64_t kShape[] = {1, 2, 3, 4};
static float numbers[24];

typedef struct Setting {
  ropewalk_rope* rope;
  ropewalk_rows* rows;
  ropewalk_tensor q;
  ropewalk_positions at;
  ropewalk_rotate_options how;
} Setting;

static Setting setting(void) {
  Setting s;
  ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
  memset(&s, 0, sizeof(s));
  options.head_dim = 4;
  options.pairing = ROPEWALK_PAIRING_HALF_SPLIT;
  how.layout = ROPEWALK_BSHD;
  s.how = how;
  s.q = TENSOR(numbers, ROPEWALK_F32, kShape);
  s.at = ropewalk_run(7, 2);
  CHECK_OK(ropewalk_make_rope(&options, &s.rope));
  CHECK_OK(ropewalk_make_rows(s.rope, &s.at, NULL, &s.rows));
  return s;
}

static ropewalk_status rotate(const Setting* s) {
  return ropewalk_rotate(s->rope, &s->at, &s->q, NULL, &s->how);
}

static void test_null(const Setting* s) {
  ropewalk_model* model = NULL;
  ropewalk_rows* rows = NULL;
  int64_t layers = 0;
  CHECK_FAILS(ropewalk_rotate(NULL, &s->at, &s->q, NULL, &s->how), ROPEWALK_INVALID_ARGUMENT,
              "rope: expected a rope, found NULL");
  CHECK_FAILS(ropewalk_rotate(s->rope, NULL, &s->q, NULL, &s->how), ROPEWALK_INVALID_ARGUMENT,
              "positions: expected");
  CHECK_FAILS(ropewalk_rotate(s->rope, &s->at, NULL, NULL, &s->how), ROPEWALK_INVALID_ARGUMENT,
              "q: expected a tensor, found NULL");
  CHECK_FAILS(ropewalk_rotate(s->rope, &s->at, &s->q, NULL, NULL), ROPEWALK_INVALID_ARGUMENT,
              "options: expected");
  CHECK_FAILS(ropewalk_rotate_rows(NULL, &s->q, NULL, &s->how), ROPEWALK_INVALID_ARGUMENT,
              "rows: expected rows, found NULL");
  CHECK_FAILS(ropewalk_make_rows(NULL, &s->at, NULL, &rows), ROPEWALK_INVALID_ARGUMENT, "rope: ");
  CHECK_FAILS(ropewalk_make_rows(s->rope, &s->at, NULL, NULL), ROPEWALK_INVALID_ARGUMENT,
              "rows: expected the address");
  CHECK_FAILS(ropewalk_read_model(NULL, NULL, &model), ROPEWALK_INVALID_ARGUMENT,
              "path_or_preset: expected");
  CHECK_FAILS(ropewalk_read_model("llama-3-8b", NULL, NULL), ROPEWALK_INVALID_ARGUMENT,
              "model: expected the address");
  CHECK_FAILS(ropewalk_parse_model(NULL, 0, NULL, &model), ROPEWALK_INVALID_ARGUMENT,
              "text: expected");
  CHECK_FAILS(ropewalk_count_layers(NULL, &layers), ROPEWALK_INVALID_ARGUMENT,
              "model: expected a model, found NULL");
  CHECK_FAILS(ropewalk_describe_layer(NULL, 0, NULL), ROPEWALK_INVALID_ARGUMENT, "model: ");
  CHECK_FAILS(ropewalk_describe_rope(s->rope, NULL), ROPEWALK_INVALID_ARGUMENT,
              "facts: expected a struct, found NULL");
  CHECK_FAILS(ropewalk_make_rope(NULL, NULL), ROPEWALK_INVALID_ARGUMENT, "rope: ");
  CHECK_FAILS(ropewalk_cos_sin(s->rope, &s->at, NULL, NULL, NULL), ROPEWALK_INVALID_ARGUMENT,
              "cos: ");
  CHECK_FAILS(ropewalk_sinusoidal(NULL, &s->q, NULL), ROPEWALK_INVALID_ARGUMENT, "positions: ");
  CHECK_FAILS(ropewalk_mask_positions(NULL, 0, &s->q), ROPEWALK_INVALID_ARGUMENT,
              "mask: expected a tensor, found NULL");
  CHECK_FAILS(ropewalk_packed_positions(NULL, NULL, NULL), ROPEWALK_INVALID_ARGUMENT,
              "cu_seqlens: ");
  CHECK_FAILS(ropewalk_grid_positions(NULL, 2, 1, NULL), ROPEWALK_INVALID_ARGUMENT, "grids: ");
  CHECK_FAILS(ropewalk_mrope_positions(NULL, NULL, NULL), ROPEWALK_INVALID_ARGUMENT, "input: ");
  CHECK_FAILS(ropewalk_attend(NULL, NULL, NULL, NULL, NULL), ROPEWALK_INVALID_ARGUMENT,
              "options: ");
  CHECK_FAILS(ropewalk_alibi_slopes(NULL, NULL, 0), ROPEWALK_INVALID_ARGUMENT, "options: ");
  ropewalk_free_model(NULL);
  ropewalk_free_rope(NULL);
  ropewalk_free_rows(NULL);
}

static void test_tensors(const Setting* given) {
  const int64_t negative[] = {1, 2, -3, 4};
  int64_t strides[] = {0, 0, 4, 1};
  Setting s = *given;
  s.q.device.device_type = 2;
  CHECK_FAILS(rotate(&s), ROPEWALK_UNSUPPORTED,
              "q: expected a tensor in the memory of the CPU (DLPack's device_type 1), found "
              "device_type 2");
  s = *given;
  s.q.dtype.bits = 64;
  CHECK_FAILS(rotate(&s), ROPEWALK_UNSUPPORTED, "f64");
  s.q.dtype.code = 5;
  CHECK_FAILS(rotate(&s), ROPEWALK_UNSUPPORTED,
              "q: expected an element type of ropewalk_dtype, found DLPack's code 5 of 64 bits");
  s = *given;
  s.q.dtype.lanes = 4;
  CHECK_FAILS(rotate(&s), ROPEWALK_UNSUPPORTED, "q: expected one lane, found 4");
  s = *given;
  s.q.ndim = 9;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "q: expected 0..8 dimensions, found 9");
  s.q.ndim = 2;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "q");
  s = *given;
  s.q.shape = NULL;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "q: expected a shape, found NULL");
  s.q.shape = (int64_t*)(uintptr_t)negative;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "negative dimension");
  s = *given;
  s.q.data = NULL;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "q: null data pointer");
  s = *given;
  s.q.strides = strides;  // two tokens in one place
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "q");
  s = *given;
  s.how.k_out = &s.q;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "k_out: expected none without k");
  CHECK_FAILS(ropewalk_rotate(s.rope, &s.at, &s.q, &s.q, &s.how), ROPEWALK_INVALID_ARGUMENT,
              "q_out, k_out: expected both or neither");
}

static void test_choices(const Setting* given) {
  Setting s = *given;
  s.how.layout = 0;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT,
              "layout: expected ROPEWALK_BSHD (1), ROPEWALK_BHSD (2) or ROPEWALK_THD (3), found 0");
  s = *given;
  s.how.direction = -1;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "direction: expected");
  s = *given;
  s.how.direction = ROPEWALK_INVERSE;
  CHECK_FAILS(ropewalk_rotate_rows(s.rows, &s.q, NULL, &s.how), ROPEWALK_INVALID_ARGUMENT,
              "another direction");
  s = *given;
  s.how.threads = -1;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "threads: expected 0 for all");
  s = *given;
  s.at.count = 3;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT,
              "positions: expected a run of 2 positions, one for each token, found 3");
  s = *given;
  s.at.ids = &s.q;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "expected ids or a run, found both");
  s.at = ropewalk_position_ids(&s.q);
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT,
              "position_ids: expected i64 or i32, found f32");
}

// A struct of another version: a smaller one never was; a larger one may not ask for what is not
// known.
static void test_struct_sizes(const Setting* given) {
  struct {
    ropewalk_rotate_options known;
    int64_t later;
  } newer;
  Setting s = *given;
  s.how.struct_size = 0;
  CHECK_FAILS(rotate(&s), ROPEWALK_INVALID_ARGUMENT, "options.struct_size: expected");
  memset(&newer, 0, sizeof(newer));
  newer.known = given->how;
  newer.known.struct_size = sizeof(newer);
  CHECK_OK(ropewalk_rotate(s.rope, &s.at, &s.q, NULL, &newer.known));
  newer.later = 1;
  CHECK_FAILS(ropewalk_rotate(s.rope, &s.at, &s.q, NULL, &newer.known), ROPEWALK_UNSUPPORTED,
              "options: expected fields that version");
}

static void test_ropes(void) {
  const struct {
    int64_t head_dim, rotary_dim, max_positions, seq_len;
    int32_t pairing;
    double base;
    const char *scaling, *words;
  } cases[] = {
      {0, 0, 0, 0, 1, 1e4, NULL, "head_dim: expected 2..65536, found 0"},
      {5, 0, 0, 0, 1, 1e4, NULL, "head_dim without rotary_dim: expected an even number"},
      {8, 10, 0, 0, 1, 1e4, NULL, "rotary_dim: expected an even number in 2..8, found 10"},
      {8, 0, 0, 0, 0, 1e4, NULL, "pairing: expected ROPEWALK_PAIRING_HALF_SPLIT (1)"},
      {8, 0, 0, 0, 1, 0.5, NULL, "base: expected at least 1, found 0.5"},
      {8, 0, 0, -1, 1, 1e4, NULL, "seq_len: expected at least 0, found -1"},
      {8, 0, -1, 0, 1, 1e4, NULL, "max_positions: expected at least 0, found -1"},
      {8, 0, 0, 0, 1, 1e4, "{\"rope_type\": \"yarn\", \"factor\": 4}",
       "scaling: expected max_positions or, in the block, original_max_position_embeddings"},
      {8, 0, 99, 0, 1, 1e4, "{\"rope_type\": \"yarn\", \"factr\": 4}", "factr"},
      {8, 0, 99, 0, 1, 1e4, "{\"rope_type\": \"yam\", \"factor\": 4}", "yam"},
      {8, 0, 99, 0, 1, 1e4, "{\"rope_type\": ", "scaling: line 1"},
      {8, 0, 99, 0, 1, 1e4, "{\"rope_type\": \"default\", \"mrope_section\": [2, 1, 1]}",
       "mrope_section"},
  };
  for (int i = 0; i < COUNT(cases); ++i) {
    ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
    ropewalk_rope* rope = (ropewalk_rope*)numbers;
    ropewalk_status status;
    options.head_dim = cases[i].head_dim;
    options.rotary_dim = cases[i].rotary_dim;
    options.max_positions = cases[i].max_positions;
    options.seq_len = cases[i].seq_len;
    options.pairing = cases[i].pairing;
    options.base = cases[i].base;
    options.scaling = cases[i].scaling;
    status = ropewalk_make_rope(&options, &rope);
    CHECK(status == ROPEWALK_INVALID_ARGUMENT || status == ROPEWALK_MALFORMED);
    if (strstr(ropewalk_last_error(), cases[i].words) == NULL) {
      ++failures;
      printf("case %d: expected \"%s\", found \"%s\"\n", i, cases[i].words, ropewalk_last_error());
    }
    CHECK(rope == NULL);
  }
}

static void test_files(void) {
  ropewalk_model* model = NULL;
  ropewalk_rope* rope = NULL;
  CHECK_FAILS(ropewalk_read_model("/no/such/config.json", NULL, &model), ROPEWALK_IO,
              "/no/such/config.json");
  CHECK(model == NULL);
  CHECK_FAILS(ropewalk_read_model("lama-3-8b", NULL, &model), ROPEWALK_INVALID_ARGUMENT,
              "llama-3-8b");
  CHECK_FAILS(ropewalk_parse_model("{\"model_type\": \"lama\"}", 22, NULL, &model),
              ROPEWALK_UNSUPPORTED, "lama");
  CHECK_FAILS(ropewalk_parse_model("{", 1, NULL, &model), ROPEWALK_MALFORMED,
              "config.json: line 1");
  CHECK_OK(ropewalk_read_model("llama-3-8b", NULL, &model));
  CHECK_FAILS(ropewalk_rope_of_layer(model, 32, 0, &rope), ROPEWALK_INVALID_ARGUMENT, "layer");
  ropewalk_free_model(model);
}

static void test_limits(const Setting* s) {
  ropewalk_rows* rows = NULL;
  ropewalk_positions many = ropewalk_run(0, (int64_t)1 << 60), none = ropewalk_run(0, 0);
  CHECK_FAILS(ropewalk_make_rows(s->rope, &many, NULL, &rows), ROPEWALK_RESOURCE_LIMIT, "");
  CHECK_FAILS(ropewalk_make_rows(s->rope, &none, NULL, &rows), ROPEWALK_INVALID_ARGUMENT,
              "positions: expected a run of at least 1");
  CHECK(strcmp(ropewalk_status_name(ROPEWALK_RESOURCE_LIMIT), "resource_limit") == 0);
  CHECK(strcmp(ropewalk_status_name(99), "unknown") == 0);
}

int main(void) {
  float before[24];
  Setting s;
  CHECK(strcmp(ropewalk_version(), ROPEWALK_VERSION) == 0);
  CHECK(strcmp(ropewalk_last_error(), "") == 0);
  s = setting();
  CHECK(strcmp(ropewalk_last_error(), "") == 0);
  for (int i = 0; i < 24; ++i) before[i] = numbers[i] = 0;  // which a rotation leaves as they are
  test_null(&s);
  test_struct_sizes(&s);
  for (int i = 0; i < 24; ++i) before[i] = numbers[i] = (float)i;
  test_tensors(&s);
  test_choices(&s);
  test_ropes();
  test_files();
  test_limits(&s);
  CHECK(memcmp(before, numbers, sizeof(before)) == 0);
  ropewalk_free_rows(s.rows);
  ropewalk_free_rope(s.rope);
  return failures != 0;
}
