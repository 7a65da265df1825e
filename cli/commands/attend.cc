#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/attend_arrays.h"
#include "cli/attend_plan.h"
#include "cli/attend_ranks.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/output.h"
#include "cli/rank_options.h"
#include "cli/rotary.h"
#include "cli/with_option.h"
#include "ropewalk/attention/layer_scores.h"
#include "ropewalk/attention/self_attention.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/rope_rows.h"
#include "ropewalk/weights/layer_weights.h"

namespace ropewalk::cli {
namespace {

struct Options {
  AttendInput arrays;
  ModelOptions model;
  std::string weights, input, output, scores;
  std::string layer = "0", prefix, seq_len;
  bool causal = false, full = false, force = false;
  RankOptions ranks;
};

// The layer with the mask of the command line, and a word where the model's own is another.
Layer layer_of(const Options& o, const ModelEncoding& model, int64_t number, bool warn) {
  Layer layer = layer_option(model, number);
  if (!o.causal && !o.full) return layer;
  const Mask asked = o.causal ? Mask::causal : Mask::full;
  if (warn && layer.attention.mask != asked) {
    fmt::print(stderr, "ropewalk: warning: --{}: the mask of {} is {}\n",
               o.causal ? "causal" : "full", escaped(model.name), name(layer.attention.mask));
  }
  layer.attention.mask = asked;
  if (asked == Mask::full) layer.attention.window_right = -1;
  return layer;
}

// Both results are computed before one is written.
int attend_to_arrays(const Options& o, const Layer& layer) {
  const Attended result = attend_arrays(layer, o.arrays, !o.scores.empty(), !o.arrays.v.empty());
  if (result.scores) write_npy(o.scores, result.scores->view(), overwrite(o.force));
  if (result.out) write_npy(o.output, result.out->view(), overwrite(o.force));
  return 0;
}

int attend_with_weights(const Options& o, const ModelEncoding& model, const Layer& layer,
                        int64_t number) {
  const Tensor stored = load_tensor(o.input, "x", o.arrays.bf16);
  Tensor x = converted(stored.view(), DType::f32);
  const bool one_sequence = x.shape.size() == 2;
  if (one_sequence) x.shape = {1, x.shape[0], x.shape[1]};
  if (x.shape.size() != 3 || x.shape[2] != model.hidden_size) {
    throw Error(
        ErrorCode::malformed,
        fmt::format("{}: expected [batch, seq, {}] or [seq, {}], found {}", escaped(o.input),
                    model.hidden_size, model.hidden_size, to_string(stored.shape)));
  }
  check_computed(layer);
  const LayerWeights weights = read_layer_weights(o.weights, model, number);
  warn_of_findings(model, o.weights);
  if (!weights.unused.empty()) {
    fmt::print(stderr,
               "ropewalk: warning: {}: tensor \"{}\" is no part of a layer of {}{}; the "
               "checkpoint may be another model's\n",
               escaped(o.weights), escaped(weights.unused.front()), escaped(model.model_type),
               weights.unused.size() == 1
                   ? ""
                   : fmt::format(", nor are {} more", weights.unused.size() - 1));
  }
  const std::optional<Tensor> mask = read_key_mask(o.arrays.key_mask);
  Tensor y = make_tensor(DType::f32, x.shape);
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  const Positions positions =
      read_positions(o.arrays.positions, o.arrays.token_ids, x.shape[1], rope);
  const int64_t prefix[] = {prefix_of(layer, o.arrays.prefix, o.arrays.token_ids)};
  SelfAttentionOptions options{.prefix = prefix};
  if (mask) options.key_mask = mask->view();
  with_input_files(o.input, [&] {
    const int64_t seq_len = o.arrays.seq_len;
    const RopeRows rows =
        rope != nullptr && seq_len > 0
            ? make_rope_rows(make_spectrum(*rope, seq_len), positions.view(), x.shape[0],
                             x.shape[1])
            : step_rows(layer.positions, positions.view(), x.shape[0], x.shape[1]);
    forward({layer, views_of(weights)}, std::as_const(x).view(), positions.view(), rows, y.view(),
            options);
  });
  if (one_sequence) y.shape = stored.shape;
  write_npy(o.output, std::as_const(y).view(), overwrite(o.force));
  return 0;
}

// Files are written by the first of several ranks alone.
void check_options(const Options& o, bool first) {
  const auto fail = [](const char* why) { throw Error(ErrorCode::invalid_argument, why); };
  const AttendInput& in = o.arrays;
  const bool arrays = !in.q.empty() || !in.k.empty() || !in.v.empty(),
             layer = !o.weights.empty() || !o.input.empty();
  if (arrays == layer) fail("give either --q, --k and --v, or --weights and --input");
  if (layer && (o.weights.empty() || o.input.empty())) fail("--weights and --input go together");
  if (layer && !o.scores.empty()) fail("--scores goes with --q and --k");
  if (layer && !in.layout.empty()) fail("--layout goes with --q and --k");
  if (layer && (!in.q_norm.empty() || !in.k_norm.empty() || !in.sinks.empty() ||
                !in.bucket_bias.empty() || in.normed)) {
    fail("--q-norm, --k-norm, --normed, --sinks and --bucket-bias go with --q and --k");
  }
  if (o.causal && o.full) fail("give either --causal or --full");
  if (!o.scores.empty() && o.scores == o.output) fail("-o and --scores name the same file");
  if (arrays && (in.q.empty() || in.k.empty())) fail("--q and --k go together");
  if (o.output.empty() && (layer || !in.v.empty())) {
    fail("-o FILE.npy is needed: where the result goes");
  }
  if (!o.output.empty() && arrays && in.v.empty()) {
    fail("-o needs --v; for the scores alone give --scores");
  }
  if (o.output.empty() && o.scores.empty()) fail("give -o FILE.npy, --scores FILE.npy, or both");
  for (const auto& [option, file] : {std::pair{"-o", &o.output}, {"--scores", &o.scores}}) {
    if (file->empty()) continue;
    if (!file->ends_with(".npy")) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: \"{}\" does not end in .npy", option, escaped(*file)));
    }
    if (first) check_output(*file, overwrite(o.force));
  }
}

// The layer with what the command line says of it, and what it says of the options.
Layer read_layer(Options& o, const ModelEncoding& model, int64_t number, bool warn) {
  Layer layer = layer_of(o, model, number, warn);
  o.arrays.seq_len = seq_len_option(o.seq_len);
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  if (warn && o.arrays.seq_len > 0 && rope != nullptr) {
    warn_of_ignored_length(*rope, o.arrays.seq_len);
  }
  if (warn && o.weights.empty() && o.model.with.empty()) warn_of_findings(model, o.model.model);
  check_positions_matter(layer, o.arrays.positions, o.arrays.token_ids);
  return layer;
}

void parse_prefix(Options& o) {
  if (o.prefix.empty()) return;
  o.arrays.prefix = parse_integer(o.prefix, "--prefix");
  if (o.arrays.prefix >= 0) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--prefix: expected 0 tokens or more, found {}", o.arrays.prefix));
}

// Several ranks, or one that works as they do.
int attend_of_ranks(Options& o) {
  return attend_in_ranks({o.arrays, o.ranks, o.output, overwrite(o.force)}, [&](bool first) {
    check_options(o, first);
    if (!o.weights.empty() || !o.scores.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "expected --q, --k and --v for several ranks, --cu-seqlens, --order or --json, "
                  "found --weights or --scores");
    }
    parse_prefix(o);
    const ModelEncoding model = load(o.model).model;
    return read_layer(o, model, parse_integer(o.layer, "--layer"), first);
  });
}

void check_plan(const Options& o) {
  const AttendInput& in = o.arrays;
  for (const std::string* file :
       {&in.q, &in.k, &in.v, &in.key_mask, &o.weights, &o.input, &o.output, &o.scores}) {
    if (file->empty()) continue;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--plan reads no arrays and writes none: expected MODEL and sizes "
                            "alone, found {}",
                            escaped(*file)));
  }
}

int run_attend(Options& o) {
  check_rank_options(o.ranks);
  const bool plans = !o.ranks.plan.empty();
  if (!plans && is_for_ranks(o.ranks)) return attend_of_ranks(o);
  if (plans) {
    check_plan(o);
  } else {
    check_options(o, true);
  }
  parse_prefix(o);
  const ModelEncoding model = load(o.model).model;
  const int64_t number = parse_integer(o.layer, "--layer");
  const Layer layer = read_layer(o, model, number, true);
  if (plans) return print_attend_plan(o.ranks, layer);
  return o.weights.empty() ? attend_to_arrays(o, layer)
                           : attend_with_weights(o, model, layer, number);
}

}  // namespace

Run declare_attend(CLI::App& app) {
  app.description(
      "Example: ropewalk attend llama-3-8b --q q.npy --k k.npy --v v.npy --causal -o out.npy\n\n"
      "softmax(q k^T scale + bias) v as the model's layer does it: q and k, as projected, are "
      "normed "
      "and\n"
      "rotated on the way in, or for ALiBi the bias is added; scale, softcap, window, chunk, sinks "
      "and mask\n"
      "are the layer's (ropewalk show). Or one whole layer, from its hidden states:\n"
      "  ropewalk attend MODEL --weights model.safetensors --layer 0 --input x.npy --causal -o "
      "y.npy");
  const auto o = std::make_shared<Options>();
  app.add_option("MODEL", o->model.model,
                 "a config.json, GGUF or params.json, its folder, or a preset (ropewalk models)")
      ->type_name("MODEL")
      ->required();
  app.add_option("--q", o->arrays.q,
                 "queries, not yet rotated: FILE.npy, or q of FILE.safetensors or FILE.pt")
      ->type_name("FILE");
  app.add_option("--k", o->arrays.k, "keys, not yet rotated")->type_name("FILE");
  app.add_option("--v", o->arrays.v, "values")->type_name("FILE");
  app.add_option("--weights", o->weights,
                 "a checkpoint: FILE.safetensors, an index.json, or a folder with one")
      ->type_name("FILE");
  app.add_option("--input", o->input,
                 "with --weights: hidden states [batch, seq, hidden] or [seq, hidden]")
      ->type_name("FILE");
  add_text_option(app, "--layer", o->layer, "layer of the model (0)", "N");
  add_text_option(app, "--seq-len", o->seq_len, kSeqLenHelp, "N");
  add_reading_options(app, o->model);
  add_text_option(
      app, "--positions", o->arrays.positions,
      "of the keys: 0..16 | 0,5,9 | FILE.npy (0..S); one list serves all axes of M-RoPE "
      "(text)",
      "P");
  app.add_option("--token-ids", o->arrays.token_ids, "ChatGLM-6B: FILE.npy of the token ids")
      ->type_name("FILE");
  app.add_option("--key-mask", o->arrays.key_mask,
                 "FILE.npy of bool, u1, i4 or i8 [batch, keys]: 1 is a key, 0 hides it (padding)")
      ->type_name("FILE");
  add_choice_option(app, "--layout", o->arrays.layout, {"bshd", "bhsd", "thd"},
                    "order of the dimensions of q, k, v (bshd)");
  app.add_option("--q-norm", o->arrays.q_norm,
                 "weights of the norm of q: FILE.npy, or q-norm of FILE.safetensors or FILE.pt")
      ->type_name("FILE");
  app.add_option("--k-norm", o->arrays.k_norm, "weights of the norm of k")->type_name("FILE");
  app.add_flag("--normed", o->arrays.normed, "q and k were normed before");
  app.add_option("--bucket-bias", o->arrays.bucket_bias,
                 "T5: learned numbers [buckets, heads] for the distance to a key")
      ->type_name("FILE");
  app.add_option("--sinks", o->arrays.sinks, "learned logits [heads] that join the softmax")
      ->type_name("FILE");
  add_text_option(app, "--prefix", o->prefix, "ChatGLM-6B: tokens of the prompt, which all see",
                  "N");
  app.add_flag("--causal", o->causal,
               "a token sees itself and those before it, whatever the model's mask");
  app.add_flag("--full", o->full, "a token sees all others, whatever the model's mask");
  app.add_flag("--bf16", o->arrays.bf16, "\"|V2\" arrays of .npy files are bf16");
  app.add_option("-o,--output", o->output, "write the result to FILE.npy (f4)")->type_name("FILE");
  app.add_option("--scores", o->scores,
                 "write q.k scale + bias [batch, heads, queries, keys] to FILE.npy")
      ->type_name("FILE");
  app.add_flag("--force", o->force, "replace output files that exist");
  declare_rank_options(app, o->ranks);
  return [o] { return run_attend(*o); };
}

}  // namespace ropewalk::cli
