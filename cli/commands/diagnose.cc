#include <cstring>
#include <memory>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/diagnose_scores.h"
#include "cli/diagnosis_output.h"
#include "cli/dump_files.h"
#include "cli/dump_layouts.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "cli/with_option.h"
#include "ropewalk/diagnose/diagnose_dumps.h"
#include "ropewalk/diagnose/dumps/made_dumps.h"
#include "ropewalk/diagnose/find_encoding.h"

namespace ropewalk::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string before, after, mine, reference, cos, sin, inv_freq;
  std::string positions, token_ids, layer, part, seq_len, layout;
  bool json = false, bf16 = false;
  ScoreOptions scores;
};

// The rotation of a layer that has none is told by those of others: it should not have happened.
const RopeConfig& any_rope(const ModelEncoding& model) {
  for (const Layer& layer : model.layers) {
    if (const auto* rope = std::get_if<RopeConfig>(&layer.positions)) return *rope;
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected a model that rotates, found none of its layers does",
                          escaped(model.name)));
}

// What is diagnosed: a layer or part of a model.
struct Subject {
  ModelEncoding model;
  std::optional<Layer> layer;
  ExpectedRotation expected;
  std::string name;  // "llama-3-8b, layer 0"
};

Subject subject_of(const Options& o) {
  Subject subject{.model = load(o.model).model, .layer = {}, .expected = {}, .name = {}};
  subject.expected.seq_len = seq_len_option(o.seq_len);
  if (!o.part.empty()) {
    subject.expected.rope = rope_of_part(part_option(subject.model, o.part), subject.model.name);
    subject.name = fmt::format("{}, {}", escaped(subject.model.name), escaped(o.part));
    return subject;
  }
  const int64_t number =
      o.layer.empty() ? first_with_positions(subject.model) : parse_integer(o.layer, "--layer");
  subject.layer = layer_option(subject.model, number);
  const auto* rope = std::get_if<RopeConfig>(&subject.layer->positions);
  subject.expected.rotates = rope != nullptr;
  subject.expected.rope = rope != nullptr ? *rope : any_rope(subject.model);
  subject.name = fmt::format("{}, layer {}", escaped(subject.model.name), number);
  return subject;
}

// Two arrays that belong together, and what the first should have become.
struct Pair {
  std::string name, files;
  Tensor before, after;
  TensorLayout layout = TensorLayout::bshd;
  Tensor positions;
  ExpectedRotation expected;
  DType rounded_to = DType::f32;
  bool exact_before = false;
  double uncertainty = 0;
  std::string note = {};
};

DumpReport report_of(const Subject& subject, const Pair& pair) {
  DumpReport report{pair.name, subject.name, pair.after.shape, pair.layout, pair.note, {}};
  ExpectedRotation expected = pair.expected;
  expected.model = &subject.model;
  with_input_files(pair.files, [&] {
    report.diagnosis = diagnose_dump(
        {pair.before.view(), pair.after.view(), pair.layout, positions_of(pair.positions.view()),
         pair.rounded_to, pair.exact_before, pair.uncertainty},
        expected);
  });
  return report;
}

int64_t length_of(const Tensor& x, TensorLayout layout, const std::string& files) {
  int64_t length = 0;
  with_input_files(files, [&] { length = as_bshd(x.view(), layout, "dump").shape[1]; });
  return length;
}

// Two arrays of one name, read in a layout.
DumpReport of_array(const Options& o, const Subject& subject, const DumpTensor& first,
                    const DumpTensor& second, TensorLayout layout) {
  const bool two = !o.mine.empty();
  const std::string& first_file = two ? o.reference : o.before;
  Pair pair{.name = first.name,
            .files = first_file + ", " + (two ? o.mine : o.after),
            .before = first.tensor,
            .after = second.tensor,
            .layout = layout,
            .positions = {},
            .expected = subject.expected};
  if (!pair.before.shape.empty()) {
    pair.expected.rope = of_width(pair.expected.rope, pair.before.shape.back());
  }
  pair.positions = read_positions(o.positions, o.token_ids,
                                  length_of(pair.before, layout, first_file), &pair.expected.rope)
                       .ids;
  if (two) {
    with_input_files(o.reference, [&] {
      MadeDump made =
          undone(pair.before.view(), layout, positions_of(pair.positions.view()), pair.expected);
      pair.before = std::move(made.before);
      pair.rounded_to = made.rounded_to;
      pair.uncertainty = made.uncertainty;
    });
    pair.note = fmt::format("taking {} for right", escaped(o.reference));
  }
  return report_of(subject, pair);
}

// --before and --after, or --mine and --reference, of which the second is turned back.
std::vector<DumpReport> of_arrays(const Options& o, const Subject& subject) {
  const bool two = !o.mine.empty();
  const char *first_option = two ? "--reference" : "--before",
             *second_option = two ? "--mine" : "--after";
  const std::vector<DumpTensor> first =
      load_dumps(two ? o.reference : o.before, first_option, o.bf16);
  const std::vector<DumpTensor> second = load_dumps(two ? o.mine : o.after, second_option, o.bf16);
  if (first.size() != second.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected {} arrays, as {} has, found {}", second_option,
                            first.size(), first_option, second.size()));
  }
  std::vector<DumpReport> reports;
  for (size_t i = 0; i < first.size(); ++i) {
    const auto layouts =
        likely_layouts(o.layout, subject.layer, {first[i].name, first[i].tensor.shape});
    reports.push_back(of_likeliest(layouts, [&](TensorLayout layout) {
      return of_array(o, subject, first[i], second[i], layout);
    }));
  }
  return reports;
}

Pair pair_of(MadeDump made, std::string name, std::string files) {
  return {.name = std::move(name),
          .files = std::move(files),
          .before = std::move(made.before),
          .after = std::move(made.after),
          .positions = {},
          .expected = std::move(made.expected),
          .rounded_to = made.rounded_to,
          .exact_before = true};
}

DumpReport of_table(const Options& o, const Subject& subject) {
  const Tensor cos = load_dump(o.cos, "--cos", o.bf16), sin = load_dump(o.sin, "--sin", o.bf16);
  MadeDump made;
  const std::string files = o.cos + ", " + o.sin;
  with_input_files(files, [&] { made = dump_of_table(cos.view(), sin.view(), subject.expected); });
  const std::string note = fmt::format("rows of form {}", name(made.form));
  Pair pair = pair_of(std::move(made), "cos, sin", files);
  pair.note = note;
  pair.positions =
      read_positions(o.positions, o.token_ids, pair.after.shape[1], &pair.expected.rope).ids;
  return report_of(subject, pair);
}

DumpReport of_frequencies(const Options& o, const Subject& subject) {
  const Tensor inv_freq = load_dump(o.inv_freq, "--inv-freq", o.bf16);
  MadeDump made;
  with_input_files(o.inv_freq,
                   [&] { made = dump_of_frequencies(inv_freq.view(), subject.expected); });
  const std::vector<int64_t> positions = made.positions;
  Pair pair = pair_of(std::move(made), "inv_freq", o.inv_freq);
  pair.positions = make_tensor(DType::i64, {std::ssize(positions)});
  std::memcpy(pair.positions.bytes.data(), positions.data(), pair.positions.bytes.size());
  pair.note = "as what it makes of positions up to 131072";
  return report_of(subject, pair);
}

int find(const Options& o) {
  const Tensor before = load_dump(o.before, "--before", o.bf16);
  const Tensor after = load_dump(o.after, "--after", o.bf16);
  const TensorLayout layout = o.layout.empty()
                                  ? TensorLayout::bshd
                                  : parse_name(o.layout, "--layout", tensor_layout_from_name);
  const Tensor positions =
      read_positions(o.positions, o.token_ids, length_of(before, layout, o.before), nullptr).ids;
  FoundEncodings found;
  with_input_files(o.before + ", " + o.after, [&] {
    found = find_encoding({before.view(), after.view(), layout, positions_of(positions.view())});
  });
  print_found(found, o.json);
  return found.found.empty() ? 1 : 0;
}

void check_form(const Options& o) {
  const auto given = [](const std::string& text) { return text.empty() ? 0 : 1; };
  const int forms = given(o.before + o.after) + given(o.mine + o.reference) + given(o.cos + o.sin) +
                    given(o.inv_freq) + int{o.scores.any()};
  const bool halves = given(o.before) != given(o.after) || given(o.mine) != given(o.reference) ||
                      given(o.cos) != given(o.sin);
  if (forms == 1 && !halves) return;
  throw Error(
      ErrorCode::invalid_argument,
      "give --before and --after, or --mine and --reference, or --cos and --sin, or --inv-freq, or "
      "--scores, --q and --k");
}

int of_scores(const Options& o) {
  if (!o.part.empty()) throw Error(ErrorCode::invalid_argument, "--scores are those of a --layer");
  const ModelEncoding model = load(o.model).model;
  return diagnose_scores_of(
      o.scores, {o.positions, o.token_ids, o.layout, seq_len_option(o.seq_len), o.json, o.bf16},
      model, o.layer.empty() ? first_with_positions(model) : parse_integer(o.layer, "--layer"));
}

int diagnose(const Options& o) {
  check_form(o);
  if (o.model.model.empty()) {
    if (!o.before.empty() && o.layer.empty() && o.part.empty() && o.token_ids.empty())
      return find(o);
    throw Error(ErrorCode::invalid_argument,
                "without a MODEL only --before and --after are compared, of positions of one axis");
  }
  if (!o.layer.empty() && !o.part.empty()) {
    throw Error(ErrorCode::invalid_argument, "give either --layer or --part");
  }
  if (o.scores.any()) return of_scores(o);
  const Subject subject = subject_of(o);
  std::vector<DumpReport> reports;
  if (!o.cos.empty()) reports = {of_table(o, subject)};
  if (!o.inv_freq.empty()) reports = {of_frequencies(o, subject)};
  if (reports.empty()) reports = of_arrays(o, subject);
  print_reports(reports, o.json);
  return any_fault(reports) ? 1 : 0;
}

}  // namespace

Run declare_diagnose(CLI::App& app) {
  app.description(
      "Example: ropewalk diagnose llama-3-8b --before q.npy --after q_rotated.npy\n\n"
      "Says what a program did to q or k: whether it turned them as the model does, and if not,\n"
      "which convention was missed; without MODEL, which rotation it is. Of --scores, what is "
      "wrong\n"
      "with scale, bias, softcap and mask. Arrays are f2, f4, f8 or\n"
      "bf16, [batch, seq, heads, head_dim], of some tokens and heads; FILE is FILE.npy,\n"
      "FILE.safetensors or FILE.pt (its q and k), or one tensor of it, FILE.safetensors:NAME.");
  const auto o = std::make_shared<Options>();
  app.add_option("MODEL", o->model.model,
                 "a config.json, GGUF or params.json, its folder, or a preset (ropewalk models)");
  app.add_option("--before", o->before, "q or k before the rotation")->type_name("FILE");
  app.add_option("--after", o->after, "the same after it")->type_name("FILE");
  app.add_option("--mine", o->mine, "q or k after a rotation that may be wrong")->type_name("FILE");
  app.add_option("--reference", o->reference, "the same after one that is right")
      ->type_name("FILE");
  app.add_option("--cos", o->cos,
                 "a table [seq, columns]: each pair once, or twice in halves or neighbours")
      ->type_name("FILE");
  app.add_option("--sin", o->sin, "the same of sin")->type_name("FILE");
  app.add_option("--inv-freq", o->inv_freq, "a list of frequencies, one for each pair")
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
