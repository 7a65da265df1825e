#include "cli/attend_arrays.h"

#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/attention/prepare_heads.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/positions/chatglm.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

struct Learned {
  std::optional<Tensor> q_norm, k_norm, sinks, bucket_bias;

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
  return {
      read_learned(norms, input.q_norm, "--q-norm", why),
      read_learned(norms, input.k_norm, "--k-norm", why),
      read_learned(config.sinks, input.sinks, "--sinks",
                   "the layer has a learned logit for each head"),
      read_learned(std::holds_alternative<BucketBiasConfig>(layer.positions), input.bucket_bias,
                   "--bucket-bias", "the layer has a table of numbers for buckets of distances")};
}

// q, k and v as the scores take them, in place.
void prepare(const Layer& layer, const AttendInput& input, const Learned& learned,
             const ProjectedHeads& heads) {
  Positions positions;
  if (reads_position_ids(layer)) {
    positions = read_positions(input.positions, input.token_ids, heads.k.shape[1],
                               std::get_if<RopeConfig>(&layer.positions));
  }
  with_input_files(input.q + ", " + input.k, [&] {
    prepare_heads(layer,
                  {.q_norm = Learned::view(learned.q_norm),
                   .k_norm = Learned::view(learned.k_norm),
                   .normed = input.normed},
                  reads_position_ids(layer) ? positions.view() : positions_from(0), heads,
                  input.seq_len);
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

// Pairs of a query and a key that take seconds.
constexpr double kLongWork = 1e8;

Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v,
                const AttentionOptions& options) {
  Dims shape = q.shape;
  if (!v.shape.empty() && !shape.empty()) shape[shape.size() - 1] = v.shape.back();
  Tensor out = make_tensor(DType::f32, shape);
  AttentionOptions told = options;
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) {
    told.progress = [](double done, double all) {
      if (all > kLongWork) fmt::print(stderr, "\r\033[Kattend: {:.0f} %", 100 * done / all);
    };
  }
  attend(q.view(), k.view(), v.view(), out.view(), told);
  if (terminal) fmt::print(stderr, "\r\033[K");
  return out;
}

std::span<const float> floats_of(const std::optional<Tensor>& tensor) {
  if (!tensor) return {};
  return {reinterpret_cast<const float*>(tensor->bytes.data()),
          tensor->bytes.size() / sizeof(float)};
}

// Of a layer that changes them otherwise than by the rotation, as float32.
Tensor load(const std::string& path, const char* name, bool bf16, bool changed) {
  Tensor tensor = load_tensor(path, name, bf16);
  if (tensor.dtype == DType::f32 || !changed) return tensor;
  return converted(std::as_const(tensor).view(), DType::f32);
}

}  // namespace

Attended attend_arrays(const Layer& layer, const AttendInput& input, bool want_scores,
                       bool want_output) {
  check_computed(layer);
  const Learned learned = read_learned(layer, input);
  const bool changed = changes_q_and_k(layer);
  Tensor q = load(input.q, "q", input.bf16, changed), k = load(input.k, "k", input.bf16, changed);
  std::optional<Tensor> v;
  if (want_output) v = load(input.v, "v", input.bf16, changes_v(layer));
  const auto given =
      input.layout.empty()
          ? std::nullopt
          : std::optional(parse_name(input.layout, "--layout", tensor_layout_from_name));
  check_head_count(layer, {"q", q.shape}, input.q, given);
  check_head_count(layer, {"k", k.shape, true}, input.k, given);
  const std::optional<Tensor> mask = read_key_mask(input.key_mask);
  const int64_t prefix[] = {prefix_of(layer, input.prefix, input.token_ids)};
  std::string files = input.q + ", " + input.k;
  for (const std::string& more : {input.v, input.key_mask}) {
    files += more.empty() ? "" : ", " + more;
  }
  LayerScores scores;
  with_input_files(files, [&] {
    scores = ropewalk::scores_of(layer, {.sinks = floats_of(learned.sinks),
                                         .bucket_bias = Learned::view(learned.bucket_bias)});
  });
  AttentionOptions& options = scores.options;
  options.alibi_slopes = scores.slopes;
  options.prefix = prefix;
  options.tensor_layout = given.value_or(TensorLayout::bshd);
  if (mask) options.key_mask = mask->view();
  ProjectedHeads heads;
  with_input_files(files, [&] {
    heads = {as_bshd(q.view(), options.tensor_layout, "q"),
             as_bshd(k.view(), options.tensor_layout, "k")};
    if (v) heads.v = as_bshd(v->view(), options.tensor_layout, "v");
  });
  prepare(layer, input, learned, heads);
  Attended result;
  with_input_files(files, [&] {
    if (want_scores) result.scores = scores_of(q, k, options);
    if (v) result.out = attended(q, k, *v, options);
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
  return chatglm_prompt_length(read_token_ids(token_ids));
}

void check_positions_matter(const Layer& layer, const std::string& positions,
                            const std::string& token_ids) {
  if (reads_position_ids(layer)) return;
  for (const auto& [option, value] :
       {std::pair{"--positions", &positions}, {"--token-ids", &token_ids}}) {
    if (value->empty()) continue;
    fail(fmt::format("{}: this model has {}, which counts tokens", option, name(layer.positions)));
  }
}

}  // namespace ropewalk::cli
