// Models and their ropes through the C interface.
#include "ropewalk/capi/capi_testing.h"

static ropewalk_model* model_of(const char* name) {
  ropewalk_model* model = NULL;
  CHECK_OK(ropewalk_read_model(name, NULL, &model));
  return model;
}

static ropewalk_rope_facts facts_of(const ropewalk_rope* rope) {
  ropewalk_rope_facts facts = ROPEWALK_ROPE_FACTS;
  CHECK_OK(ropewalk_describe_rope(rope, &facts));
  return facts;
}

static void test_preset(void) {
  ropewalk_model* model = model_of("llama-3-8b");
  ropewalk_layer layer = ROPEWALK_LAYER;
  ropewalk_rope* rope = NULL;
  ropewalk_rope_facts facts;
  const char *json = NULL, *again = NULL;
  int64_t layers = 0;
  CHECK_OK(ropewalk_count_layers(model, &layers));
  CHECK(layers == 32);
  CHECK_OK(ropewalk_describe_layer(model, 31, &layer));
  CHECK(strcmp(layer.mixer, "attention") == 0 && strcmp(layer.positions, "rope") == 0);
  CHECK(layer.heads == 32 && layer.kv_heads == 8 && layer.head_dim == 128 &&
        layer.value_dim == 128);
  CHECK_OK(ropewalk_model_json(model, &json));
  CHECK_OK(ropewalk_model_json(model, &again));
  CHECK(json == again && json[0] == '{');
  CHECK(strstr(json, "\"rope_theta\": 500000.0") && strstr(json, "\"layer_count\": 32") &&
        strstr(json, "\"traps\""));
  CHECK_OK(ropewalk_rope_of_layer(model, 0, 0, &rope));
  ropewalk_free_model(model);  // the rope is a value of its own
  facts = facts_of(rope);
  CHECK(facts.head_dim == 128 && facts.pairs == 64 && facts.axes == 1 && facts.by_length == 0);
  CHECK(facts.attention_scaling == 1.0 && facts.softmax_factor == 1.0);
  for (int i = 0; i < 64; ++i) {
    CHECK_NEAR(facts.inv_freq[i] / pow(500000.0, -i / 64.0), 1.0, 2e-7);
    CHECK(facts.axis[i] == 0 && facts.inv_freq[i] == (float)facts.inv_freq[i]);
  }
  ropewalk_free_rope(rope);
}

// YaRN in the place of what the file has, and of a rope that no file states: the same numbers.
static void test_scaling(void) {
  ropewalk_model_options options = ROPEWALK_MODEL_OPTIONS;
  ropewalk_rope_options plain = ROPEWALK_ROPE_OPTIONS;
  ropewalk_model* model = NULL;
  ropewalk_rope *of_model = NULL, *of_options = NULL;
  ropewalk_rope_facts a, b;
  options.scaling = "{\"rope_type\": \"yarn\", \"factor\": 4}";
  CHECK_OK(ropewalk_read_model("llama-2-7b", &options, &model));
  CHECK_OK(ropewalk_rope_of_layer(model, 0, 0, &of_model));
  plain.head_dim = 128;
  plain.pairing = ROPEWALK_PAIRING_HALF_SPLIT;
  plain.scaling = options.scaling;
  plain.max_positions = 4096;
  CHECK_OK(ropewalk_make_rope(&plain, &of_options));
  a = facts_of(of_model);
  b = facts_of(of_options);
  CHECK_NEAR(a.attention_scaling, 0.1 * log(4.0) + 1.0, 1e-7);
  CHECK(a.pairs == b.pairs && a.attention_scaling == b.attention_scaling);
  CHECK(memcmp(a.inv_freq, b.inv_freq, 64 * sizeof(double)) == 0);
  CHECK_NEAR(a.inv_freq[63] / pow(10000.0, -63 / 64.0), 0.25,
             1e-6);  // the slowest pair takes it all
  ropewalk_free_rope(of_model);
  ropewalk_free_rope(of_options);
  ropewalk_free_model(model);
}

// A scaling of the length: seq_len 0 is that of each sequence, which rotate and rows take alike.
static void test_by_length(void) {
  const int64_t positions[] = {10, 9000}, ids_shape[] = {2, 1}, shape[] = {2, 1, 1, 4},
                one[] = {1, 1, 1, 4};
  float q[8] = {1, 2, 3, 4, 1, 2, 3, 4}, rows_q[8], alone[4] = {1, 2, 3, 4};
  ropewalk_tensor ids = ropewalk_tensor_of((void*)positions, ROPEWALK_I64, 2, ids_shape);
  ropewalk_tensor tensor = TENSOR(q, ROPEWALK_F32, shape),
                  of_rows = TENSOR(rows_q, ROPEWALK_F32, shape);
  ropewalk_tensor single = TENSOR(alone, ROPEWALK_F32, one);
  ropewalk_positions at = ropewalk_position_ids(&ids), at_9000 = ropewalk_run(9000, 1);
  ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
  ropewalk_rows_options back = ROPEWALK_ROWS_OPTIONS;
  ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rope *rope = NULL, *fixed = NULL;
  ropewalk_rows* rows = NULL;
  how.layout = ROPEWALK_BSHD;
  options.head_dim = 4;
  options.pairing = ROPEWALK_PAIRING_HALF_SPLIT;
  options.max_positions = 4096;
  options.scaling = "{\"rope_type\": \"dynamic\", \"factor\": 2}";
  CHECK_OK(ropewalk_make_rope(&options, &rope));
  options.seq_len = 9001;
  CHECK_OK(ropewalk_make_rope(&options, &fixed));
  CHECK(facts_of(rope).by_length == 1 && facts_of(fixed).by_length == 0);
  CHECK(facts_of(rope).inv_freq[1] > facts_of(fixed).inv_freq[1]);
  memcpy(rows_q, q, sizeof(q));
  CHECK_OK(ropewalk_rotate(rope, &at, &tensor, NULL, &how));
  CHECK_OK(ropewalk_make_rows(rope, &at, NULL, &rows));
  CHECK_OK(ropewalk_rotate_rows(rows, &of_rows, NULL, &how));
  CHECK_OK(ropewalk_rotate(fixed, &at_9000, &single, NULL, &how));
  CHECK(memcmp(q, rows_q, sizeof(q)) == 0 && memcmp(q + 4, alone, sizeof(alone)) == 0);
  ropewalk_free_rows(rows);
  back.direction = ROPEWALK_INVERSE;
  CHECK_FAILS(ropewalk_make_rows(rope, &at, &back, &rows), ROPEWALK_UNSUPPORTED, "direction");
  CHECK(rows == NULL);
  ropewalk_free_rope(rope);
  ropewalk_free_rope(fixed);
}

static void test_alibi_of_layer(void) {
  ropewalk_model* model = model_of("baichuan-13b");
  ropewalk_alibi_options alibi = ROPEWALK_ALIBI_OPTIONS;
  ropewalk_rope* rope = NULL;
  CHECK_OK(ropewalk_alibi_of_layer(model, 0, &alibi));
  CHECK(alibi.heads == 40 && alibi.max_bias == 8.0 && alibi.form == ROPEWALK_ALIBI_KEY_POSITION);
  CHECK_FAILS(ropewalk_rope_of_layer(model, 0, 0, &rope), ROPEWALK_INVALID_ARGUMENT, "alibi");
  CHECK(rope == NULL);
  ropewalk_free_model(model);
}

static void test_text_and_parts(void) {
  const char text[] =
      "{\"model_type\": \"gptj\", \"n_embd\": 4096, \"n_head\": 16, \"n_layer\": 2, "
      "\"rotary_dim\": 64}, and more";
  ropewalk_model_options options = ROPEWALK_MODEL_OPTIONS;
  ropewalk_model* model = NULL;
  ropewalk_rope* rope = NULL;
  options.label = "given.json";
  CHECK_OK(ropewalk_parse_model(text, strlen(text) - strlen(", and more"), &options, &model));
  CHECK_OK(ropewalk_rope_of_layer(model, 0, 0, &rope));
  CHECK(facts_of(rope).head_dim == 256 && facts_of(rope).pairs == 32);
  ropewalk_free_rope(rope);
  CHECK_FAILS(ropewalk_rope_of_part(model, "ear", 0, &rope), ROPEWALK_INVALID_ARGUMENT,
              "part: expected a model with parts beside its layers");
  ropewalk_free_model(model);
  CHECK_FAILS(ropewalk_parse_model(text, strlen(text), &options, &model), ROPEWALK_MALFORMED,
              "given.json");
  model = model_of(ROPEWALK_TESTDATA "/models/qwen2-vl-7b");
  CHECK_OK(ropewalk_rope_of_part(model, "vision", 0, &rope));
  CHECK(facts_of(rope).axes == 2 && facts_of(rope).head_dim == 80);
  ropewalk_free_rope(rope);
  CHECK_FAILS(ropewalk_rope_of_part(model, "ear", 0, &rope), ROPEWALK_INVALID_ARGUMENT,
              "part: expected one of vision, found \"ear\"");
  ropewalk_free_model(model);
}

int main(void) {
  test_preset();
  test_scaling();
  test_by_length();
  test_alibi_of_layer();
  test_text_and_parts();
  return failures != 0;
}
