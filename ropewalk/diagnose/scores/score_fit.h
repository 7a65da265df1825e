#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/diagnose/scores/score_sample.h"

namespace ropewalk {

// What scores are compared on: [batch, heads, queries, keys] each.
struct ScoreData {
  int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  std::vector<float> found;   // scores, or their logarithms after the softmax
  std::vector<uint8_t> used;  // 1: compared
  std::vector<float> spread;  // ScoreSample::spread
  double half_step = 0;       // of the dump's type
  double angle_error = 0;
  bool up_to_a_constant = false;  // of each row

  size_t row_count() const { return static_cast<size_t>(batch * heads * queries); }
  size_t head_of(size_t row) const {
    return row / static_cast<size_t>(queries) % static_cast<size_t>(heads);
  }
};

// s = softcap(scale q.k) + times_h bias
struct ScoreForm {
  double scale = 1, softcap = 0;
  std::vector<double> times;  // [heads]; empty: 1
};

struct ScoreMisfit {
  bool holds = true;
  double rms = 0;    // in half steps of what a number is made of
  size_t first = 0;  // number of the first that is off
  size_t wrong = 0;
};

double softcapped(double score, double softcap);

// What the form leaves of the scores, `bias` as ScoreSample::bias, or empty.
ScoreMisfit misfit(const ScoreData& data, std::span<const float> products,
                   std::span<const float> bias, const ScoreForm& form);

// scale and times_h by least squares, for a known softcap:
//   softcap^-1(s - bias) = scale q.k   or, where there is none,   s = scale q.k + times_h bias
// With a softcap the scores may not be known up to a constant only.
ScoreForm fitted(const ScoreData& data, std::span<const float> products,
                 std::span<const float> bias, double softcap);

// The softcap that the number farthest from scale q.k tells; 0 where none does.
double fitted_softcap(const ScoreData& data, std::span<const float> products,
                      std::span<const float> bias, double scale);

}  // namespace ropewalk
