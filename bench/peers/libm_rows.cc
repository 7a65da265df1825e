// Rows of cos and sin by the C library, as a loop that anybody would write: float32 angles.

#include <cmath>
#include <cstdint>

// out [2, rows, pairs]: cos, then sin, of the positions 0, 1, ...
extern "C" void libm_rows(int64_t rows, int64_t pairs, const float* inv_freq, float* out) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const float angle = static_cast<float>(row) * inv_freq[pair];
      float* const cosine = out + row * pairs + pair;
      sincosf(angle, cosine + rows * pairs, cosine);
    }
  }
}
