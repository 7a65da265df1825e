// Tables, ALiBi, position ids and attention through the C interface, beside formulas and worked
// numbers.
#include "ropewalk/capi/capi_testing.h"

static ropewalk_rope* small_rope(void) {
  ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rope* rope = NULL;
  options.head_dim = 4;
  options.pairing = ROPEWALK_PAIRING_HALF_SPLIT;
  CHECK_OK(ropewalk_make_rope(&options, &rope));
  return rope;
}

static void test_cos_sin(void) {
  const double inv_freq[] = {1.0, (double)0.01f};
  const int64_t shape[] = {2, 4}, half_shape[] = {2, 2};
  float cos_rows[8], sin_rows[8];
  uint16_t half_cos[4], half_sin[4];
  int64_t by_column[] = {1, 2};
  ropewalk_tensor c = TENSOR(cos_rows, ROPEWALK_F32, shape),
                  s = TENSOR(sin_rows, ROPEWALK_F32, shape);
  ropewalk_tensor hc = TENSOR(half_cos, ROPEWALK_BF16, half_shape),
                  hs = TENSOR(half_sin, ROPEWALK_BF16, half_shape);
  ropewalk_positions at = ropewalk_run(1, 2);
  ropewalk_cos_sin_options options = ROPEWALK_COS_SIN_OPTIONS;
  ropewalk_rope* rope = small_rope();
  for (int form = ROPEWALK_FORM_DOUBLED; form <= ROPEWALK_FORM_INTERLEAVED; ++form) {
    options.form = form;
    CHECK_OK(ropewalk_cos_sin(rope, &at, &c, &s, &options));
    for (int i = 0; i < 8; ++i) {
      const int pair = form == ROPEWALK_FORM_DOUBLED ? i % 2 : i % 4 / 2;
      CHECK(cos_rows[i] == (float)cos((1 + i / 4) * inv_freq[pair]));
      CHECK(sin_rows[i] == (float)sin((1 + i / 4) * inv_freq[pair]));
    }
  }
  hc.strides = by_column;  // any strides
  CHECK_OK(ropewalk_cos_sin(rope, &at, &hc, &hs, NULL));
  CHECK(half_sin[1] == 0x3C24 && half_cos[2] == 0x3F80 && half_cos[0] == 0x3F0A);
  options.form = ROPEWALK_FORM_HALF;
  CHECK_FAILS(ropewalk_cos_sin(rope, &at, &c, &s, &options), ROPEWALK_INVALID_ARGUMENT,
              "cos: expected f32 [2, 2], found f32 [2, 4]");
  options.angles = 8;
  CHECK_FAILS(ropewalk_cos_sin(rope, &at, &c, &s, &options), ROPEWALK_INVALID_ARGUMENT,
              "angles: expected");
  ropewalk_free_rope(rope);
}

static void test_sinusoidal(void) {
  const float expected[] = {0.841471f, 0.540302f, 0.0099998f, 0.99995f};
  const int64_t positions[] = {1, 5, 9, 1}, ids_shape[] = {2, 2}, shape[] = {2, 2, 4};
  float rows[16], x[16], one[4];
  const int64_t one_shape[] = {1, 4};
  ropewalk_tensor ids = TENSOR((void*)positions, ROPEWALK_I64, ids_shape);
  ropewalk_tensor out = TENSOR(rows, ROPEWALK_F32, shape), add = TENSOR(x, ROPEWALK_F32, shape);
  ropewalk_tensor single = TENSOR(one, ROPEWALK_F32, one_shape);
  ropewalk_positions at = ropewalk_position_ids(&ids), at_1 = ropewalk_run(1, 1);
  CHECK_OK(ropewalk_sinusoidal(&at, &out, NULL));
  CHECK_OK(ropewalk_sinusoidal(&at_1, &single, NULL));
  for (int i = 0; i < 16; ++i) {
    const double angle = (double)positions[i / 4] * pow(10000.0, -2.0 * (i % 4 / 2) / 4.0);
    CHECK(rows[i] == (float)(i % 2 == 0 ? sin(angle) : cos(angle)));
    x[i] = (float)i;
  }
  for (int i = 0; i < 4; ++i) {
    CHECK_NEAR(one[i], expected[i], 1e-6);
    CHECK(rows[i] == one[i] && rows[12 + i] == one[i]);
  }
  CHECK_OK(ropewalk_add_sinusoidal(&at, &add, &add, NULL));
  for (int i = 0; i < 16; ++i) CHECK(x[i] == (float)i + rows[i]);
  CHECK_FAILS(ropewalk_sinusoidal(&at_1, &out, NULL), ROPEWALK_INVALID_ARGUMENT, "out: expected");
}

static void test_alibi(void) {
  const int64_t shape[] = {8, 2, 3};
  float slopes[8], bias[48];
  ropewalk_tensor out = TENSOR(bias, ROPEWALK_F32, shape);
  ropewalk_positions queries = ropewalk_run(1, 2), keys = ropewalk_run(0, 3);
  ropewalk_alibi_options options = ROPEWALK_ALIBI_OPTIONS;
  options.heads = 8;
  CHECK_OK(ropewalk_alibi_slopes(&options, slopes, 8));
  CHECK_OK(ropewalk_alibi_bias(&options, &queries, &keys, &out));
  for (int h = 0; h < 8; ++h) {
    CHECK(slopes[h] == ldexpf(1.0f, -1 - h));
    for (int i = 0; i < 6; ++i) CHECK(bias[6 * h + i] == slopes[h] * (float)(i % 3 - (1 + i / 3)));
  }
  CHECK_FAILS(ropewalk_alibi_slopes(&options, slopes, 7), ROPEWALK_INVALID_ARGUMENT,
              "count: expected 8");
  options.heads = 0;
  CHECK_FAILS(ropewalk_alibi_slopes(&options, slopes, 8), ROPEWALK_INVALID_ARGUMENT, "heads");
}

// The worked numbers of the header.
static void test_positions(void) {
  const uint8_t mask[] = {0, 0, 1, 1, 1}, kinds[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0};
  const int64_t masked[] = {0, 0, 0, 1, 2}, packed[] = {0, 1, 2, 3, 0, 1, 2, 3};
  const int64_t grid_ids[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 2, 3, 2, 3};
  const int64_t mrope[] = {0, 1, 2, 3, 4, 4, 4, 4, 4, 4, 7, 0, 1, 2, 3, 4, 4,
                           4, 5, 5, 5, 7, 0, 1, 2, 3, 4, 5, 6, 4, 5, 6, 7};
  const int64_t boundaries[] = {0, 4, 8}, grid[] = {1, 2, 4}, image[] = {1, 4, 6};
  const int64_t s5[] = {1, 5}, s8[] = {8}, s3[] = {3}, g[] = {1, 3}, hw[] = {2, 1, 8},
                s11[] = {1, 11}, m[] = {3, 1, 11}, d[] = {1};
  int64_t ids[33], delta = 0;
  ropewalk_tensor out5 = TENSOR(ids, ROPEWALK_I64, s5), out8 = TENSOR(ids, ROPEWALK_I64, s8);
  ropewalk_tensor out_hw = TENSOR(ids, ROPEWALK_I64, hw), out_m = TENSOR(ids, ROPEWALK_I64, m);
  ropewalk_tensor tmask = TENSOR((void*)mask, ROPEWALK_BOOL, s5),
                  cu = TENSOR((void*)boundaries, ROPEWALK_I64, s3);
  ropewalk_tensor tgrid = TENSOR((void*)grid, ROPEWALK_I64, g),
                  timage = TENSOR((void*)image, ROPEWALK_I64, g);
  ropewalk_tensor tkinds = TENSOR((void*)kinds, ROPEWALK_U8, s11),
                  deltas = TENSOR(&delta, ROPEWALK_I64, d);
  ropewalk_mrope_input input = ROPEWALK_MROPE_INPUT;
  CHECK_OK(ropewalk_mask_positions(&tmask, 0, &out5));
  CHECK(memcmp(ids, masked, sizeof(masked)) == 0);
  CHECK_OK(ropewalk_packed_positions(&cu, NULL, &out8));
  CHECK(memcmp(ids, packed, sizeof(packed)) == 0);
  CHECK_OK(ropewalk_grid_positions(&tgrid, 2, ROPEWALK_GRID_HW, &out_hw));
  CHECK(memcmp(ids, grid_ids, sizeof(grid_ids)) == 0);
  input.kinds = &tkinds;
  input.images = &timage;
  CHECK_OK(ropewalk_mrope_positions(&input, &out_m, &deltas));
  CHECK(memcmp(ids, mrope, sizeof(mrope)) == 0 && delta == 8 - 11);
  CHECK_FAILS(ropewalk_mrope_positions(&input, &out5, NULL), ROPEWALK_INVALID_ARGUMENT,
              "out: expected i64 [3, 1, 11]");
  CHECK_FAILS(ropewalk_grid_positions(&tgrid, 2, 0, &out_hw), ROPEWALK_INVALID_ARGUMENT,
              "axes: expected ROPEWALK_GRID_HW");
}

// The worked number of the header: weights 1/4 and 3/4 of 0 and 4; and the same with ALiBi that
// undoes ln 3.
static void test_attention(void) {
  const int64_t one[] = {1, 1, 1, 1}, two[] = {1, 2, 1, 1}, heads[] = {1};
  float q = 1, k[] = {0, 0}, v[] = {0, 4}, out = 0, slope = 0;
  ropewalk_tensor tq = TENSOR(&q, ROPEWALK_F32, one), tk = TENSOR(k, ROPEWALK_F32, two);
  ropewalk_tensor tv = TENSOR(v, ROPEWALK_F32, two), tout = TENSOR(&out, ROPEWALK_F32, one);
  ropewalk_tensor slopes = TENSOR(&slope, ROPEWALK_F32, heads);
  ropewalk_attention_options options = ROPEWALK_ATTENTION_OPTIONS;
  k[1] = (float)log(3.0);
  options.layout = ROPEWALK_BSHD;
  options.scale = 1.0;
  CHECK_OK(ropewalk_attend(&tq, &tk, &tv, &tout, &options));
  CHECK_NEAR(out, 3.0, 1e-6);
  slope = (float)log(3.0);
  options.alibi_slopes = &slopes;
  CHECK_OK(ropewalk_attend(&tq, &tk, &tv, &tout, &options));
  CHECK_NEAR(out, 3.6, 1e-6);  // 1 : 9, the key at distance -1 has a third
  options.layout = 0;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "layout: expected ROPEWALK_BSHD");
}

int main(void) {
  test_cos_sin();
  test_sinusoidal();
  test_alibi();
  test_positions();
  test_attention();
  return failures != 0;
}
