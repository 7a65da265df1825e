#include <cmath>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/layer_weights.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/attention/attention.h"
#include "ropewalk/attention/self_attention.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

struct Options {
  std::string model, q, k, v, weights, input, positions, token_ids, mask, output, scores;
  std::string layer = "0", layout;
  bool causal = false, force = false, bf16 = false;
};

int64_t axes_of(const PositionEncoding& encoding) {
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  return rope == nullptr ? 1 : rope->position_axes;
}

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

// ALiBi counts tokens; positions that are given would go nowhere.
void check_positions_matter(const Options& o, const PositionEncoding& encoding) {
  if (std::holds_alternative<RopeConfig>(encoding)) return;
  for (const auto& [option, value] :
       {std::pair{"--positions", &o.positions}, {"--token-ids", &o.token_ids}}) {
    if (value->empty()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: this model has {}, which counts tokens", option, name(encoding)));
  }
}

// How many tokens q and k have.
std::pair<int64_t, int64_t> lengths(const Tensor& q, const Tensor& k, TensorLayout layout) {
  const int64_t queries = as_bshd(q.view(), layout, "q").shape[1],
                keys = as_bshd(k.view(), layout, "k").shape[1];
  if (queries > keys)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("q has {} tokens but k only {}", queries, keys));
  return {queries, keys};
}

// q and k rotated in place, and what of the encoding goes into the scores.
struct Prepared {
  double scale = 0;
  std::vector<float> slopes;
};

Prepared prepare(const PositionEncoding& encoding, const Options& o, Tensor& q, Tensor& k,
                 TensorLayout layout) {
  Prepared prepared;
  if (const auto* alibi = std::get_if<AlibiConfig>(&encoding)) {
    if (alibi->form == AlibiForm::symmetric && !o.causal) {
      throw Error(ErrorCode::unsupported,
                  "the model's bias is symmetric: expected --causal, where that is no matter");
    }
    const double head_dim = q.shape.empty() ? 1 : static_cast<double>(q.shape.back());
    prepared.slopes = alibi_score_slopes(*alibi, 1 / std::sqrt(head_dim));
  }
  const auto* rope = std::get_if<RopeConfig>(&encoding);
  if (rope == nullptr) return prepared;
  const std::string files = o.q + ", " + o.k;
  int64_t queries = 0, keys = 0;
  with_input_files(files, [&] { std::tie(queries, keys) = lengths(q, k, layout); });
  const Positions positions =
      read_positions(o.positions, o.token_ids, keys, axis_count(make_spectrum(*rope)));
  prepared.scale = make_spectrum(*rope).softmax_scale;
  const RopeOptions options{.tensor_layout = layout};
  with_input_files(files, [&] {
    const std::vector<int64_t> lengths =
        lengths_of(positions, as_bshd(k.view(), layout, "k"), *rope);
    apply_rope_by_length(*rope, lengths, positions.view(), in_place(k.view()), std::nullopt,
                         options);
    apply_rope_by_length(*rope, lengths, last_positions(positions, queries), in_place(q.view()),
                         std::nullopt, options);
  });
  return prepared;
}

std::optional<Tensor> read_mask(const Options& o) {
  if (o.mask.empty()) return std::nullopt;
  return read_npy(o.mask);
}

AttentionOptions attention_options(const Options& o, const std::optional<Tensor>& mask) {
  AttentionOptions options{.causal = o.causal};
  if (!o.layout.empty())
    options.tensor_layout = parse_name(o.layout, "--layout", tensor_layout_from_name);
  if (mask) options.key_mask = mask->view();
  return options;
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

// Both results are computed before one is written.
int attend_to_arrays(const Options& o, const PositionEncoding& encoding) {
  Tensor q = load_tensor(o.q, "q", o.bf16), k = load_tensor(o.k, "k", o.bf16);
  std::optional<Tensor> v, scores, out;
  if (!o.v.empty()) v = load_tensor(o.v, "v", o.bf16);
  const std::optional<Tensor> mask = read_mask(o);
  AttentionOptions options = attention_options(o, mask);
  const Prepared prepared = prepare(encoding, o, q, k, options.tensor_layout);
  options.scale = prepared.scale;
  options.alibi_slopes = prepared.slopes;
  std::string files = o.q + ", " + o.k;
  for (const std::string& more : {o.v, o.mask}) files += more.empty() ? "" : ", " + more;
  with_input_files(files, [&] {
    if (!o.scores.empty()) scores = scores_of(q, k, options);
    if (v) out = attended(q, k, *v, options);
  });
  if (scores) write_npy(o.scores, std::as_const(*scores).view(), overwrite(o.force));
  if (out) write_npy(o.output, std::as_const(*out).view(), overwrite(o.force));
  return 0;
}

int attend_with_weights(const Options& o, const ModelEncoding& model, int64_t layer) {
  const Tensor stored = load_tensor(o.input, "x", o.bf16);
  Tensor x = converted(stored.view(), DType::f32);
  const bool one_sequence = x.shape.size() == 2;
  if (one_sequence) x.shape = {1, x.shape[0], x.shape[1]};
  if (x.shape.size() != 3 || x.shape[2] != model.hidden_size) {
    throw Error(
        ErrorCode::malformed,
        fmt::format("{}: expected [batch, seq, {}] or [seq, {}], found {}", escaped(o.input),
                    model.hidden_size, model.hidden_size, to_string(stored.shape)));
  }
  const LayerWeights weights = read_layer_weights(o.weights, model, layer);
  const std::optional<Tensor> mask = read_mask(o);
  Tensor y = make_tensor(DType::f32, x.shape);
  const SelfAttention attention{model.heads, model.kv_heads, model.head_dim, layer_of(model, layer),
                                weights.view()};
  const Positions positions =
      read_positions(o.positions, o.token_ids, x.shape[1], axes_of(attention.encoding));
  with_input_files(o.input, [&] {
    forward(attention, std::as_const(x).view(), positions.view(), y.view(),
            attention_options(o, mask));
  });
  if (one_sequence) y.shape = stored.shape;
  write_npy(o.output, std::as_const(y).view(), overwrite(o.force));
  return 0;
}

void check_options(const Options& o) {
  const auto fail = [](const char* why) { throw Error(ErrorCode::invalid_argument, why); };
  const bool arrays = !o.q.empty() || !o.k.empty() || !o.v.empty(),
             layer = !o.weights.empty() || !o.input.empty();
  if (arrays == layer) fail("give either --q, --k and --v, or --weights and --input");
  if (layer && (o.weights.empty() || o.input.empty())) fail("--weights and --input go together");
  if (layer && !o.scores.empty()) fail("--scores goes with --q and --k");
  if (layer && !o.layout.empty()) fail("--layout goes with --q and --k");
  if (!o.scores.empty() && o.scores == o.output) fail("-o and --scores name the same file");
  if (arrays && (o.q.empty() || o.k.empty())) fail("--q and --k go together");
  if (o.output.empty() && (layer || !o.v.empty()))
    fail("-o FILE.npy is needed: where the result goes");
  if (!o.output.empty() && arrays && o.v.empty())
    fail("-o needs --v; for the scores alone give --scores");
  if (o.output.empty() && o.scores.empty()) fail("give -o FILE.npy, --scores FILE.npy, or both");
  for (const auto& [option, file] : {std::pair{"-o", &o.output}, {"--scores", &o.scores}}) {
    if (file->empty()) continue;
    if (!file->ends_with(".npy"))
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: \"{}\" does not end in .npy", option, escaped(*file)));
    check_output(*file, overwrite(o.force));
  }
}

int run_attend(const Options& o) {
  check_options(o);
  const ModelEncoding model = load_model(o.model);
  const int64_t layer = parse_integer(o.layer, "--layer");
  const PositionEncoding& encoding = layer_of(model, layer);
  check_positions_matter(o, encoding);
  return o.weights.empty() ? attend_to_arrays(o, encoding) : attend_with_weights(o, model, layer);
}

}  // namespace

Run declare_attend(CLI::App& app) {
  app.description(
      "Example: ropewalk attend llama-3-8b --q q.npy --k k.npy --v v.npy --causal -o out.npy\n\n"
      "softmax(q k^T scale + bias) v with the model's positions: q and k are rotated on the way "
      "in, "
      "or for\n"
      "ALiBi the bias is added. Or one whole layer, from its hidden states:\n"
      "  ropewalk attend MODEL --weights model.safetensors --layer 0 --input x.npy --causal -o "
      "y.npy");
  const auto o = std::make_shared<Options>();
  app.add_option("MODEL", o->model,
                 "a config.json, GGUF or params.json, its folder, or a preset (ropewalk models)")
      ->required();
  app.add_option("--q", o->q, "queries, not yet rotated: FILE.npy, or q of FILE.safetensors")
      ->type_name("FILE");
  app.add_option("--k", o->k, "keys, not yet rotated")->type_name("FILE");
  app.add_option("--v", o->v, "values")->type_name("FILE");
  app.add_option("--weights", o->weights,
                 "a checkpoint: FILE.safetensors, an index.json, or a folder with one")
      ->type_name("FILE");
  app.add_option("--input", o->input,
                 "with --weights: hidden states [batch, seq, hidden] or [seq, hidden]")
      ->type_name("FILE");
  add_text_option(app, "--layer", o->layer, "layer of the model (0)", "N");
  add_text_option(app, "--positions", o->positions, "of the keys: 0..16 | 0,5,9 | FILE.npy (0..S)",
                  "P");
  app.add_option("--token-ids", o->token_ids, "ChatGLM-6B: FILE.npy of the token ids")
      ->type_name("FILE");
  app.add_option("--key-mask", o->mask,
                 "FILE.npy of bool or u1 [batch, keys]: 0 hides a key (padding)")
      ->type_name("FILE");
  add_text_option(app, "--layout", o->layout,
                  "order of the dimensions of q, k, v: bshd (default) | bhsd | thd", "LAYOUT");
  app.add_flag("--causal", o->causal, "a token sees itself and those before it");
  app.add_flag("--bf16", o->bf16, "\"|V2\" arrays of .npy files are bf16");
  app.add_option("-o,--output", o->output, "write the result to FILE.npy (f4)")->type_name("FILE");
  app.add_option("--scores", o->scores,
                 "write q.k scale + bias [batch, heads, queries, keys] to FILE.npy")
      ->type_name("FILE");
  app.add_flag("--force", o->force, "replace output files that exist");
  return [o] { return run_attend(*o); };
}

}  // namespace ropewalk::cli
