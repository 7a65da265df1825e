// Rotations through the C interface, beside their formula.
#include "ropewalk/capi/capi_testing.h"

enum { kSeq = 3, kHeads = 2, kDim = 8, kNumbers = kSeq * kHeads * kDim };
static const int64_t kShape[] = {kSeq, kHeads, kDim};

static ropewalk_rope* rope_of(int64_t head_dim, int64_t rotary_dim, int32_t pairing) {
  ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rope* rope = NULL;
  options.head_dim = head_dim;
  options.rotary_dim = rotary_dim;
  options.pairing = pairing;
  CHECK_OK(ropewalk_make_rope(&options, &rope));
  return rope;
}

static ropewalk_rotate_options bshd(void) {
  ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
  how.layout = ROPEWALK_BSHD;
  return how;
}

static void fill(float* x, int count) {
  for (int i = 0; i < count; ++i) x[i] = (float)(0.25 * (i % 11) - 1.0);
}

// The worked number of the header.
static void test_worked_number(void) {
  const float expected[] = {-1.984111f, 1.959901f, 2.462378f, 4.0198f};
  const int64_t shape[] = {1, 1, 1, 4};
  float x[] = {1, 2, 3, 4};
  ropewalk_tensor q = TENSOR(x, ROPEWALK_F32, shape);
  ropewalk_positions at = ropewalk_run(1, 1);
  ropewalk_rotate_options how = bshd();
  ropewalk_rope* rope = rope_of(4, 0, ROPEWALK_PAIRING_HALF_SPLIT);
  CHECK_OK(ropewalk_rotate(rope, &at, &q, NULL, &how));
  for (int i = 0; i < 4; ++i) CHECK_NEAR(x[i], expected[i], 1e-6);
  ropewalk_free_rope(rope);
}

// Every channel of q beside the formula in double, at positions far apart; those that do not turn
// pass.
static void check_formula(int32_t pairing, int rotary_dim) {
  const int64_t positions[] = {0, 131071, -7};
  const int64_t ids_shape[] = {kSeq};
  float x[kNumbers], y[kNumbers];
  ropewalk_tensor ids = TENSOR((void*)positions, ROPEWALK_I64, ids_shape);
  ropewalk_tensor q = TENSOR(x, ROPEWALK_F32, kShape), out = TENSOR(y, ROPEWALK_F32, kShape);
  ropewalk_positions at = ropewalk_position_ids(&ids);
  ropewalk_rotate_options how = bshd();
  ropewalk_rope* rope = rope_of(kDim, rotary_dim, pairing);
  ropewalk_rope_facts facts = ROPEWALK_ROPE_FACTS;
  fill(x, kNumbers);
  how.q_out = &out;
  CHECK_OK(ropewalk_rotate(rope, &at, &q, NULL, &how));
  CHECK_OK(ropewalk_describe_rope(rope, &facts));
  CHECK(facts.pairs == rotary_dim / 2 && facts.head_dim == kDim && facts.axes == 1);
  for (int s = 0; s < kSeq; ++s) {
    for (int h = 0; h < kHeads; ++h) {
      const float *in = x + (s * kHeads + h) * kDim, *turned = y + (s * kHeads + h) * kDim;
      for (int i = 0; i < rotary_dim / 2; ++i) {
        const int a = pairing == ROPEWALK_PAIRING_INTERLEAVED ? 2 * i : i;
        const int b = pairing == ROPEWALK_PAIRING_INTERLEAVED ? 2 * i + 1 : i + rotary_dim / 2;
        const double angle = (double)positions[s] * facts.inv_freq[i];
        CHECK_NEAR(facts.inv_freq[i], pow(10000.0, -2.0 * i / rotary_dim), 1e-7);
        CHECK_NEAR(turned[a], in[a] * cos(angle) - in[b] * sin(angle), 1e-6);
        CHECK_NEAR(turned[b], in[b] * cos(angle) + in[a] * sin(angle), 1e-6);
      }
      for (int c = rotary_dim; c < kDim; ++c) CHECK(turned[c] == in[c]);
    }
  }
  ropewalk_free_rope(rope);
}

// Rows give the bits of rotate; q and k at once; ids of each sequence; int32; inverse and transpose
// come back.
static void test_rows_and_directions(void) {
  const int32_t positions[] = {5, 6, 7, 100, 101, 102};
  const int64_t ids_shape[] = {2, kSeq}, q_shape[] = {2, kSeq, kHeads, kDim},
                k_shape[] = {2, kSeq, 1, kDim};
  float q[2 * kNumbers], q2[2 * kNumbers], original[2 * kNumbers], k[2 * kSeq * kDim],
      k2[2 * kSeq * kDim];
  ropewalk_tensor ids = TENSOR((void*)positions, ROPEWALK_I32, ids_shape);
  ropewalk_tensor tq = TENSOR(q, ROPEWALK_F32, q_shape), tk = TENSOR(k, ROPEWALK_F32, k_shape);
  ropewalk_tensor tq2 = TENSOR(q2, ROPEWALK_F32, q_shape), tk2 = TENSOR(k2, ROPEWALK_F32, k_shape);
  ropewalk_positions at = ropewalk_position_ids(&ids);
  ropewalk_rotate_options how = bshd();
  ropewalk_rows_options back = ROPEWALK_ROWS_OPTIONS;
  ropewalk_rope* rope = rope_of(kDim, 0, ROPEWALK_PAIRING_HALF_SPLIT);
  ropewalk_rows *rows = NULL, *inverse = NULL;
  fill(q, 2 * kNumbers);
  fill(k, 2 * kSeq * kDim);
  memcpy(original, q, sizeof(q));
  how.q_out = &tq2;
  how.k_out = &tk2;
  CHECK_OK(ropewalk_rotate(rope, &at, &tq, &tk, &how));
  CHECK(memcmp(q, original, sizeof(q)) == 0);  // out of place
  how.q_out = how.k_out = NULL;
  CHECK_OK(ropewalk_make_rows(rope, &at, NULL, &rows));
  CHECK_OK(ropewalk_rotate_rows(rows, &tq, &tk, &how));
  CHECK(memcmp(q, q2, sizeof(q)) == 0 && memcmp(k, k2, sizeof(k)) == 0);
  CHECK(memcmp(q, original, sizeof(q)) != 0);
  back.direction = how.direction = ROPEWALK_INVERSE;
  CHECK_OK(ropewalk_make_rows(rope, &at, &back, &inverse));
  CHECK_OK(ropewalk_rotate_rows(inverse, &tq, NULL, &how));
  how.direction = ROPEWALK_TRANSPOSE;
  CHECK_OK(ropewalk_rotate(rope, &at, &tq2, NULL, &how));
  CHECK(memcmp(q, q2, sizeof(q)) == 0);  // attention_scaling is 1
  for (int i = 0; i < 2 * kNumbers; ++i) CHECK_NEAR(q[i], original[i], 1e-6);
  ropewalk_free_rows(rows);
  ropewalk_free_rows(inverse);
  ropewalk_free_rope(rope);
}

// k inside a fused [token, q k v] row with a gap before it, by byte_offset and strides; heads
// first; nothing else moves.
static void test_views(void) {
  enum { kRow = 1 + 3 * kDim };
  const int64_t shape[] = {kSeq, 1, kDim}, turned_shape[] = {1, kSeq, kDim};
  int64_t strides[] = {kRow, kDim, 1}, turned_strides[] = {kDim, kRow, 1};
  float fused[kSeq * kRow], before[kSeq * kRow], plain[kSeq * kDim];
  ropewalk_tensor view = TENSOR(fused, ROPEWALK_F32, shape),
                  compact = TENSOR(plain, ROPEWALK_F32, shape);
  ropewalk_positions at = ropewalk_run(3, kSeq);
  ropewalk_rotate_options how = bshd();
  ropewalk_rope* rope = rope_of(kDim, 0, ROPEWALK_PAIRING_INTERLEAVED);
  view.strides = strides;
  view.byte_offset = (1 + kDim) * sizeof(float);
  for (int pass = 0; pass < 2; ++pass) {
    fill(fused, kSeq * kRow);
    memcpy(before, fused, sizeof(fused));
    for (int s = 0; s < kSeq; ++s)
      memcpy(plain + s * kDim, fused + s * kRow + 1 + kDim, kDim * sizeof(float));
    how.layout = ROPEWALK_BSHD;
    CHECK_OK(ropewalk_rotate(rope, &at, &compact, NULL, &how));
    if (pass == 1) {
      how.layout = ROPEWALK_BHSD;
      view.shape = (int64_t*)(uintptr_t)turned_shape;
      view.strides = turned_strides;
    }
    CHECK_OK(ropewalk_rotate(rope, &at, &view, NULL, &how));
    for (int i = 0; i < kSeq * kRow; ++i) {
      const int channel = i % kRow - 1 - kDim;
      const int is_k = channel >= 0 && channel < kDim;
      CHECK(fused[i] == (is_k ? plain[i / kRow * kDim + channel] : before[i]));
    }
  }
  ropewalk_free_rope(rope);
}

// bf16 and f16: 1.0 and 2.0 of each, turned by one radian: cos 1 - 2 sin 1 = -1.142640, 2 cos 1 +
// sin 1 = 1.922076.
static void test_half_types(void) {
  const struct {
    ropewalk_dtype dtype;
    uint16_t one, two, first, second;
  } types[] = {{ROPEWALK_BF16, 0x3F80, 0x4000, 0xBF92, 0x3FF6},
               {ROPEWALK_F16, 0x3C00, 0x4000, 0xBC92, 0x3FB0}};
  const int64_t shape[] = {1, 1, 2};
  ropewalk_positions at = ropewalk_run(1, 1);
  ropewalk_rotate_options how = bshd();
  ropewalk_rope* rope = rope_of(2, 0, ROPEWALK_PAIRING_HALF_SPLIT);
  for (int i = 0; i < COUNT(types); ++i) {
    uint16_t x[2];
    ropewalk_tensor q = TENSOR(x, types[i].dtype, shape);
    x[0] = types[i].one;
    x[1] = types[i].two;
    CHECK_OK(ropewalk_rotate(rope, &at, &q, NULL, &how));
    CHECK(x[0] == types[i].first && x[1] == types[i].second);
  }
  ropewalk_free_rope(rope);
}

int main(void) {
  test_worked_number();
  check_formula(ROPEWALK_PAIRING_HALF_SPLIT, kDim);
  check_formula(ROPEWALK_PAIRING_INTERLEAVED, kDim);
  check_formula(ROPEWALK_PAIRING_HALF_SPLIT, 4);
  test_rows_and_directions();
  test_views();
  test_half_types();
  return failures != 0;
}
