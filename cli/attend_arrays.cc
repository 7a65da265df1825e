#include "cli/attend_arrays.h"

#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/learned_numbers.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/attention/prepare_heads.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/positions/chatglm.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// q, k and v as the scores take them, in place.
void prepare(const Layer& layer, const AttendInput& input, const LearnedNumbers& learned,
             const ProjectedHeads& heads) {
  Positions positions;
  if (reads_position_ids(layer)) {
    positions = read_positions(input.positions, input.token_ids, heads.k.shape[1],
                               std::get_if<RopeConfig>(&layer.positions));
  }
  with_input_files(input.q + ", " + input.k, [&] {
    prepare_heads(layer, learned.norms(),
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

Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v,
                const AttentionOptions& options) {
  Dims shape = q.shape;
  if (!v.shape.empty() && !shape.empty()) shape[shape.size() - 1] = v.shape.back();
  Tensor out = make_tensor(DType::f32, shape);
  AttentionOptions told = options;
  told.progress = attend_progress();
  attend(q.view(), k.view(), v.view(), out.view(), told);
  if (told.progress) fmt::print(stderr, "\r\033[K");
  return out;
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
  const LearnedNumbers learned = read_learned_numbers(layer, input);
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
  with_input_files(files, [&] { scores = ropewalk::scores_of(layer, learned.scores()); });
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

std::function<void(double done, double all)> attend_progress() {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return [](double done, double all) {
    constexpr double kLongWork = 1e8;  // pairs of a query and a key that take seconds
    if (all > kLongWork) fmt::print(stderr, "\r\033[Kattend: {:.0f} %", 100 * done / all);
  };
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
