#include <cmath>
#include <numbers>
#include <variant>

#include <fmt/format.h>

#include "cli/demo/demo.h"
#include "cli/demo/rotary_words.h"
#include "cli/output.h"
#include "cli/text.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/rope.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/base/random.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/models/models.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli::demo {
namespace {

namespace words = rotary_words;

constexpr int64_t kShift = 1000;

// A seeded q or k of the model's real shape, one token: [1, heads, head_dim].
Tensor vector_of(int64_t heads, int64_t head_dim, uint64_t seed) {
  Tensor x = make_tensor(DType::f32, {1, heads, head_dim});
  auto* values = reinterpret_cast<float*>(x.bytes.data());
  for (int64_t i = 0; i < heads * head_dim; ++i) {
    values[i] = normal_at(seed, static_cast<uint64_t>(i));
  }
  return x;
}

double dot(const Tensor& q, const Tensor& k, int64_t head_dim) {
  const auto* a = reinterpret_cast<const float*>(q.bytes.data());
  const auto* b = reinterpret_cast<const float*>(k.bytes.data());
  double sum = 0;
  for (int64_t i = 0; i < head_dim; ++i) sum += double{a[i]} * b[i];
  return sum;
}

// q.k of head 0 with q at position m and k at n (on every position axis).
double score(const RopeConfig& config, const Spectrum& spectrum, Tensor q, Tensor k, int64_t m,
             int64_t n) {
  apply_rope(spectrum, config.layout, positions_from(m), in_place(q.view()));
  apply_rope(spectrum, config.layout, positions_from(n), in_place(k.view()));
  return dot(q, k, config.layout.head_dim);
}

const std::pair<int64_t, int64_t> kPlaces[] = {{0, 0}, {5, 3}, {3, 5}, {100, 3}, {2000, 17}};

void print_rotary_scores(const Voice& say, const ModelEncoding& model, const RopeConfig& config) {
  const Spectrum spectrum = make_spectrum(config);
  const Tensor q = vector_of(model.heads, model.head_dim, 1),
               k = vector_of(model.kv_heads, model.head_dim, 2);
  const double size = std::sqrt(dot(q, q, model.head_dim) * dot(k, k, model.head_dim));
  // Each of q and k is rounded three times on the way: six times half an ulp of its length.
  const double bound = 6 * 0x1p-24 * size;
  std::vector<std::vector<std::string>> rows = {
      {"m", "n", "m - n", say(words::kHere), say(words::kThere, kShift), say(words::kDifference)}};
  double largest = 0;
  for (const auto& [m, n] : kPlaces) {
    const double here = score(config, spectrum, q, k, m, n),
                 there = score(config, spectrum, q, k, m + kShift, n + kShift);
    largest = std::max(largest, std::fabs(here - there));
    rows.push_back({fmt::format("{}", m), fmt::format("{}", n), fmt::format("{}", m - n),
                    fmt::format("{:.6f}", here), fmt::format("{:.6f}", there),
                    fmt::format("{:.1e}", here - there)});
  }
  fmt::print("{}{}{}", table(rows, std::vector<bool>(6, true)),
             say(words::kLargest, largest, bound),
             say(largest <= bound ? words::kHolds : words::kFails));
  if (largest > bound) {
    throw Error(ErrorCode::internal,
                fmt::format("{}: q.k changed with the place by {}", model.name, largest));
  }
}

void print_alibi_scores(const Voice& say, const AlibiConfig& config) {
  const std::vector<float> slopes = alibi_slopes(config);
  fmt::print("{}", say(words::kSlopes, slopes.front(), slopes.back(), slopes.size() - 1));
}

// The two position ids of ChatGLM-6B.
void print_two_axes(const Voice& say) {
  std::vector<std::vector<std::string>> rows = {
      {"  token"}, {"  " + say(words::kPositionIds)}, {"  " + say(words::kBlockIds)}};
  for (const std::string& token : tokens_of(say(kILoveYou))) rows[0].push_back(token);
  rows[0].insert(rows[0].end(), {"gMASK", "bos", "我", "也"});
  // By ids of its vocabulary, of which gMASK and bos decide.
  const ChatGlmPositions ids =
      chatglm_positions(std::vector<int64_t>{5, 6, 7, 130001, 130004, 8, 9});
  for (const int64_t id : ids.position) rows[1].push_back(fmt::to_string(id));
  for (const int64_t id : ids.block_position) rows[2].push_back(fmt::to_string(id));
  fmt::print("{}{}{}", say(words::kTwoAxes), table(rows), say(words::kBothAxes));
}

void print_model(const Voice& say, const std::string& name) {
  const ModelEncoding model = preset(name);
  const PositionEncoding& encoding = model.layers.front().positions;
  fmt::print("{}", say(words::kModel, name, model.heads, model.kv_heads, model.head_dim,
                       model.layers.size()));
  if (const auto* alibi = std::get_if<AlibiConfig>(&encoding)) {
    fmt::print("{}", say(words::kAlibi));
    return print_alibi_scores(say, *alibi);
  }
  const auto& rope = std::get<RopeConfig>(encoding);
  fmt::print("{}", say(words::kRope, rope.rope_theta));
  for (const RotaryWindow& window : rope.layout.windows) {
    const char* pairs = window.pairing == Pairing::half_split ? "(i, i + {})" : "(2i, 2i + 1)";
    fmt::print("{}", say(words::kWindow, window.offset, window.offset + window.dim - 1,
                         fmt::format(fmt::runtime(pairs), window.dim / 2)));
  }
  if (rope.position_axes == 2) {
    print_two_axes(say);
  }
  print_rotary_scores(say, model, rope);
}

#ifdef ROPEWALK_PLOTS

// The mean over all channels of the head of what is left of a pair's product at a distance.
plot::Series decay_of(const Voice& say, const std::string& name) {
  const ModelEncoding model = preset(name);
  const auto& config = std::get<RopeConfig>(model.layers.front().positions);
  const Spectrum spectrum = make_spectrum(config);
  plot::Series series{.name = say(words::kSeries, name, config.rope_theta)};
  for (int64_t distance = 0; distance <= 4096; distance += distance < 256 ? 1 : 8) {
    double sum = 0;
    for (double inv_freq : spectrum.inv_freq) {
      sum += std::cos(static_cast<double>(distance) * inv_freq);
    }
    const double still =
        static_cast<double>(model.head_dim) / 2 - static_cast<double>(spectrum.inv_freq.size());
    series.x.push_back(static_cast<double>(distance));
    series.y.push_back((sum + still) / (static_cast<double>(model.head_dim) / 2));
  }
  return series;
}

plot::RotationPanel panel_of(const Voice& say, const RopeConfig& config, const Spectrum& spectrum,
                             int64_t pair) {
  const double inv_freq = spectrum.inv_freq[static_cast<size_t>(pair)];
  plot::RotationPanel panel{.title = say(words::kPair, pair, inv_freq),
                            .x_label = say(words::kChannel, pair),
                            .y_label = say(words::kChannel, pair + config.rotary_dim / 2)};
  panel.angle_per_step = inv_freq;
  Tensor q = make_tensor(DType::f32, {7, 1, config.layout.head_dim});
  auto* values = reinterpret_cast<float*>(q.bytes.data());
  for (int64_t m = 0; m < 7; ++m) values[m * config.layout.head_dim + pair] = 1;  // the pair (1, 0)
  apply_rope(spectrum, config.layout, positions_from(0), in_place(q.view()));
  for (int64_t m = 0; m < 7; ++m) {
    const float* row = values + m * config.layout.head_dim;
    panel.arrows.push_back({fmt::format("m={}", m), row[pair], row[pair + config.rotary_dim / 2]});
  }
  return panel;
}

void draw(const Voice& say, Album& album) {
  const ModelEncoding llama = preset("llama-2-7b");
  const auto& config = std::get<RopeConfig>(llama.layers.front().positions);
  const Spectrum spectrum = make_spectrum(config);
  album.add("rotating-pairs.png",
            plot::RotationDiagram{
                .title = say(words::kPairsPicture),
                .panels = {panel_of(say, config, spectrum, 0), panel_of(say, config, spectrum, 16),
                           panel_of(say, config, spectrum, 32)},
                .caption = say(words::kPairsCaption)});
  album.add("decay.png",
            plot::LineChart{.title = say(words::kDecayPicture),
                            .x_label = say(words::kDistance),
                            .y_label = say(words::kRatio),
                            .series = {decay_of(say, "llama-2-7b"), decay_of(say, "llama-3-8b"),
                                       decay_of(say, "glm-4-9b-chat")},
                            .caption = say(words::kDecayCaption)});
}

#endif

}  // namespace

void rotary_positions(const Voice& say, Album& album) {
  fmt::print("{}", say(words::kTitle));
  for (const char* name : {"llama-2-7b", "llama-3-8b", "baichuan-7b", "baichuan-13b", "chatglm-6b",
                           "chatglm3-6b", "glm-4-9b-chat"}) {
    print_model(say, name);
  }
#ifdef ROPEWALK_PLOTS
  draw(say, album);
#else
  (void)album;
#endif
}

}  // namespace ropewalk::cli::demo
