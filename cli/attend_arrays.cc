#include "cli/attend_arrays.h"

#include <cstring>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/heads.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// The ids of the last `count` of the tokens: queries are the last of the keys.
PositionIds last_positions(const Positions& positions, int64_t count) {
  ConstTensorView ids = positions.ids.view();
  const int last = ids.shape.size() - 1;
  const int64_t skipped = ids.shape[last] - count;
  if (skipped > 0) {
    ids.data = static_cast<const char*>(ids.data) +
               skipped * static_cast<int64_t>(size_in_bytes(ids.dtype));
    ids.shape[last] = count;
  }
  return positions_of(ids);
}

// How many tokens q and k have.
std::pair<int64_t, int64_t> lengths(const Tensor& q, const Tensor& k, TensorLayout layout) {
  const int64_t queries = as_bshd(q.view(), layout, "q").shape[1],
                keys = as_bshd(k.view(), layout, "k").shape[1];
  if (queries > keys) fail(fmt::format("q has {} tokens but k only {}", queries, keys));
  return {queries, keys};
}

struct Learned {
  std::optional<Tensor> q_norm, k_norm, sinks;

  static ConstTensorView view(const std::optional<Tensor>& tensor) {
    return tensor ? tensor->view() : ConstTensorView{};
  }
};

// "--sinks: ..." for what the layer needs and was not given, or was given and cannot use.
std::optional<Tensor> read_learned(bool needed, const std::string& path, const char* option,
                                   const std::string& why) {
  if (needed && path.empty()) fail(fmt::format("{} FILE is needed: {}", option, why));
  if (!needed && !path.empty()) fail(fmt::format("{}: this layer has no use for it", option));
  if (path.empty()) return std::nullopt;
  return converted(load_tensor(path, option + 2, false).view(), DType::f32);
}

Learned read_learned(const Layer& layer, const AttendInput& input) {
  const AttentionConfig& config = layer.attention;
  const bool before = config.qk_norm.place == NormPlace::before_rotation;
  if (input.normed && (config.qk_norm.kind == NormKind::none || !before)) {
    fail("--normed: this layer has no norm before the rotation");
  }
  const bool norms =
      config.qk_norm.kind != NormKind::none && config.qk_norm.weights && !input.normed;
  const std::string why =
      fmt::format("the layer norms q and k {} the rotation{}", before ? "before" : "after",
                  before ? "; or --normed, where that was done" : "");
  return {read_learned(norms, input.q_norm, "--q-norm", why),
          read_learned(norms, input.k_norm, "--k-norm", why),
          read_learned(config.sinks, input.sinks, "--sinks",
                       "the layer has a learned logit for each head")};
}

// Whether q and k go through float32 arithmetic beside the rotation.
bool is_changed(const Layer& layer) {
  const AttentionConfig& config = layer.attention;
  return config.qk_norm.kind != NormKind::none || config.key_multiplier != 1 || config.query_scale;
}

void norm_both(const Layer& layer, NormPlace place, const Learned& learned, const TensorView& q,
               const TensorView& k) {
  const Norm& norm = layer.attention.qk_norm;
  if (norm.kind == NormKind::none || norm.place != place) return;
  normalize(norm, q, Learned::view(learned.q_norm), {}, "q_norm");
  normalize(norm, k, Learned::view(learned.k_norm), {}, "k_norm");
}

// q and k as the scores take them, in place.
void prepare(const Layer& layer, const AttendInput& input, const Learned& learned, Tensor& q,
             Tensor& k, TensorLayout tensor_layout) {
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  const AttentionConfig& config = layer.attention;
  const std::string files = input.q + ", " + input.k;
  int64_t queries = 0, keys = 0;
  with_input_files(files, [&] { std::tie(queries, keys) = lengths(q, k, tensor_layout); });
  const TensorView q4 = as_bshd(q.view(), tensor_layout, "q"),
                   k4 = as_bshd(k.view(), tensor_layout, "k");
  if (rope == nullptr && !is_changed(layer)) return;
  const Positions positions = read_positions(input.positions, input.token_ids, keys,
                                             rope == nullptr ? 1 : rope->position_axes);
  with_input_files(files, [&] {
    multiply(config.key_multiplier, k4);
    if (!input.normed) norm_both(layer, NormPlace::before_rotation, learned, q4, k4);
    if (rope != nullptr) {
      const RopeOptions options{.tensor_layout = tensor_layout};
      const std::vector<int64_t> all = lengths_of(positions, k4, *rope);
      apply_rope_by_length(*rope, all, positions.view(), in_place(k.view()), std::nullopt, options);
      apply_rope_by_length(*rope, all, last_positions(positions, queries), in_place(q.view()),
                           std::nullopt, options);
    }
    norm_both(layer, NormPlace::after_rotation, learned, q4, k4);
    if (config.query_scale) {
      scale_queries(*config.query_scale, last_positions(positions, queries), q4);
    }
  });
}

Tensor scores_of(const Tensor& q, const Tensor& k, const AttentionOptions& options) {
  const ConstTensorView q4 = as_bshd(q.view(), options.tensor_layout, "q"),
                        k4 = as_bshd(k.view(), options.tensor_layout, "k");
  Tensor scores = make_tensor(
      DType::f32, q.shape.size() == 3 ? Dims{q4.shape[2], q4.shape[1], k4.shape[1]}
                                      : Dims{q4.shape[0], q4.shape[2], q4.shape[1], k4.shape[1]});
  attention_scores(q.view(), k.view(), scores.view(), options);
  return scores;
}

Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v,
                const AttentionOptions& options) {
  Dims shape = q.shape;
  if (!v.shape.empty() && !shape.empty()) shape[shape.size() - 1] = v.shape.back();
  Tensor out = make_tensor(DType::f32, shape);
  attend(q.view(), k.view(), v.view(), out.view(), options);
  return out;
}

std::span<const float> floats_of(const std::optional<Tensor>& tensor) {
  if (!tensor) return {};
  return {reinterpret_cast<const float*>(tensor->bytes.data()),
          tensor->bytes.size() / sizeof(float)};
}

Tensor load(const Layer& layer, const std::string& path, const char* name, bool bf16) {
  Tensor tensor = load_tensor(path, name, bf16);
  const bool wide = tensor.dtype == DType::f32 || !is_changed(layer);
  return wide ? std::move(tensor) : converted(std::as_const(tensor).view(), DType::f32);
}

}  // namespace

Attended attend_arrays(const Layer& layer, const AttendInput& input, bool want_scores,
                       bool want_output) {
  check_computed(layer);
  const Learned learned = read_learned(layer, input);
  Tensor q = load(layer, input.q, "q", input.bf16), k = load(layer, input.k, "k", input.bf16);
  std::optional<Tensor> v;
  if (want_output) v = load_tensor(input.v, "v", input.bf16);
  const std::optional<Tensor> mask = read_key_mask(input.key_mask);
  const int64_t prefix[] = {prefix_of(layer, input.prefix, input.token_ids)};
  std::string files = input.q + ", " + input.k;
  for (const std::string& more : {input.v, input.key_mask}) {
    files += more.empty() ? "" : ", " + more;
  }
  LayerScores scores;
  with_input_files(files, [&] { scores = ropewalk::scores_of(layer, floats_of(learned.sinks)); });
  AttentionOptions& options = scores.options;
  options.alibi_slopes = scores.slopes;
  options.prefix = prefix;
  if (!input.layout.empty()) {
    options.tensor_layout = parse_name(input.layout, "--layout", tensor_layout_from_name);
  }
  if (mask) options.key_mask = mask->view();
  prepare(layer, input, learned, q, k, options.tensor_layout);
  Attended result;
  with_input_files(files, [&] {
    if (want_scores) result.scores = scores_of(q, k, options);
    if (v) {
      multiply(layer.attention.value_multiplier, as_bshd(v->view(), options.tensor_layout, "v"));
      result.out = attended(q, k, *v, options);
    }
  });
  return result;
}

std::optional<Tensor> read_key_mask(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return read_npy(path);
}

int64_t prefix_of(const Layer& layer, int64_t given, const std::string& token_ids) {
  if (layer.attention.mask != Mask::prefix) {
    if (given >= 0) fail("--prefix: this layer's mask has no prefix that all tokens see");
    return 0;
  }
  if (given >= 0) return given;
  if (token_ids.empty()) {
    fail(
        "all tokens of the prompt see one another in this model: give --prefix N, their number, or "
        "--token-ids");
  }
  const Tensor ids = read_npy(token_ids);
  const PositionReader reader(positions_of(ids.view()), 1, ids.shape[0], 1);
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < ids.shape[0]; ++i) tokens.push_back(reader.at(0, 0, i));
  // What precedes bos has no block position.
  const std::vector<int64_t> blocks = chatglm_positions(tokens).block_position;
  int64_t prompt = 0;
  while (prompt < std::ssize(blocks) && blocks[static_cast<size_t>(prompt)] == 0) ++prompt;
  return prompt;
}

void check_positions_matter(const Layer& layer, const std::string& positions,
                            const std::string& token_ids) {
  if (std::holds_alternative<RopeConfig>(layer.positions) || layer.attention.query_scale) return;
  for (const auto& [option, value] :
       {std::pair{"--positions", &positions}, {"--token-ids", &token_ids}}) {
    if (value->empty()) continue;
    fail(fmt::format("{}: this model has {}, which counts tokens", option, name(layer.positions)));
  }
}

}  // namespace ropewalk::cli
