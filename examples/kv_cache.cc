// A stream in a cache of 8 tokens: the first two are kept, the oldest of the others make room.
#include "ropewalk/attention/kv_cache.h"

#include <cstdio>
#include <vector>

#include "ropewalk/spectrum/spectrum.h"

int main() {
  using namespace ropewalk;
  KvCacheConfig config;
  config.kv_heads = 1;
  config.v_dim = 1;
  config.layout = {2, {{0, 2, Pairing::half_split}}};
  config.spectrum = make_spectrum({.rotary_dim = 2, .layout = config.layout});
  config.k_dtype = config.v_dtype = DType::f32;
  KvCache cache(config);

  std::vector<float> k = {1, 0}, v = {0};  // of one token: [tokens, kv_heads, channels]
  for (int token = 0; token < 12; ++token) {
    v[0] = static_cast<float>(token);
    const int64_t position = token == 0 ? 0 : cache.length(0);
    cache.append(
        0, positions_from(position),
        {make_view(k.data(), DType::f32, {1, 1, 2}), make_view(v.data(), DType::f32, {1, 1, 1})});
    if (cache.tokens(0) == 8) cache.evict(0, {2, 5});
  }

  const KvTensors all = cache.gather(0);  // k, v [1, tokens, kv_heads, channels], for attend
  const auto* key = reinterpret_cast<const float*>(all.k.bytes.data());
  const auto* value = reinterpret_cast<const float*>(all.v.bytes.data());
  for (int64_t t = 0; t < cache.tokens(0); ++t) {
    std::printf("position %d: token %2.0f, k = [%9.6f %9.6f]\n", static_cast<int>(t), value[t],
                key[2 * t], key[2 * t + 1]);
  }
}
