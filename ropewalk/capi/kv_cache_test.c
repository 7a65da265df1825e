// A cache of keys and values through the C interface, beside rotations and attention by hand.
#include "ropewalk/capi/capi_testing.h"

enum { kTokens = 12, kHeads = 4, kKvHeads = 2, kDim = 8, kWidth = 4 };
static const int64_t kK[] = {kTokens, kKvHeads, kDim}, kV[] = {kTokens, kKvHeads, kWidth},
                     kQ[] = {kTokens, kHeads, kDim}, kOut[] = {kTokens, kHeads, kWidth};
static float q[kTokens * kHeads * kDim], k[kTokens * kKvHeads * kDim],
    v[kTokens * kKvHeads * kWidth];

static void fill(float* x, int count, int step) {
  for (int i = 0; i < count; ++i) x[i] = (float)(0.25 * ((step * i + i / 5) % 13) - 1.5);
}

static ropewalk_rope* rope_of(double base) {
  ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rope* rope = NULL;
  options.head_dim = kDim;
  options.pairing = ROPEWALK_PAIRING_HALF_SPLIT;
  options.base = base;
  CHECK_OK(ropewalk_make_rope(&options, &rope));
  return rope;
}

static ropewalk_kv_cache* cache_of(const ropewalk_rope* rope, int32_t dtype) {
  ropewalk_kv_cache_options options = ROPEWALK_KV_CACHE_OPTIONS;
  ropewalk_kv_cache* cache = NULL;
  options.kv_heads = kKvHeads;
  options.v_dim = kWidth;
  options.page_size = 5;
  options.k_dtype = options.v_dtype = dtype;
  CHECK_OK(ropewalk_make_kv_cache(rope, &options, &cache));
  return cache;
}

static void append(ropewalk_kv_cache* cache, int64_t sequence, const ropewalk_positions* at) {
  ropewalk_kv_tokens tokens = ROPEWALK_KV_TOKENS;
  ropewalk_tensor tk = TENSOR(k, ROPEWALK_F32, kK), tv = TENSOR(v, ROPEWALK_F32, kV);
  tokens.k = &tk;
  tokens.v = &tv;
  tokens.positions = at;
  CHECK_OK(ropewalk_kv_append(cache, sequence, &tokens));
}

static void turn(const ropewalk_rope* rope, float* x, const int64_t* shape, int64_t first) {
  ropewalk_tensor view = ropewalk_tensor_of(x, ROPEWALK_F32, 3, shape);
  ropewalk_positions at = ropewalk_run(first, shape[0]);
  ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
  how.layout = ROPEWALK_THD;
  CHECK_OK(ropewalk_rotate(rope, &at, &view, NULL, &how));
}

// k of a sequence is that of `from`, from its token `first` on.
static void check_keys(const ropewalk_kv_cache* cache, int64_t sequence, const float* expected,
                       int64_t count, double tolerance) {
  const int64_t shape[] = {count, kKvHeads, kDim}, of_positions[] = {1, count};
  float found[kTokens * kKvHeads * kDim];
  int64_t positions[kTokens];
  ropewalk_tensor to = TENSOR(found, ROPEWALK_F32, shape),
                  ids = TENSOR(positions, ROPEWALK_I64, of_positions);
  CHECK_OK(ropewalk_kv_gather(cache, sequence, &to, NULL, &ids));
  for (int i = 0; i < count * kKvHeads * kDim; ++i) CHECK_NEAR(found[i], expected[i], tolerance);
  for (int i = 1; i < count; ++i) CHECK(positions[i] == positions[i - 1] + 1);
}

// Keys are turned as they come; decoding token by token is the whole sequence at once.
static void test_append_and_attend(void) {
  float turned_q[kTokens * kHeads * kDim], turned_k[kTokens * kKvHeads * kDim];
  float out[kTokens * kHeads * kWidth], expected[kTokens * kHeads * kWidth], lse[kHeads * kTokens];
  const int64_t of_lse[] = {kHeads, kTokens};
  ropewalk_rope* rope = rope_of(100);
  ropewalk_kv_cache *cache = cache_of(rope, ROPEWALK_F32), *steps = cache_of(rope, ROPEWALK_F32);
  ropewalk_tensor tq = TENSOR(q, ROPEWALK_F32, kQ), rq = TENSOR(turned_q, ROPEWALK_F32, kQ),
                  rk = TENSOR(turned_k, ROPEWALK_F32, kK), tv = TENSOR(v, ROPEWALK_F32, kV),
                  tout = TENSOR(out, ROPEWALK_F32, kOut),
                  texpected = TENSOR(expected, ROPEWALK_F32, kOut),
                  tlse = TENSOR(lse, ROPEWALK_F32, of_lse);
  ropewalk_attention_options options = ROPEWALK_ATTENTION_OPTIONS;
  ropewalk_kv_queries queries = ROPEWALK_KV_QUERIES;
  ropewalk_positions at = ropewalk_run(30, kTokens);
  memcpy(turned_q, q, sizeof(q));
  memcpy(turned_k, k, sizeof(k));
  turn(rope, turned_q, kQ, 30);
  turn(rope, turned_k, kK, 30);
  options.layout = ROPEWALK_THD;
  options.causal = 1;
  CHECK_OK(ropewalk_attend(&rq, &rk, &tv, &texpected, &options));
  append(cache, 0, &at);
  check_keys(cache, 0, turned_k, kTokens, 0);
  queries.q = &tq;
  options.layout = 0;  // not read
  options.lse = &tlse;
  CHECK_OK(ropewalk_kv_attend(cache, 0, &queries, &tout, &options));
  CHECK(memcmp(out, expected, sizeof(out)) == 0);
  queries.positions = &at;
  CHECK_OK(ropewalk_kv_attend(cache, 0, &queries, &tout, &options));
  CHECK(memcmp(out, expected, sizeof(out)) == 0);
  options.lse = NULL;
  for (int t = 0; t < kTokens; ++t) {
    const int64_t k1[] = {1, kKvHeads, kDim}, v1[] = {1, kKvHeads, kWidth},
                  q1[] = {1, kHeads, kDim}, out1[] = {1, kHeads, kWidth};
    ropewalk_tensor one_k = TENSOR(k + t * kKvHeads * kDim, ROPEWALK_F32, k1),
                    one_v = TENSOR(v + t * kKvHeads * kWidth, ROPEWALK_F32, v1),
                    one_q = TENSOR(q + t * kHeads * kDim, ROPEWALK_F32, q1),
                    one_out = TENSOR(out, ROPEWALK_F32, out1);
    ropewalk_positions here = ropewalk_run(30 + t, 1);
    ropewalk_kv_tokens tokens = ROPEWALK_KV_TOKENS;
    ropewalk_rows* rows = NULL;
    CHECK_OK(ropewalk_make_rows(rope, &here, NULL, &rows));
    tokens.k = &one_k;
    tokens.v = &one_v;
    tokens.positions = t == 0 ? &here : NULL;  // those that follow
    tokens.rows = queries.rows = rows;
    CHECK_OK(ropewalk_kv_append(steps, 5, &tokens));
    queries.q = &one_q;
    queries.positions = NULL;
    CHECK_OK(ropewalk_kv_attend(steps, 5, &queries, &one_out, &options));
    for (int i = 0; i < kHeads * kWidth; ++i) {
      CHECK_NEAR(out[i], expected[t * kHeads * kWidth + i], 1e-5);
    }
    ropewalk_free_rows(rows);
  }
  check_keys(steps, 5, turned_k, kTokens, 0);
  ropewalk_free_kv_cache(cache);
  ropewalk_free_kv_cache(steps);
  ropewalk_free_rope(rope);
}

static void test_moves(void) {
  const ropewalk_position_range all = {0, kTokens}, middle = {3, 8}, last = {11, 12};
  const int64_t far = 1000, back = -1000, two[] = {1, 2};
  float expected[kTokens * kKvHeads * kDim];
  const int row = kKvHeads * kDim;
  ropewalk_rope *rope = rope_of(100), *other = rope_of(1e6);
  ropewalk_kv_cache *cache = cache_of(rope, ROPEWALK_F32), *copy = NULL;
  ropewalk_kv_facts facts = ROPEWALK_KV_FACTS;
  ropewalk_positions at = ropewalk_run(0, kTokens);
  append(cache, 0, &at);
  CHECK_OK(ropewalk_kv_fork(cache, 0, 9));
  CHECK_OK(ropewalk_copy_kv_cache(cache, &copy));
  for (int i = 0; i < 5; ++i) {
    const ropewalk_position_range there = {1000, 1000 + kTokens};
    CHECK_OK(ropewalk_kv_shift(cache, 0, all, &far, 1));
    CHECK_OK(ropewalk_kv_shift(cache, 0, there, &back, 1));
  }
  memcpy(expected, k, sizeof(k));
  turn(rope, expected, kK, 0);
  check_keys(cache, 0, expected, kTokens, 0);  // the bits of before
  CHECK_OK(ropewalk_kv_evict(cache, 0, middle));
  memcpy(expected, k, 3 * row * sizeof(float));
  memcpy(expected + 3 * row, k + 8 * row, 4 * row * sizeof(float));
  turn(rope, expected, kK, 0);
  check_keys(cache, 0, expected, 7, 1e-6);
  CHECK_OK(ropewalk_kv_remove(cache, 9, last));
  CHECK_OK(ropewalk_kv_keep_ends(cache, 0, 1, 2));
  CHECK_OK(ropewalk_kv_rerotate(cache, 0, other));
  memcpy(expected, k, row * sizeof(float));
  memcpy(expected + row, k + 10 * row, 2 * row * sizeof(float));
  turn(other, expected, kK, 0);
  check_keys(cache, 0, expected, 3, 1e-6);
  memcpy(expected, k, sizeof(k));
  turn(rope, expected, kK, 0);
  check_keys(cache, 9, expected, kTokens - 1, 0);  // the fork and the copy moved with nothing
  check_keys(copy, 0, expected, kTokens, 0);
  CHECK_OK(ropewalk_kv_describe(cache, 0, &facts));
  CHECK(facts.sequences == 2 && facts.tokens == 3 && facts.length == 3 && facts.size_in_bytes > 0);
  CHECK_OK(ropewalk_kv_erase(cache, 9));
  CHECK_OK(ropewalk_kv_describe(cache, 9, &facts));
  CHECK(facts.sequences == 1 && facts.tokens == 0 && facts.length == 0);
  CHECK_FAILS(ropewalk_kv_shift(copy, 0, all, two, 2), ROPEWALK_INVALID_ARGUMENT, "shift");
  CHECK_FAILS(ropewalk_kv_evict(copy, 0, (ropewalk_position_range){4, 99}), ROPEWALK_OUT_OF_RANGE,
              "evict: expected a range within positions 0..12 of sequence 0, found 4..99");
  check_keys(copy, 0, expected, kTokens, 0);
  ropewalk_free_kv_cache(cache);
  ropewalk_free_kv_cache(copy);
  ropewalk_free_rope(rope);
  ropewalk_free_rope(other);
}

// Each type within its rounding; values too, and what is gathered in the type of the cache.
static void test_types(void) {
  const int32_t dtypes[] = {ROPEWALK_BF16, ROPEWALK_F16, ROPEWALK_I8};
  const double bounds[] = {0x1p-7, 0x1p-10, 0.02};
  float expected[kTokens * kKvHeads * kDim], values[kTokens * kKvHeads * kWidth];
  uint16_t bits[kTokens * kKvHeads * kWidth];
  ropewalk_rope* rope = rope_of(100);
  ropewalk_tensor tv = TENSOR(values, ROPEWALK_F32, kV), in_bf16 = TENSOR(bits, ROPEWALK_BF16, kV);
  memcpy(expected, k, sizeof(k));
  turn(rope, expected, kK, 0);
  for (int i = 0; i < COUNT(dtypes); ++i) {
    ropewalk_kv_cache* cache = cache_of(rope, dtypes[i]);
    append(cache, 0, NULL);
    check_keys(cache, 0, expected, kTokens, 2 * bounds[i]);
    CHECK_OK(ropewalk_kv_gather(cache, 0, NULL, &tv, NULL));
    for (int j = 0; j < COUNT(values); ++j) CHECK_NEAR(values[j], v[j], 2 * bounds[i]);
    if (dtypes[i] == ROPEWALK_BF16) {
      CHECK_OK(ropewalk_kv_gather(cache, 0, NULL, &in_bf16, NULL));
      for (int j = 0; j < COUNT(values); ++j) {
        const uint32_t wide = (uint32_t)bits[j] << 16;
        float number = 0;
        memcpy(&number, &wide, sizeof(number));
        CHECK(number == values[j]);
      }
    } else {
      CHECK_FAILS(ropewalk_kv_gather(cache, 0, NULL, &in_bf16, NULL), ROPEWALK_INVALID_ARGUMENT,
                  "v: expected");
    }
    ropewalk_free_kv_cache(cache);
  }
  ropewalk_free_rope(rope);
}

static void test_refusals(void) {
  ropewalk_rope* rope = rope_of(100);
  ropewalk_kv_cache *cache = cache_of(rope, ROPEWALK_F32), *none = NULL;
  ropewalk_kv_cache_options options = ROPEWALK_KV_CACHE_OPTIONS;
  ropewalk_kv_tokens tokens = ROPEWALK_KV_TOKENS;
  ropewalk_kv_queries queries = ROPEWALK_KV_QUERIES;
  ropewalk_attention_options how = ROPEWALK_ATTENTION_OPTIONS;
  ropewalk_tensor tk = TENSOR(k, ROPEWALK_F32, kK), tq = TENSOR(q, ROPEWALK_F32, kQ);
  CHECK_FAILS(ropewalk_make_kv_cache(rope, NULL, &none), ROPEWALK_INVALID_ARGUMENT, "options: ");
  CHECK_FAILS(ropewalk_make_kv_cache(rope, &options, &none), ROPEWALK_INVALID_ARGUMENT, "kv_heads");
  options.kv_heads = 2;
  CHECK_FAILS(ropewalk_make_kv_cache(rope, &options, NULL), ROPEWALK_INVALID_ARGUMENT,
              "cache: expected the address of a handle, found NULL");
  options.head_dim = 6;
  CHECK_FAILS(ropewalk_make_kv_cache(rope, &options, &none), ROPEWALK_INVALID_ARGUMENT,
              "head_dim: expected 0, or the 8 of the rope, found 6");
  options.head_dim = 0;
  options.k_dtype = ROPEWALK_F64;
  CHECK_FAILS(ropewalk_make_kv_cache(rope, &options, &none), ROPEWALK_INVALID_ARGUMENT,
              "k_dtype: expected ROPEWALK_F32, ROPEWALK_BF16, ROPEWALK_F16 or ROPEWALK_I8");
  CHECK(none == NULL);
  CHECK_FAILS(ropewalk_kv_append(NULL, 0, &tokens), ROPEWALK_INVALID_ARGUMENT,
              "cache: expected a cache, found NULL");
  CHECK_FAILS(ropewalk_kv_append(cache, 0, NULL), ROPEWALK_INVALID_ARGUMENT, "tokens: ");
  CHECK_FAILS(ropewalk_kv_append(cache, 0, &tokens), ROPEWALK_INVALID_ARGUMENT,
              "k: expected a tensor, found NULL");
  tokens.k = &tk;
  CHECK_FAILS(ropewalk_kv_append(cache, 0, &tokens), ROPEWALK_INVALID_ARGUMENT,
              "append: expected v [tokens, 2, 4]");
  queries.q = &tq;
  CHECK_FAILS(ropewalk_kv_attend(cache, 0, &queries, &tk, &how), ROPEWALK_INVALID_ARGUMENT,
              "sequence 0 is not");
  CHECK_FAILS(ropewalk_kv_shift(cache, 0, (ropewalk_position_range){0, 1}, NULL, 1),
              ROPEWALK_INVALID_ARGUMENT, "deltas: ");
  CHECK_FAILS(ropewalk_kv_rerotate(cache, 0, NULL), ROPEWALK_INVALID_ARGUMENT,
              "rope: expected a rope, found NULL");
  ropewalk_free_kv_cache(cache);
  ropewalk_free_kv_cache(NULL);
  ropewalk_free_rope(rope);
}

int main(void) {
  fill(q, COUNT(q), 5);
  fill(k, COUNT(k), 7);
  fill(v, COUNT(v), 3);
  test_append_and_attend();
  test_moves();
  test_types();
  test_refusals();
  return failures != 0;
}
