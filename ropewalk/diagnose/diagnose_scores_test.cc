#include "ropewalk/diagnose/diagnose_scores.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

using Verdict = DumpDiagnosis::Verdict;

constexpr int kTokens = 12, kHeads = 3, kDim = 8;
constexpr float kHiddenScore = -std::numeric_limits<float>::infinity();

// A layer written out in float64, which knows nothing of ropewalk's attention: one key head.
struct Written {
  double scale = 1 / std::sqrt(8.0), base = 10000, softcap = 0;
  double q_times = 1, k_times = 1;
  std::vector<double> slopes = {};
  int window = 1000, ahead = 0;
};

double turned(const std::vector<float>& x, size_t row, size_t channel, double angle, double base) {
  const size_t half = kDim / 2, pair = channel % half;
  const double a = x[row * kDim + pair], b = x[row * kDim + pair + half];
  const double by = angle * std::pow(base, -2.0 * static_cast<double>(pair) / kDim);
  return channel < half ? a * std::cos(by) - b * std::sin(by) : b * std::cos(by) + a * std::sin(by);
}

struct Made {
  std::vector<float> q, k, s;

  Made() : q(kTokens * kHeads * kDim), k(kTokens * kDim) {
    std::mt19937 bits(7);
    std::normal_distribution<float> normal(0, 2);
    for (float& x : q) x = normal(bits);
    for (float& x : k) x = normal(bits);
  }

  void score(const Written& w) {
    s.clear();
    for (int h = 0; h < kHeads; ++h) {
      for (int i = 0; i < kTokens; ++i) {
        for (int j = 0; j < kTokens; ++j) {
          double sum = 0;
          for (size_t c = 0; c < kDim; ++c) {
            sum += turned(q, static_cast<size_t>(i * kHeads + h), c, w.q_times * i, w.base) *
                   turned(k, static_cast<size_t>(j), c, w.k_times * j, w.base);
          }
          sum *= w.scale;
          if (w.softcap > 0) sum = w.softcap * std::tanh(sum / w.softcap);
          if (!w.slopes.empty()) sum += w.slopes[static_cast<size_t>(h)] * (j - i);
          const bool hidden = j > i + w.ahead || j <= i - w.window;
          s.push_back(hidden ? kHiddenScore : static_cast<float>(sum));
        }
      }
    }
  }

  void softmax() {
    for (size_t row = 0; row < s.size(); row += kTokens) {
      double sum = 0;
      for (size_t j = 0; j < kTokens; ++j) sum += std::exp(static_cast<double>(s[row + j]));
      for (size_t j = 0; j < kTokens; ++j) {
        s[row + j] = static_cast<float>(std::exp(static_cast<double>(s[row + j])) / sum);
      }
    }
  }

  ScoreDiagnosis diagnose(const Layer& layer, bool after_softmax = false) const {
    const auto view = [](const std::vector<float>& x, const Dims& shape) {
      return make_view(static_cast<const void*>(x.data()), DType::f32, shape);
    };
    ModelEncoding model;
    model.layers = {layer};
    return diagnose_scores({.scores = view(s, {1, kHeads, kTokens, kTokens}),
                            .q = view(q, {1, kTokens, kHeads, kDim}),
                            .k = view(k, {1, kTokens, 1, kDim}),
                            .positions = positions_from(0),
                            .after_softmax = after_softmax,
                            .norms = {}},
                           model, layer);
  }
};

Layer rotating() {
  RopeConfig rope;
  rope.rotary_dim = kDim;
  rope.layout = {kDim, {{0, kDim, Pairing::half_split}}};
  Layer layer;
  layer.heads = kHeads, layer.kv_heads = 1, layer.head_dim = layer.value_dim = kDim;
  layer.positions = rope;
  return layer;
}

// "scale/missing", of the first finding.
std::string first_of(const ScoreDiagnosis& diagnosis) {
  if (diagnosis.verdict == Verdict::consistent) return "consistent";
  if (diagnosis.findings.empty()) return "unexplained";
  std::string text;
  for (const Cause& cause : diagnosis.findings[0].causes) {
    text += (text.empty() ? "" : ", ") + std::string(cause.hypothesis) + "/" +
            std::string(cause.variant);
  }
  return text;
}

std::string found(const Written& w, const Layer& layer) {
  Made made;
  made.score(w);
  const std::string before = first_of(made.diagnose(layer));
  made.softmax();
  EXPECT_EQ(first_of(made.diagnose(layer, true)), before) << "after the softmax";
  return before;
}

TEST(DiagnoseScores, RightOnesAreConsistent) { EXPECT_EQ(found({}, rotating()), "consistent"); }

TEST(DiagnoseScores, Scale) {
  EXPECT_EQ(found({.scale = 1}, rotating()), "score_scale/missing");
  EXPECT_EQ(found({.scale = 1.0 / 8}, rotating()), "score_scale/twice");
  EXPECT_EQ(found({.scale = 0.3}, rotating()), "score_scale/other");
}

TEST(DiagnoseScores, Rotation) {
  EXPECT_EQ(found({.q_times = 0}, rotating()), "score_turn/q_not_rotated");
  EXPECT_EQ(found({.k_times = 0}, rotating()), "score_turn/k_not_rotated");
  EXPECT_EQ(found({.k_times = 2}, rotating()), "score_turn/k_twice");
}

TEST(DiagnoseScores, TwoKindsAtOnce) {
  EXPECT_EQ(found({.scale = 1, .k_times = 0, .ahead = 1}, rotating()),
            "score_turn/k_not_rotated, score_scale/missing, score_mask/one_after");
}

TEST(DiagnoseScores, Softcap) {
  Layer layer = rotating();
  layer.attention.softcap = 30;
  EXPECT_EQ(found({.softcap = 30}, layer), "consistent");
  EXPECT_EQ(found({}, layer), "softcap/missing");
  EXPECT_EQ(found({.softcap = 20}, layer), "softcap/other");
  EXPECT_EQ(found({.softcap = 50}, rotating()), "softcap/should_not");
}

TEST(DiagnoseScores, Window) {
  Layer layer = rotating();
  layer.attention.window_left = 3;  // four tokens, its own among them
  EXPECT_EQ(found({.window = 4}, layer), "consistent");
  EXPECT_EQ(found({.window = 5}, layer), "score_mask/window_by_one");
  EXPECT_EQ(found({}, layer), "score_mask/no_window");
  EXPECT_EQ(found({.ahead = 1000}, rotating()), "score_mask/not_causal");
}

// Of three heads: 1/16 and 1/256, of two, then 1/4, of four.
TEST(DiagnoseScores, Alibi) {
  Layer layer = rotating();
  layer.positions = AlibiConfig{.heads = kHeads};
  const Written right{.q_times = 0, .k_times = 0, .slopes = {1.0 / 16, 1.0 / 256, 1.0 / 4}};
  EXPECT_EQ(found(right, layer), "consistent");
  Written wrong = right;
  wrong.slopes = {std::exp2(-8.0 / 3), std::exp2(-16.0 / 3), std::exp2(-8.0)};
  EXPECT_EQ(found(wrong, layer), "alibi/as_power_of_two");
  wrong.slopes = {-1.0 / 16, -1.0 / 256, -1.0 / 4};
  EXPECT_EQ(found(wrong, layer), "alibi/sign");
  wrong.slopes = {};
  EXPECT_EQ(found(wrong, layer), "alibi/missing");
}

TEST(DiagnoseScores, NamesTheFirstThatIsWrong) {
  Made made;
  made.score({});
  made.s[kTokens * 5 + 2] += 1;  // head 0, query 5
  const ScoreDiagnosis diagnosis = made.diagnose(rotating());
  EXPECT_EQ(diagnosis.verdict, Verdict::unexplained);
  EXPECT_EQ(diagnosis.wrong, 1);
  ASSERT_TRUE(diagnosis.first_wrong);
  EXPECT_EQ(diagnosis.first_wrong->query, 5);
  EXPECT_EQ(diagnosis.first_wrong->key, 2);
  EXPECT_NEAR(diagnosis.first_wrong->found - diagnosis.first_wrong->expected, 1, 1e-5);
}

TEST(DiagnoseScores, VeryLowScoresAreHidden) {
  Made made;
  made.score({});
  for (float& x : made.s) x = std::isfinite(x) ? x : std::numeric_limits<float>::lowest();
  EXPECT_EQ(first_of(made.diagnose(rotating())), "consistent");
  for (float& x : made.s) x = x < -1e30f ? -10000 : x;
  EXPECT_EQ(first_of(made.diagnose(rotating())), "consistent");
}

TEST(DiagnoseScores, RefusesWhatIsNoScore) {
  Made made;
  made.score({});
  EXPECT_THROW(made.diagnose(rotating(), true), Error);  // not after a softmax
  made.s[3] = NAN;
  EXPECT_THROW(made.diagnose(rotating()), Error);
}

}  // namespace
}  // namespace ropewalk
