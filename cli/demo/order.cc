#include <cmath>
#include <map>

#include <fmt/format.h>

#include "cli/demo/demo.h"
#include "cli/demo/order_words.h"
#include "cli/output.h"
#include "cli/text.h"
#include "ropewalk/attention/self_attention.h"
#include "ropewalk/base/random.h"
#include "ropewalk/base/tensor.h"

namespace ropewalk::cli::demo {
namespace {

namespace words = order_words;

constexpr int64_t kHeads = 4, kHeadDim = 16, kHidden = kHeads * kHeadDim;
constexpr uint64_t kSeed = 2017;  // of the made-up embeddings and weights

using Outputs =
    std::map<std::string, std::vector<float>>;  // by token; each occurs once in a sentence

Tensor seeded(const Dims& shape, uint64_t stream, float scale) {
  Tensor tensor = make_tensor(DType::f32, shape);
  auto* values = reinterpret_cast<float*>(tensor.bytes.data());
  for (int64_t i = 0; i < num_elements(shape); ++i) {
    values[i] = scale * normal_at(kSeed + stream, static_cast<uint64_t>(i));
  }
  return tensor;
}

// What one attention layer makes of each token of the sentence.
Outputs attend_to(const std::vector<std::string>& tokens,
                  const std::map<std::string, int64_t>& vocabulary,
                  const PositionEncoding& encoding) {
  const auto length = static_cast<int64_t>(tokens.size());
  const Tensor embeddings = seeded({static_cast<int64_t>(vocabulary.size()), kHidden}, 1, 1);
  Tensor x = make_tensor(DType::f32, {1, length, kHidden}), y = x;
  const size_t row = kHidden * sizeof(float);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto from =
        embeddings.bytes.begin() + vocabulary.at(tokens[i]) * static_cast<int64_t>(row);
    std::copy(from, from + static_cast<int64_t>(row),
              x.bytes.begin() + static_cast<int64_t>(i * row));
  }
  const float scale = 1 / std::sqrt(static_cast<float>(kHidden));
  const Tensor wq = seeded({kHidden, kHidden}, 2, 2 * scale),
               wk = seeded({kHidden, kHidden}, 3, 2 * scale),
               wv = seeded({kHidden, kHidden}, 4, scale), wo = seeded({kHidden, kHidden}, 5, scale);
  const SelfAttention layer{{.heads = kHeads,
                             .kv_heads = kHeads,
                             .head_dim = kHeadDim,
                             .value_dim = kHeadDim,
                             .positions = encoding,
                             .attention = {.mask = Mask::full}},
                            {wq.view(), wk.view(), wv.view(), wo.view()}};
  forward(layer, std::as_const(x).view(), positions_from(0), y.view());
  Outputs outputs;
  const auto* values = reinterpret_cast<const float*>(y.bytes.data());
  for (size_t i = 0; i < tokens.size(); ++i) {
    outputs[tokens[i]].assign(values + i * kHidden, values + (i + 1) * kHidden);
  }
  return outputs;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return std::sqrt(sum);
}

double norm(const std::vector<float>& a) { return distance(a, std::vector<float>(a.size(), 0)); }

}  // namespace

void order_matters(const Voice& say) {
  const std::string first = say(words::kHeOwesMe), second = say(words::kIOweHim);
  fmt::print("{}{}", say(words::kTitle, first, second),
             say(words::kSetting, kHeads, kHeadDim, kSeed));
  const std::vector<std::string> a = tokens_of(first), b = tokens_of(second);
  std::map<std::string, int64_t> vocabulary;
  for (const std::string& token : a) {
    vocabulary.emplace(token, static_cast<int64_t>(vocabulary.size()));
  }
  const RopeConfig rope{.rotary_dim = kHeadDim,
                        .layout = {kHeadDim, {{0, kHeadDim, Pairing::half_split}}}};
  const Outputs bag_a = attend_to(a, vocabulary, NoEncoding{}),
                bag_b = attend_to(b, vocabulary, NoEncoding{});
  const Outputs rope_a = attend_to(a, vocabulary, rope), rope_b = attend_to(b, vocabulary, rope);
  std::vector<std::vector<std::string>> rows = {
      {"token", say(words::kLength), say(words::kWithout), say(words::kWith)}};
  for (const std::string& token : a) {
    rows.push_back({token, fmt::format("{:.4f}", norm(rope_a.at(token))),
                    fmt::format("{:.1e}", distance(bag_a.at(token), bag_b.at(token))),
                    fmt::format("{:.4f}", distance(rope_a.at(token), rope_b.at(token)))});
  }
  fmt::print("{}{}", table(rows, {false, true, true, true}), say(words::kBag));
}

}  // namespace ropewalk::cli::demo
