#include "ropewalk/attention/heads.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/bucket_bias.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

bool present(const ConstTensorView& view) { return view.data != nullptr || !view.shape.empty(); }

float* row(const TensorView& heads, int64_t b, int64_t s, int64_t h) {
  return static_cast<float*>(heads.data) + b * heads.strides[0] + s * heads.strides[1] +
         h * heads.strides[2];
}

template <typename Function>
void for_each_head(const TensorView& heads, Function function) {
  for (int64_t b = 0; b < heads.shape[0]; ++b) {
    for (int64_t s = 0; s < heads.shape[1]; ++s) {
      for (int64_t h = 0; h < heads.shape[2]; ++h) function(row(heads, b, s, h), b, s, h);
    }
  }
}

// The learned numbers of a norm, row-major: one for each channel of a head or of all heads.
std::vector<float> learned(const ConstTensorView& view, int64_t heads, int64_t channels,
                           bool of_all, const std::string& what) {
  const int64_t count = num_elements(view.shape);
  if (count != heads * channels && (of_all || count != channels)) {
    fail(fmt::format("{}: expected {}{} numbers, found shape {}", what,
                     of_all ? "" : fmt::format("{} or ", channels), heads * channels,
                     to_string(view.shape)));
  }
  const Tensor numbers = converted(view, DType::f32);
  const auto* data = reinterpret_cast<const float*>(numbers.bytes.data());
  return {data, data + count};
}

// What a row of numbers is multiplied by, and first taken off, so that it is normed.
struct Moments {
  double shift = 0, factor = 1;
};

Moments moments(const Norm& norm, double sum, double squares, double count) {
  if (norm.kind == NormKind::rms) return {0, 1 / std::sqrt(squares / count + norm.eps)};
  if (norm.kind == NormKind::l2) return {0, 1 / std::max(std::sqrt(squares), norm.eps)};
  const double mean = sum / count;
  return {mean, 1 / std::sqrt(std::max(squares / count - mean * mean, 0.0) + norm.eps)};
}

void check_weights(const Norm& norm, const ConstTensorView& weight, const char* what) {
  if (norm.weights && !present(weight)) {
    fail(fmt::format("{}: expected weights, as the layer norms with them, found none", what));
  }
  if (!norm.weights && present(weight)) {
    fail(fmt::format("{}: expected no weights, as the layer norms without them, found shape {}",
                     what, to_string(weight.shape)));
  }
}

}  // namespace

void check_computed(const Layer& layer) {
  if (layer.mixer != Mixer::attention) {
    fail(fmt::format("mixer of the layer: expected attention, found {}", name(layer.mixer)),
         ErrorCode::unsupported);
  }
  if (const auto* relative = std::get_if<RelativeConfig>(&layer.positions)) {
    fail(fmt::format("the layer has relative positions ({}), which attend does not compute",
                     name(relative->form)),
         ErrorCode::unsupported);
  }
  for (const NotComputed what : layer.attention.not_computed) {
    if (what == NotComputed::unknown) {
      fail("what the code of this model does to its scores is not known to ropewalk",
           ErrorCode::unsupported);
    }
    fail(fmt::format("the layer has {}, which attend does not compute", name(what)),
         ErrorCode::unsupported);
  }
}

void normalize(const Norm& norm, const TensorView& heads, const ConstTensorView& weight,
               const ConstTensorView& bias, const char* what) {
  if (norm.kind == NormKind::none) {
    if (present(weight)) {
      fail(fmt::format("{}: expected no weights, as the layer has no such norm, found shape {}",
                       what, to_string(weight.shape)));
    }
    return;
  }
  check_weights(norm, weight, what);
  const int64_t count = heads.shape[2], channels = heads.shape[3];
  const bool of_all = norm.extent == NormExtent::all_heads;
  std::vector<float> weights, biases;
  if (present(weight)) weights = learned(weight, count, channels, of_all, what);
  if (present(bias)) biases = learned(bias, count, channels, of_all, std::string(what) + " bias");
  double sum = 0, squares = 0;
  const auto add = [&](const float* x) {
    for (int64_t c = 0; c < channels; ++c) {
      sum += x[c];
      squares += static_cast<double>(x[c]) * x[c];
    }
  };
  const auto number = [&](const std::vector<float>& list, int64_t h, int64_t c) {
    return static_cast<double>(
        list[static_cast<size_t>(std::ssize(list) == channels ? c : h * channels + c)]);
  };
  for_each_head(heads, [&](float* x, int64_t b, int64_t s, int64_t h) {
    if (!of_all || h == 0) {
      sum = squares = 0;
      for (int64_t other = h; other < (of_all ? count : h + 1); ++other) {
        add(row(heads, b, s, other));
      }
    }
    const Moments m =
        moments(norm, sum, squares, static_cast<double>(of_all ? count * channels : channels));
    for (int64_t c = 0; c < channels; ++c) {
      double y = (x[c] - m.shift) * m.factor;
      if (!weights.empty()) y *= number(weights, h, c) + (norm.unit_offset ? 1 : 0);
      if (!biases.empty()) y += number(biases, h, c);
      x[c] = static_cast<float>(y);
    }
  });
}

double query_factor(const QueryScale& scale, int64_t position) {
  if (scale.rule == QueryScale::Rule::log_ratio) {
    const auto length = static_cast<double>(scale.length), at = static_cast<double>(position) + 1;
    return at > length ? std::log(at) / std::log(length) : 1;
  }
  const double whole =
      std::floor((static_cast<double>(position) + static_cast<double>(scale.offset)) /
                 static_cast<double>(scale.length));
  return 1 + scale.beta * std::log1p(whole);
}

void scale_queries(const QueryScale& scale, const PositionIds& positions, const TensorView& q) {
  if (scale.length < 1) {
    fail(fmt::format("query_scale: expected a length of at least 1, found {}", scale.length));
  }
  const PositionReader reader(positions, q.shape[0], q.shape[1], 1);
  for_each_head(q, [&](float* x, int64_t b, int64_t s, int64_t) {
    const auto factor = static_cast<float>(query_factor(scale, reader.at(0, b, s)));
    for (int64_t c = 0; c < q.shape[3]; ++c) x[c] *= factor;
  });
}

void multiply(double factor, const TensorView& heads) {
  if (factor == 1) return;
  for_each_head(heads, [&](float* x, int64_t, int64_t, int64_t) {
    for (int64_t c = 0; c < heads.shape[3]; ++c) x[c] *= static_cast<float>(factor);
  });
}

void clip(double limit, const TensorView& heads) {
  if (limit == 0) return;
  const auto most = static_cast<float>(limit);
  for_each_head(heads, [&](float* x, int64_t, int64_t, int64_t) {
    for (int64_t c = 0; c < heads.shape[3]; ++c) x[c] = std::clamp(x[c], -most, most);
  });
}

LayerScores scores_of(const Layer& layer, const ScoreWeights& weights) {
  const AttentionConfig& config = layer.attention;
  LayerScores scores;
  AttentionOptions& options = scores.options;
  options.causal = config.mask != Mask::full;
  options.window_left = config.window_left;
  options.window_right = config.window_right;
  options.chunk = config.chunk;
  options.scale = config.softmax_scale != 0 ? config.softmax_scale
                                            : 1 / std::sqrt(static_cast<double>(layer.head_dim));
  options.softcap = config.softcap;
  const std::span<const float> sinks = weights.sinks;
  if (config.sinks && sinks.empty()) {
    fail("sinks: expected the layer's learned logit of each head, found none");
  }
  if (!config.sinks && !sinks.empty()) {
    fail(fmt::format("sinks: expected none, as the layer has none, found {}", sinks.size()));
  }
  options.sinks = sinks;
  if (const auto* alibi = std::get_if<AlibiConfig>(&layer.positions)) {
    if (alibi_heads(*alibi) != layer.heads) {
      fail(fmt::format("the ALiBi encoding is for {} heads, but the layer has {}",
                       alibi_heads(*alibi), layer.heads));
    }
    scores.slopes = alibi_slopes(*alibi);
    options.alibi_slopes = scores.slopes;
    options.alibi_form = alibi->form;
    options.alibi_bf16 = alibi->dtype == DType::bf16;
    options.alibi_scale = alibi->before_scale ? options.scale : 1;
  }
  const auto* buckets = std::get_if<BucketBiasConfig>(&layer.positions);
  if (buckets == nullptr && present(weights.bucket_bias)) {
    fail("bucket_bias: expected none, as the layer has none, found a table");
  }
  if (buckets != nullptr) {
    if (!present(weights.bucket_bias)) {
      fail("bucket_bias: expected the layer's table [buckets, heads], found none");
    }
    scores.distance_bias = bias_by_distance(*buckets, weights.bucket_bias);
    options.distance_bias = scores.distance_bias;
    options.bias_reach = buckets->max_distance;
  }
  return scores;
}

}  // namespace ropewalk
