#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/demo/demo.h"
#include "cli/demo/steps_words.h"
#include "cli/output.h"
#include "cli/text.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/base/random.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/table.h"

namespace ropewalk::cli::demo {
namespace {

namespace words = steps_words;

constexpr int64_t kHidden = 8, kDim = 4, kPairs = kDim / 2;
constexpr uint64_t kSeed = 2021;  // of the made-up embeddings and weights

std::span<float> floats(Tensor& tensor) {
  return {reinterpret_cast<float*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(float)};
}

std::string numbers(std::span<const float> values) {
  std::vector<std::string> texts;
  for (const float value : values) texts.push_back(fmt::format("{:7.4f}", value));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string complex_number(const std::complex<double>& value) {
  return fmt::format("{:7.4f} {} {:.4f}i", value.real(), value.imag() < 0 ? '-' : '+',
                     std::fabs(value.imag()));
}

// W x for each token: [seq, 1, kDim] of one head.
Tensor projected(int64_t tokens, uint64_t weights) {
  Tensor out = make_tensor(DType::f32, {tokens, 1, kDim});
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t i = 0; i < kDim; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < kHidden; ++j) {
        const auto x = normal_at(kSeed, static_cast<uint64_t>(t * kHidden + j));
        sum += normal_at(kSeed + weights, static_cast<uint64_t>(i * kHidden + j)) * x;
      }
      floats(out)[static_cast<size_t>(t * kDim + i)] = sum / std::sqrt(float{kHidden});
    }
  }
  return out;
}

Tensor rotated(Tensor x, const Spectrum& spectrum, Pairing pairing, int64_t first) {
  const RotaryLayout layout{kDim, {{0, kDim, pairing}}};
  apply_rope(spectrum, layout, positions_from(first), in_place(x.view()));
  return x;
}

std::vector<float> scores_of(const Tensor& q, const Tensor& k) {
  const int64_t tokens = q.shape[0];
  Tensor scores = make_tensor(DType::f32, {1, tokens, tokens});
  attention_scores(q.view(), k.view(), scores.view(), {.causal = true});
  return {floats(scores).begin(), floats(scores).end()};
}

void print_vectors(const std::vector<std::string>& tokens, const char* q_name, Tensor q,
                   const char* k_name, Tensor k) {
  std::vector<std::vector<std::string>> rows = {{"token", "m", q_name, k_name}};
  for (size_t t = 0; t < tokens.size(); ++t) {
    rows.push_back({tokens[t], fmt::to_string(t), numbers(floats(q).subspan(t * kDim, kDim)),
                    numbers(floats(k).subspan(t * kDim, kDim))});
  }
  fmt::print("{}\n", table(rows));
}

void print_rotations(const CosSinTable& angles) {
  std::vector<std::vector<std::string>> rows = {{"m", "cos mθ₀", "sin mθ₀", "cos mθ₁", "sin mθ₁"}};
  for (size_t m = 0; m < static_cast<size_t>(angles.rows); ++m) {
    rows.push_back({fmt::to_string(m)});
    for (size_t i = 0; i < kPairs; ++i) {
      rows.back().push_back(fmt::format("{:.4f}", angles.cos[m * kPairs + i]));
      rows.back().push_back(fmt::format("{:.4f}", angles.sin[m * kPairs + i]));
    }
  }
  fmt::print("{}\n", table(rows, std::vector<bool>(5, true)));
}

void print_attention(const Voice& say, const std::vector<std::string>& tokens, const Tensor& q,
                     const Tensor& k, const Tensor& v) {
  const std::vector<float> scores = scores_of(q, k);
  Tensor out = make_tensor(DType::f32, q.shape);
  attend(q.view(), k.view(), v.view(), out.view(), {.causal = true});
  std::vector<std::vector<std::string>> rows = {
      {"token", say(words::kScores), "softmax", say(words::kOutput)}};
  for (size_t t = 0; t < tokens.size(); ++t) {
    const std::span row = std::span(scores).subspan(t * tokens.size(), t + 1);
    float sum = 0;
    for (const float score : row) sum += std::exp(score);
    std::vector<float> weights;
    for (const float score : row) weights.push_back(std::exp(score) / sum);
    rows.push_back(
        {tokens[t], numbers(row), numbers(weights), numbers(floats(out).subspan(t * kDim, kDim))});
  }
  fmt::print("{}\n", table(rows));
}

// Meta's code takes neighbours for the two parts of a complex number and multiplies by e^(i mθ).
void print_complex(const Voice& say, const std::vector<std::string>& tokens, Tensor q,
                   const CosSinTable& angles, const Spectrum& spectrum) {
  Tensor turned = rotated(q, spectrum, Pairing::interleaved, 0);
  std::vector<std::vector<std::string>> rows = {
      {"token", "a + bi", "e^(i mθ₀)", say(words::kProduct), say(words::kTurnedPair)}};
  double largest = 0;
  for (size_t m = 0; m < tokens.size(); ++m) {
    for (size_t i = 0; i < kPairs; ++i) {
      const size_t at = m * kDim + 2 * i, row = m * kPairs + i;
      const std::complex<double> number(floats(q)[at], floats(q)[at + 1]),
          turn(angles.cos[row], angles.sin[row]), product = number * turn;
      largest = std::max({largest, std::fabs(product.real() - floats(turned)[at]),
                          std::fabs(product.imag() - floats(turned)[at + 1])});
      if (i > 0) continue;
      rows.push_back({tokens[m], complex_number(number), complex_number(turn),
                      complex_number(product), numbers(floats(turned).subspan(at, 2))});
    }
  }
  fmt::print("{}{}{}", say(words::kComplex), table(rows), say(words::kEqual, largest));
}

}  // namespace

void four_steps(const Voice& say) {
  const std::vector<std::string> tokens = tokens_of(say(kILoveYou));
  const auto count = static_cast<int64_t>(tokens.size());
  const Spectrum spectrum =
      make_spectrum({.rotary_dim = kDim, .layout = {kDim, {{0, kDim, Pairing::half_split}}}});
  const CosSinTable angles = make_table(spectrum, 0, count);
  const Tensor q = projected(count, 1), k = projected(count, 2), v = projected(count, 3);
  fmt::print("{}{}  (a, b) -> (a cos mθᵢ - b sin mθᵢ, b cos mθᵢ + a sin mθᵢ)\n\n{}",
             say(words::kTitle, say(kILoveYou), kDim), say(words::kWanted, kDim),
             say(words::kStep1));
  print_vectors(tokens, "q", q, "k", k);
  fmt::print("{}", say(words::kStep2));
  print_rotations(angles);
  fmt::print("{}", say(words::kStep3));
  const Tensor turned_q = rotated(q, spectrum, Pairing::half_split, 0),
               turned_k = rotated(k, spectrum, Pairing::half_split, 0);
  print_vectors(tokens, "f(q, m)", turned_q, "f(k, m)", turned_k);
  fmt::print("{}", say(words::kStep4, kDim));
  print_attention(say, tokens, turned_q, turned_k, v);
  const std::vector<float> here = scores_of(turned_q, turned_k),
                           there = scores_of(rotated(q, spectrum, Pairing::half_split, 1000),
                                             rotated(k, spectrum, Pairing::half_split, 1000));
  double largest = 0;
  for (size_t i = 0; i < here.size(); ++i) {
    if (std::isfinite(here[i])) largest = std::max(largest, std::fabs(double{here[i]} - there[i]));
  }
  fmt::print("{}", say(words::kSame, largest));
  print_complex(say, tokens, q, angles, spectrum);
}

}  // namespace ropewalk::cli::demo
