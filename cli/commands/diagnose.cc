#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/diagnose_checkpoints.h"
#include "cli/diagnose_scores.h"
#include "cli/diagnose_sources.h"
#include "cli/diagnose_vectors.h"
#include "cli/rotary.h"
#include "cli/with_option.h"

namespace ropewalk::cli {
namespace {

struct Options : DumpSources {
  std::string other, other_model;
  bool weights = false;
  ScoreOptions scores;
};

void check_form(const Options& o) {
  const auto given = [](const std::string& text) { return text.empty() ? 0 : 1; };
  const int forms = given(o.before + o.after) + given(o.mine + o.reference) + given(o.cos + o.sin) +
                    given(o.freqs_cis) + given(o.inv_freq) + given(o.sinusoidal) +
                    int{o.scores.any()};
  const bool halves = given(o.before) != given(o.after) || given(o.mine) != given(o.reference) ||
                      given(o.cos) != given(o.sin);
  if (forms == 1 && !halves) return;
  throw Error(ErrorCode::invalid_argument,
              "give --before and --after, or --mine and --reference, or --cos and --sin, or "
              "--freqs-cis, or --inv-freq, or --sinusoidal, or "
              "--scores, --q and --k, or two checkpoints");
}

int of_scores(const Options& o) {
  if (!o.part.empty()) throw Error(ErrorCode::invalid_argument, "--scores are those of a --layer");
  const ModelEncoding model = load(o.model).model;
  return diagnose_scores_of(
      o.scores, {o.positions, o.token_ids, o.layout, seq_len_option(o.seq_len), o.json, o.bf16},
      model, o.layer.empty() ? first_with_positions(model) : parse_integer(o.layer, "--layer"));
}

int of_checkpoints(const Options& o) {
  if (o.other.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "--weights and --other-model go with two checkpoints, MODEL and OTHER");
  }
  if (o.scores.any() || !(o.before + o.after + o.mine + o.reference + o.cos + o.sin + o.freqs_cis +
                          o.inv_freq + o.sinusoidal + o.positions + o.token_ids + o.layer + o.part)
                             .empty()) {
    throw Error(ErrorCode::invalid_argument,
                "two checkpoints are compared without dumps, tables, layers and positions");
  }
  return diagnose_checkpoints({.model = o.model,
                               .other = o.other,
                               .other_model = o.other_model,
                               .weights_only = o.weights,
                               .json = o.json});
}

int diagnose(const Options& o) {
  if (!o.other.empty() || o.weights || !o.other_model.empty()) return of_checkpoints(o);
  check_form(o);
  if (!o.sinusoidal.empty()) {
    if ((o.layer + o.token_ids + o.seq_len + o.layout).empty()) return diagnose_vectors(o);
    throw Error(ErrorCode::invalid_argument,
                "--sinusoidal vectors are those of a --part, without --layer, --layout, "
                "--token-ids and --seq-len");
  }
  if (o.model.model.empty()) {
    if (!o.scores.any() && (o.layer + o.part + o.token_ids + o.seq_len).empty()) {
      return find_encoding_of(o);
    }
    throw Error(ErrorCode::invalid_argument,
                "--scores, --layer, --part, --token-ids and --seq-len need a MODEL");
  }
  if (!o.layer.empty() && !o.part.empty()) {
    throw Error(ErrorCode::invalid_argument, "give either --layer or --part");
  }
  if (o.scores.any()) return of_scores(o);
  return diagnose_sources(o);
}

}  // namespace

Run declare_diagnose(CLI::App& app) {
  app.description(
      "Example: ropewalk diagnose llama-3-8b --before q.npy --after q_rotated.npy\n\n"
      "Says what a program did to q or k: whether it turned them as the model does, and if not,\n"
      "which convention was missed; without MODEL, which rotation it is. Of --scores, what is "
      "wrong\n"
      "with scale, bias, softcap and mask; of --sinusoidal vectors, their order, base and offset; "
      "of two\n"
      "checkpoints, how the rows of Q and K lie. Arrays are f2, f4, f8 or bf16, [batch, seq, "
      "heads,\n"
      "head_dim], of some tokens and heads; FILE is FILE.npy, FILE.safetensors or FILE.pt (its q "
      "and k),\n"
      "or one tensor of it, FILE.safetensors:NAME.");
  const auto o = std::make_shared<Options>();
  app.add_option("MODEL", o->model.model,
                 "a config.json, GGUF or params.json, its folder, or a preset (ropewalk models)");
  app.add_option("OTHER", o->other,
                 "with a checkpoint as MODEL: another one of it, or its conversion (safetensors, a "
                 "folder, a GGUF that is not quantized)");
  app.add_flag("--weights", o->weights,
               "with OTHER: compare the rows of Q and K alone, not the configs");
  app.add_option("--other-model", o->other_model,
                 "with OTHER: its config, where none lies beside it")
      ->type_name("MODEL");
  app.add_option("--before", o->before, "q or k before the rotation")->type_name("FILE");
  app.add_option("--after", o->after, "the same after it")->type_name("FILE");
  app.add_option("--mine", o->mine, "q or k after a rotation that may be wrong")->type_name("FILE");
  app.add_option("--reference", o->reference, "the same after one that is right")
      ->type_name("FILE");
  app.add_option("--cos", o->cos,
                 "a table [seq, columns]: each pair once, or twice in halves or neighbours")
      ->type_name("FILE");
  app.add_option("--sin", o->sin, "the same of sin")->type_name("FILE");
  app.add_option(
         "--freqs-cis", o->freqs_cis,
         "the same as complex numbers [seq, pairs], cos + i sin (complex64 of .npy or .pt), "
         "or [seq, pairs, 2]")
      ->type_name("FILE");
  app.add_option("--inv-freq", o->inv_freq, "a list of frequencies, one for each pair")
      ->type_name("FILE");
  app.add_option("--sinusoidal", o->sinusoidal,
                 "vectors of positions that are added to the input [seq, d_model]")
      ->type_name("FILE");
  add_score_options(app, o->scores);
  add_text_option(app, "--positions", o->positions,
                  "7 | 0..16 | 0,5,9 | FILE.npy of i4/i8 [S], [B, S] or [axes, B, S] (0..S)", "P");
  app.add_option("--token-ids", o->token_ids,
                 "ChatGLM-6B: FILE.npy of the token ids; positions follow from gMASK and bos")
      ->type_name("FILE");
  add_text_option(
      app, "--layout", o->layout,
      "order of the dimensions: bshd | bhsd | thd (bshd, unless the heads say otherwise)",
      "LAYOUT");
  add_text_option(app, "--layer", o->layer, "layer of the model (the first that knows positions)",
                  "N");
  add_text_option(app, "--part", o->part, "a part beside the layers, by the name that show prints",
                  "NAME");
  add_text_option(app, "--seq-len", o->seq_len, kSeqLenHelp, "N");
  add_reading_options(app, o->model);
  app.add_flag("--bf16", o->bf16, "\"|V2\" arrays of .npy files are bf16");
  app.add_flag("--json", o->json, "print the result as JSON");
  return [o] { return diagnose(*o); };
}

}  // namespace ropewalk::cli
