// Rows of cos and sin by SLEEF's vectors of 1.0 ULP (u10), float32 angles. Compiled with
// -march=native: sleef.h declares only what the compiler may use.

#include <cstdint>

#include <immintrin.h>
#include <sleef.h>

// out [2, rows, pairs]: cos, then sin, of the positions 0, 1, ...; pairs a multiple of 16.
extern "C" void sleef_rows(int64_t rows, int64_t pairs, const float* inv_freq, float* out) {
  float* const sines = out + rows * pairs;
  for (int64_t row = 0; row < rows; ++row) {
    const auto position = static_cast<float>(row);
#ifdef __AVX512F__
    for (int64_t pair = 0; pair < pairs; pair += 16) {
      const __m512 angle = _mm512_set1_ps(position) * _mm512_loadu_ps(inv_freq + pair);
      const Sleef___m512_2 both = Sleef_sincosf16_u10avx512f(angle);
      _mm512_storeu_ps(sines + row * pairs + pair, both.x);
      _mm512_storeu_ps(out + row * pairs + pair, both.y);
    }
#else
    for (int64_t pair = 0; pair < pairs; pair += 8) {
      const __m256 angle = _mm256_set1_ps(position) * _mm256_loadu_ps(inv_freq + pair);
      const Sleef___m256_2 both = Sleef_sincosf8_u10avx2(angle);
      _mm256_storeu_ps(sines + row * pairs + pair, both.x);
      _mm256_storeu_ps(out + row * pairs + pair, both.y);
    }
#endif
  }
}
