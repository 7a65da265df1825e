// Attention through the C interface, beside its formula in double.
#include "ropewalk/capi/capi_testing.h"

enum { kQueries = 3, kKeys = 5, kHeads = 4, kKvHeads = 2, kDim = 4, kWidth = 3 };
static const int64_t kQ[] = {kQueries, kHeads, kDim}, kK[] = {kKeys, kKvHeads, kDim},
                     kV[] = {kKeys, kKvHeads, kWidth}, kOut[] = {kQueries, kHeads, kWidth},
                     kLse[] = {kHeads, kQueries}, kScores[] = {kHeads, kQueries, kKeys};
static float q[kQueries * kHeads * kDim], k[kKeys * kKvHeads * kDim], v[kKeys * kKvHeads * kWidth];

static void fill(float* x, int count, int step) {
  for (int i = 0; i < count; ++i) x[i] = (float)(0.25 * ((step * i + i / 5) % 13) - 1.5);
}

// What is added to the score of key j at query i; -infinity hides it.
typedef double (*Bias)(int h, int i, int j);

static double nothing(int h, int i, int j) {
  (void)h, (void)i, (void)j;
  return 0;
}

static double score(int h, int i, int j, double softcap, Bias bias) {
  double dot = 0;
  for (int c = 0; c < kDim; ++c) {
    dot += (double)q[(i * kHeads + h) * kDim + c] * k[(j * kKvHeads + h / 2) * kDim + c];
  }
  dot /= sqrt(kDim);
  return (softcap > 0 ? softcap * tanh(dot / softcap) : dot) + bias(h, i, j);
}

static ropewalk_attention_options thd(void) {
  ropewalk_attention_options options = ROPEWALK_ATTENTION_OPTIONS;
  options.layout = ROPEWALK_THD;
  return options;
}

// attend, its log-sum-exp and its scores, where `bias` is what the options add.
static void check(const ropewalk_attention_options* given, Bias bias) {
  float out[kQueries * kHeads * kWidth], lse[kHeads * kQueries], scores[kHeads * kQueries * kKeys];
  ropewalk_tensor tq = TENSOR(q, ROPEWALK_F32, kQ), tk = TENSOR(k, ROPEWALK_F32, kK),
                  tv = TENSOR(v, ROPEWALK_F32, kV), tout = TENSOR(out, ROPEWALK_F32, kOut),
                  tlse = TENSOR(lse, ROPEWALK_F32, kLse),
                  tscores = TENSOR(scores, ROPEWALK_F32, kScores);
  ropewalk_attention_options options = *given;
  CHECK_OK(ropewalk_attention_scores(&tq, &tk, &tscores, &options));
  options.lse = &tlse;
  CHECK_OK(ropewalk_attend(&tq, &tk, &tv, &tout, &options));
  for (int h = 0; h < kHeads; ++h) {
    for (int i = 0; i < kQueries; ++i) {
      double total = 0, sum[kWidth] = {0};
      for (int j = 0; j < kKeys; ++j) {
        const double s = score(h, i, j, options.softcap, bias), p = exp(s);
        const float found = scores[(h * kQueries + i) * kKeys + j];
        CHECK(isinf(s) ? found < -1e38f : fabs(found - s) < 1e-5);
        total += p;
        for (int c = 0; c < kWidth; ++c) sum[c] += p * v[(j * kKvHeads + h / 2) * kWidth + c];
      }
      for (int c = 0; c < kWidth; ++c) {
        CHECK_NEAR(out[(i * kHeads + h) * kWidth + c], total > 0 ? sum[c] / total : 0, 1e-5);
      }
      CHECK(total > 0 ? fabs(lse[h * kQueries + i] - log(total)) < 1e-5
                      : isinf(lse[h * kQueries + i]));
    }
  }
}

static double causal(int h, int i, int j) { return j <= i + 2 + 0 * h ? 0 : -INFINITY; }
static double window(int h, int i, int j) {
  const int distance = j - (i + 2) + 0 * h;
  return distance >= -1 && distance <= 1 ? 0 : -INFINITY;
}
static double first(int h, int i, int j) { return j < 2 + 0 * (h + i) ? 0 : -INFINITY; }
static double prefix(int h, int i, int j) { return j < 4 ? 0 : causal(h, i, j); }
static double from_four(int h, int i, int j) { return j <= i - 1 + 0 * h ? 0 : -INFINITY; }
static double tokens(int h, int i, int j) { return 10 - j <= 9 - 2 * i + 0 * h ? 0 : -INFINITY; }
static double added(int h, int i, int j) { return j == 3 ? -INFINITY : 0.5 * i - 0.25 * j + 0 * h; }
static double alibi(int h, int i, int j) { return -0.5 * (h + 1) * abs(j - (i + 2)); }
static double distance_bias(int h, int i, int j) {
  const int d = j - (i + 2);
  return 0.5 * h - (d < -1 ? -1 : d > 1 ? 1 : d);
}

static void test_what_is_seen(void) {
  const int64_t two[] = {2}, four[] = {4}, one[] = {1}, of_queries[] = {kQueries},
                of_keys[] = {kKeys};
  const int64_t query_ids[] = {9, 7, 5}, key_ids[] = {10, 9, 8, 7, 6};
  ropewalk_attention_options options = thd();
  ropewalk_tensor length = TENSOR((void*)two, ROPEWALK_I64, one),
                  seen_by_all = TENSOR((void*)four, ROPEWALK_I64, one),
                  ids_q = TENSOR((void*)query_ids, ROPEWALK_I64, of_queries),
                  ids_k = TENSOR((void*)key_ids, ROPEWALK_I64, of_keys);
  ropewalk_positions run = ropewalk_run(-1, kQueries), at_q = ropewalk_position_ids(&ids_q),
                     at_k = ropewalk_position_ids(&ids_k);
  check(&options, nothing);
  options.causal = 1;
  check(&options, causal);
  options.prefix = &seen_by_all;
  check(&options, prefix);
  options = thd();
  options.window_left = options.window_right = 1;
  check(&options, window);
  options = thd();
  options.key_lengths = &length;
  check(&options, first);
  options = thd();
  options.causal = 1;
  options.query_tokens = &run;
  check(&options, from_four);
  options.query_tokens = &at_q;
  options.key_tokens = &at_k;
  check(&options, tokens);
}

static void test_what_is_added(void) {
  const int64_t shape[] = {1, 1, kQueries, kKeys}, heads[] = {kHeads}, table[] = {kHeads, 3};
  float bias[kQueries * kKeys], slopes[kHeads], distances[kHeads * 3];
  ropewalk_tensor tbias = TENSOR(bias, ROPEWALK_F32, shape),
                  tslopes = TENSOR(slopes, ROPEWALK_F32, heads),
                  ttable = TENSOR(distances, ROPEWALK_F32, table);
  ropewalk_attention_options options = thd();
  for (int i = 0; i < kQueries; ++i) {
    for (int j = 0; j < kKeys; ++j) bias[i * kKeys + j] = (float)added(0, i, j);
  }
  for (int h = 0; h < kHeads; ++h) {
    slopes[h] = 0.5f * (float)(h + 1);
    for (int d = -1; d <= 1; ++d) distances[h * 3 + d + 1] = (float)(0.5 * h - d);
  }
  options.softcap = 2;
  check(&options, nothing);
  options.mask = &tbias;
  check(&options, added);
  options = thd();
  options.alibi_slopes = &tslopes;
  options.alibi_form = ROPEWALK_ALIBI_SYMMETRIC;
  check(&options, alibi);
  options = thd();
  options.distance_bias = &ttable;
  check(&options, distance_bias);
}

// Rows on the way in have the bits of a rotation first; two sequences in one array those of each.
static void test_rows_and_packed(void) {
  const int64_t of_q[] = {0, 1, 3}, of_k[] = {0, 2, 5}, starts[] = {3};
  float turned_q[kQueries * kHeads * kDim], turned_k[kKeys * kKvHeads * kDim];
  float out[kQueries * kHeads * kWidth], expected[kQueries * kHeads * kWidth];
  ropewalk_tensor tq = TENSOR(q, ROPEWALK_F32, kQ), tk = TENSOR(k, ROPEWALK_F32, kK),
                  tv = TENSOR(v, ROPEWALK_F32, kV), tout = TENSOR(out, ROPEWALK_F32, kOut),
                  texpected = TENSOR(expected, ROPEWALK_F32, kOut),
                  rq = TENSOR(turned_q, ROPEWALK_F32, kQ), rk = TENSOR(turned_k, ROPEWALK_F32, kK),
                  sq = TENSOR((void*)of_q, ROPEWALK_I64, starts),
                  sk = TENSOR((void*)of_k, ROPEWALK_I64, starts);
  ropewalk_positions at_q = ropewalk_run(12, kQueries), at_k = ropewalk_run(10, kKeys);
  ropewalk_rope_options made = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rotate_options turn = ROPEWALK_ROTATE_OPTIONS;
  ropewalk_attention_options options = thd();
  ropewalk_rope* rope = NULL;
  ropewalk_rows *q_rows = NULL, *k_rows = NULL;
  made.head_dim = kDim;
  made.pairing = ROPEWALK_PAIRING_INTERLEAVED;
  turn.layout = ROPEWALK_THD;
  memcpy(turned_q, q, sizeof(q));
  memcpy(turned_k, k, sizeof(k));
  CHECK_OK(ropewalk_make_rope(&made, &rope));
  CHECK_OK(ropewalk_make_rows(rope, &at_q, NULL, &q_rows));
  CHECK_OK(ropewalk_make_rows(rope, &at_k, NULL, &k_rows));
  CHECK_OK(ropewalk_rotate_rows(q_rows, &rq, NULL, &turn));
  CHECK_OK(ropewalk_rotate_rows(k_rows, &rk, NULL, &turn));
  CHECK_OK(ropewalk_attend(&rq, &rk, &tv, &texpected, &options));
  options.q_rows = q_rows;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "q_rows, k_rows: expected both or neither, found one");
  options.k_rows = k_rows;
  CHECK_OK(ropewalk_attend(&tq, &tk, &tv, &tout, &options));
  CHECK(memcmp(out, expected, sizeof(out)) == 0);
  options = thd();
  options.query_starts = &sq;
  options.key_starts = &sk;
  CHECK_OK(ropewalk_attend(&tq, &tk, &tv, &tout, &options));
  {
    const int64_t q2[] = {2, kHeads, kDim}, k2[] = {3, kKvHeads, kDim},
                  v2[] = {3, kKvHeads, kWidth}, out2[] = {2, kHeads, kWidth};
    ropewalk_tensor second_q = TENSOR(q + kHeads * kDim, ROPEWALK_F32, q2),
                    second_k = TENSOR(k + 2 * kKvHeads * kDim, ROPEWALK_F32, k2),
                    second_v = TENSOR(v + 2 * kKvHeads * kWidth, ROPEWALK_F32, v2),
                    alone = TENSOR(expected, ROPEWALK_F32, out2);
    options = thd();
    CHECK_OK(ropewalk_attend(&second_q, &second_k, &second_v, &alone, &options));
    CHECK(memcmp(out + kHeads * kWidth, expected, 2 * kHeads * kWidth * sizeof(float)) == 0);
  }
  ropewalk_free_rows(q_rows);
  ropewalk_free_rows(k_rows);
  ropewalk_free_rope(rope);
}

// The worked number of the header, and one gradient beside a difference.
static void test_backward(void) {
  const int64_t one[] = {1, 1, 1, 1}, two[] = {1, 2, 1, 1}, of_lse[] = {1, 1, 1};
  float x = 1, keys[] = {0, 0}, values[] = {0, 4}, out = 0, lse = 0, d_out = 1, dq = 0, dk[2],
        dv[2];
  ropewalk_tensor tq = TENSOR(&x, ROPEWALK_F32, one), tk = TENSOR(keys, ROPEWALK_F32, two),
                  tv = TENSOR(values, ROPEWALK_F32, two), tout = TENSOR(&out, ROPEWALK_F32, one),
                  tlse = TENSOR(&lse, ROPEWALK_F32, of_lse), td = TENSOR(&d_out, ROPEWALK_F32, one),
                  tdq = TENSOR(&dq, ROPEWALK_F32, one), tdk = TENSOR(dk, ROPEWALK_F32, two),
                  tdv = TENSOR(dv, ROPEWALK_F32, two);
  ropewalk_attention_options options = ROPEWALK_ATTENTION_OPTIONS;
  ropewalk_attention_backward pass = ROPEWALK_ATTENTION_BACKWARD;
  keys[1] = (float)log(3.0);
  options.layout = ROPEWALK_BSHD;
  options.lse = &tlse;
  CHECK_OK(ropewalk_attend(&tq, &tk, &tv, &tout, &options));
  CHECK_NEAR(lse, log(4.0), 1e-6);
  CHECK_FAILS(ropewalk_attend_backward(&tq, &tk, &tv, &pass, &options), ROPEWALK_INVALID_ARGUMENT,
              "out: expected a tensor, found NULL");
  pass.out = &tout;
  pass.lse = &tlse;
  pass.d_out = &td;
  pass.dq = &tdq;
  pass.dk = &tdk;
  pass.dv = &tdv;
  CHECK_OK(ropewalk_attend_backward(&tq, &tk, &tv, &pass, &options));
  CHECK_NEAR(dq, 0.75 * log(3.0), 1e-6);
  CHECK_NEAR(dk[0], -0.75, 1e-6);
  CHECK_NEAR(dk[1], 0.75, 1e-6);
  CHECK_NEAR(dv[0], 0.25, 1e-6);
  CHECK_NEAR(dv[1], 0.75, 1e-6);
  pass.struct_size = 8;
  CHECK_FAILS(ropewalk_attend_backward(&tq, &tk, &tv, &pass, &options), ROPEWALK_INVALID_ARGUMENT,
              "pass.struct_size");
}

static void test_refusals(void) {
  const int64_t wide[] = {kHeads, 2}, three[] = {3}, ids[] = {1, 2, 3};
  float out[kQueries * kHeads * kWidth] = {7}, table[kHeads * 2] = {0};
  ropewalk_tensor tq = TENSOR(q, ROPEWALK_F32, kQ), tk = TENSOR(k, ROPEWALK_F32, kK),
                  tv = TENSOR(v, ROPEWALK_F32, kV), tout = TENSOR(out, ROPEWALK_F32, kOut),
                  even = TENSOR(table, ROPEWALK_F32, wide),
                  few = TENSOR((void*)ids, ROPEWALK_I64, three);
  ropewalk_positions short_run = ropewalk_run(0, 2), few_keys = ropewalk_position_ids(&few);
  ropewalk_attention_options options = thd();
  CHECK_FAILS(ropewalk_attend(NULL, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "q: expected a tensor, found NULL");
  CHECK_FAILS(ropewalk_attention_scores(&tq, &tk, NULL, &options), ROPEWALK_INVALID_ARGUMENT,
              "scores: expected a tensor, found NULL");
  options.distance_bias = &even;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "distance_bias: expected an odd number");
  options = thd();
  options.query_tokens = &short_run;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "query_tokens: expected a run or ids [3], found 1 of 2");
  options = thd();
  options.key_tokens = &few_keys;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "key_tokens: expected a run or ids [5], found 1 of 3");
  options = thd();
  options.mask = &even;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT, "mask: ");
  options = thd();
  options.query_starts = &few;
  CHECK_FAILS(ropewalk_attend(&tq, &tk, &tv, &tout, &options), ROPEWALK_INVALID_ARGUMENT,
              "query_starts: ");
  CHECK(out[0] == 7);
}

int main(void) {
  fill(q, COUNT(q), 5);
  fill(k, COUNT(k), 7);
  fill(v, COUNT(v), 3);
  test_what_is_seen();
  test_what_is_added();
  test_rows_and_packed();
  test_backward();
  test_refusals();
  return failures != 0;
}
