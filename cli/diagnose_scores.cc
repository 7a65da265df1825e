#include "cli/diagnose_scores.h"

#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/attend_arrays.h"
#include "cli/command.h"
#include "cli/dump_files.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/report/dump_report_words.h"

namespace ropewalk::cli {
namespace {

// [batch, heads, seq, head_dim] where the scores say so; otherwise as given.
TensorLayout layout_of(const DumpOptions& dump, const Tensor& q, const Tensor& scores) {
  if (!dump.layout.empty()) return parse_name(dump.layout, "--layout", tensor_layout_from_name);
  return likely_layout_of_q(q.shape, scores.shape);
}

std::optional<Tensor> read_numbers(const std::string& file, const std::string& option,
                                   const DumpOptions& dump) {
  if (file.empty()) return std::nullopt;
  const Tensor tensor = load_dump(file, option, dump.bf16);
  return converted(tensor.view(), DType::f32);
}

ConstTensorView view_of(const std::optional<Tensor>& tensor) {
  return tensor ? std::as_const(*tensor).view() : ConstTensorView{};
}

}  // namespace

bool ScoreOptions::any() const {
  return !(scores + q + k + key_mask + q_norm + k_norm + bucket_bias + prefix).empty() || rotated ||
         after_softmax || normed;
}

void add_score_options(CLI::App& app, ScoreOptions& o) {
  app.add_option("--scores", o.scores,
                 "q.k scale + bias [batch, heads, queries, keys], of --q and --k")
      ->type_name("FILE");
  app.add_option("--q", o.q, "with --scores: queries as projected, the last of the keys' tokens")
      ->type_name("FILE");
  app.add_option("--k", o.k, "with --scores: keys as projected")->type_name("FILE");
  app.add_flag("--rotated", o.rotated, "--q and --k are as the product takes them");
  app.add_flag("--after-softmax", o.after_softmax, "--scores are what the softmax made of them");
  app.add_option("--key-mask", o.key_mask, "with --scores: 1 is a key, 0 hides it (padding)")
      ->type_name("FILE");
  app.add_option("--q-norm", o.q_norm, "with --scores: weights of the norm of q")
      ->type_name("FILE");
  app.add_option("--k-norm", o.k_norm, "with --scores: weights of the norm of k")
      ->type_name("FILE");
  app.add_flag("--normed", o.normed, "--q and --k were normed before");
  app.add_option("--bucket-bias", o.bucket_bias,
                 "with --scores: T5's learned numbers [buckets, heads]")
      ->type_name("FILE");
  add_text_option(app, "--prefix", o.prefix, "with --scores, ChatGLM-6B: tokens of the prompt",
                  "N");
}

int diagnose_scores_of(const ScoreOptions& o, const DumpOptions& dump, const ModelEncoding& model,
                       int64_t number) {
  if (o.scores.empty() || o.q.empty() || o.k.empty()) {
    throw Error(ErrorCode::invalid_argument, "--scores, --q and --k go together");
  }
  const Layer& layer = layer_option(model, number);
  check_positions_matter(layer, dump.positions, dump.token_ids);
  const Tensor scores = load_dump(o.scores, "--scores", dump.bf16),
               q = load_dump(o.q, "--q", dump.bf16), k = load_dump(o.k, "--k", dump.bf16);
  const std::optional<Tensor> q_norm = read_numbers(o.q_norm, "--q-norm", dump),
                              k_norm = read_numbers(o.k_norm, "--k-norm", dump),
                              bias = read_numbers(o.bucket_bias, "--bucket-bias", dump),
                              key_mask = read_key_mask(o.key_mask);
  ScoreDump given{
      .scores = scores.view(),
      .q = q.view(),
      .k = k.view(),
      .layout = layout_of(dump, q, scores),
      .positions = positions_from(0),
      .rotated = o.rotated,
      .after_softmax = o.after_softmax,
      .norms = {.q_norm = view_of(q_norm), .k_norm = view_of(k_norm), .normed = o.normed},
      .bucket_bias = view_of(bias),
      .prefix = prefix_of(layer, o.prefix.empty() ? -1 : parse_integer(o.prefix, "--prefix"),
                          dump.token_ids),
      .seq_len = dump.seq_len};
  if (key_mask) given.key_mask = key_mask->view();
  const std::string files = o.scores + ", " + o.q + ", " + o.k;
  Positions positions;
  if (reads_position_ids(layer)) {
    int64_t keys = 0;
    with_input_files(o.k, [&] { keys = as_bshd(k.view(), given.layout, "k").shape[1]; });
    positions = read_positions(dump.positions, dump.token_ids, keys,
                               std::get_if<RopeConfig>(&layer.positions));
    given.positions = positions.view();
  }
  ScoreReport report{
      fmt::format("{}, layer {}", escaped(model.name), number), scores.shape, given.layout, {}};
  with_input_files(files, [&] { report.diagnosis = diagnose_scores(given, model, layer); });
  if (dump.json) {
    print_json({{"diagnoses", nlohmann::ordered_json::array({to_json(report)})}});
  } else {
    fmt::print("{}", text_of(report));
  }
  return report.diagnosis.verdict == DumpDiagnosis::Verdict::consistent ? 0 : 1;
}

}  // namespace ropewalk::cli
