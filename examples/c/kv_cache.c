#include <ropewalk.h>
#include <stdio.h>

// A stream in a cache of 8 tokens: the first two are kept, the oldest of the others make room.
int main(void) {
  float q[2] = {1, 0}, k[2] = {1, 0}, v = 0, out = 0, keys[16], values[8];
  const int64_t of_k[] = {1, 1, 2}, of_v[] = {1, 1, 1};  // [tokens, heads, channels]
  ropewalk_tensor q_view = ropewalk_tensor_of(q, ROPEWALK_F32, 3, of_k);
  ropewalk_tensor k_view = ropewalk_tensor_of(k, ROPEWALK_F32, 3, of_k);
  ropewalk_tensor v_view = ropewalk_tensor_of(&v, ROPEWALK_F32, 3, of_v);
  ropewalk_tensor out_view = ropewalk_tensor_of(&out, ROPEWALK_F32, 3, of_v);
  ropewalk_rope_options rotary = ROPEWALK_ROPE_OPTIONS;
  ropewalk_kv_cache_options kept = ROPEWALK_KV_CACHE_OPTIONS;
  ropewalk_kv_tokens tokens = ROPEWALK_KV_TOKENS;
  ropewalk_kv_queries queries = ROPEWALK_KV_QUERIES;
  ropewalk_attention_options how = ROPEWALK_ATTENTION_OPTIONS;
  ropewalk_kv_facts facts = ROPEWALK_KV_FACTS;
  ropewalk_rope* rope = NULL;
  ropewalk_kv_cache* cache = NULL;  // one for each layer
  ropewalk_status status;
  rotary.head_dim = 2;
  rotary.pairing = ROPEWALK_PAIRING_HALF_SPLIT;
  kept.kv_heads = kept.v_dim = 1;
  kept.k_dtype = kept.v_dtype = ROPEWALK_F32;  // BF16 where nothing is said
  how.causal = 1;
  tokens.k = &k_view;  // as projected: it is rotated while it is stored, at the next position
  tokens.v = &v_view;
  queries.q = &q_view;  // rotated where its token is
  status = ropewalk_make_rope(&rotary, &rope);
  if (!status) status = ropewalk_make_kv_cache(rope, &kept, &cache);
  for (int token = 0; token < 12 && !status; ++token) {
    v = (float)token;
    status = ropewalk_kv_append(cache, 0, &tokens);
    if (!status) status = ropewalk_kv_attend(cache, 0, &queries, &out_view, &how);
    if (!status) status = ropewalk_kv_describe(cache, 0, &facts);
    if (!status && facts.tokens == 8) {
      const ropewalk_position_range oldest = {2, 5};
      status = ropewalk_kv_evict(cache, 0, oldest);
    }
  }
  if (!status) status = ropewalk_kv_describe(cache, 0, &facts);
  if (!status) {
    const int64_t all_k[] = {facts.tokens, 1, 2}, all_v[] = {facts.tokens, 1, 1};
    ropewalk_tensor to_k = ropewalk_tensor_of(keys, ROPEWALK_F32, 3, all_k);
    ropewalk_tensor to_v = ropewalk_tensor_of(values, ROPEWALK_F32, 3, all_v);
    status = ropewalk_kv_gather(cache, 0, &to_k, &to_v, NULL);
  }
  if (status) {
    fprintf(stderr, "%s\n", ropewalk_last_error());
    return 1;
  }
  for (int t = 0; t < facts.tokens; ++t) {
    printf("position %d: token %2.0f, k = [%9.6f %9.6f]\n", t, values[t], keys[2 * t],
           keys[2 * t + 1]);
  }
  printf("token 11 attends: %.4f\n", out);
  ropewalk_free_kv_cache(cache);
  ropewalk_free_rope(rope);
  return 0;
}
