#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/demo/absolute_words.h"
#include "cli/demo/demo.h"
#include "cli/output.h"
#include "cli/text.h"
#include "ropewalk/apply/positional_encoding.h"
#include "ropewalk/base/random.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/tables/sinusoidal.h"

namespace ropewalk::cli::demo {
namespace {

namespace words = absolute_words;

constexpr int64_t kDim = 512;

std::string numbers(std::span<const float> values) {
  std::vector<std::string> texts;
  for (float value : values) texts.push_back(fmt::format("{:8.4f}", value));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::vector<int64_t> first_positions(int64_t count) {
  std::vector<int64_t> positions(static_cast<size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

void print_naive_ways(const Voice& say, const std::vector<std::string>& tokens) {
  const std::vector<int64_t> positions = first_positions(static_cast<int64_t>(tokens.size()));
  const std::vector<float> integers = integer_encoding(positions),
                           one_hot = one_hot_encoding(positions, 3);
  std::vector<std::vector<std::string>> rows = {
      {"token", say(words::kNumber), say(words::kOneHot)}};
  for (size_t i = 0; i < tokens.size(); ++i) {
    rows.push_back({tokens[i], fmt::format("{}", integers[i]),
                    fmt::format("{}", fmt::join(std::span(one_hot).subspan(3 * i, 3), " "))});
  }
  fmt::print("{}{}\n", say(words::kNaiveWays), table(rows));
}

// The module on the embeddings of the three tokens, which are seeded random numbers.
void print_module(const Voice& say, const std::vector<std::string>& tokens) {
  const PositionalEncoding module{.d_model = kDim, .dropout = 0.1, .max_len = 5000};
  const auto count = static_cast<int64_t>(tokens.size());
  Tensor x = make_tensor(DType::f32, {1, count, kDim}), sum = x, trained = x;
  const auto floats = [](Tensor& tensor) {
    return std::span(reinterpret_cast<float*>(tensor.bytes.data()), tensor.bytes.size() / 4);
  };
  for (size_t i = 0; i < floats(x).size(); ++i) floats(x)[i] = normal_at(2017, i);
  forward(module, std::as_const(x).view(), sum.view(), SequenceAxis::batch_first);
  forward(module, std::as_const(x).view(), trained.view(), SequenceAxis::batch_first,
          {.training = true, .seed = 1});
  fmt::print("{}", say(words::kModule, module.d_model, module.dropout, module.max_len, count));
  std::vector<std::vector<std::string>> rows = {
      {"token", "x", say(words::kInference), say(words::kTraining)}};
  int64_t dropped = 0;
  for (const float value : floats(trained)) dropped += value == 0 ? 1 : 0;
  for (size_t t = 0; t < tokens.size(); ++t) {
    std::vector<std::string> row = {tokens[t]};
    for (Tensor* each : {&x, &sum, &trained}) {
      row.push_back(numbers(floats(*each).subspan(t * kDim, 4)));
    }
    rows.push_back(row);
  }
  fmt::print("{}{}", table(rows), say(words::kDropped, dropped, floats(trained).size()));
}

}  // namespace

void absolute_positions(const Voice& say, Album& album) {
  const std::vector<std::string> tokens = tokens_of(say(kILoveYou));
  fmt::print("{}", say(words::kTitle, say(kILoveYou)));
  print_naive_ways(say, tokens);
  const SinusoidalConfig config{.d_model = kDim};
  const std::vector<float> pe = sinusoidal(config, first_positions(3));
  fmt::print("{}  pe(p, 2i) = sin(p / 10000^(2i/{})),  pe(p, 2i+1) = cos(p / 10000^(2i/{}))\n\n",
             say(words::kSinusoidal, kDim), kDim, kDim);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::span row = std::span(pe).subspan(i * kDim, kDim);
    fmt::print("  {} (p = {})  [{} ... {}]\n", tokens[i], i, numbers(row.first(4)),
               numbers(row.last(4)));
  }
  fmt::print("{}", say(words::kProducts, kDim, std::sqrt(kDim / 2.0)));
  const auto product = [&](size_t a, size_t b) {
    return std::inner_product(pe.begin() + static_cast<long>(a * kDim),
                              pe.begin() + static_cast<long>((a + 1) * kDim),
                              pe.begin() + static_cast<long>(b * kDim), 0.0);
  };
  for (const auto& [a, b] : {std::pair<size_t, size_t>{0, 1}, {1, 2}, {0, 2}}) {
    fmt::print("{}pe({}).pe({}) = {:.4f}", a + b == 1 ? "  " : "   ", tokens[a], tokens[b],
               product(a, b));
  }
  fmt::print("\n\n");
  print_module(say, tokens);
#ifdef ROPEWALK_PLOTS
  plot::HeatMap words{.title = say(words::kWordsPicture, say(kILoveYou), kDim),
                      .x_label = say(words::kDimension),
                      .y_label = say(words::kPositionOfToken),
                      .value_label = say(words::kValue),
                      .rows = 3,
                      .columns = kDim,
                      .values = pe};
  for (size_t i = 0; i < tokens.size(); ++i) {
    words.row_labels.push_back(fmt::format("{} {}", i, tokens[i]));
  }
  album.add("sinusoidal-words.png", words);
  album.add("sinusoidal-100.png",
            plot::HeatMap{.title = say(words::kHundredPicture, kDim),
                          .x_label = say(words::kDimension),
                          .y_label = say(words::kPosition),
                          .value_label = say(words::kValue),
                          .rows = 100,
                          .columns = kDim,
                          .values = sinusoidal(config, first_positions(100))});
#else
  (void)album;
#endif
}

}  // namespace ropewalk::cli::demo
