#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/diagnose_scores.h"
#include "cli/dump_files.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "cli/with_option.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/diagnose/find_encoding.h"
#include "ropewalk/report/dump_report_words.h"
#include "ropewalk/report/dumps_to_json.h"

namespace ropewalk::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string before, after, mine, reference, cos, sin, inv_freq;
  std::string positions, token_ids, layer, part, seq_len, layout;
  bool json = false, bf16 = false;
  ScoreOptions scores;
};

DumpSubject subject_of(const Options& o, const ModelEncoding& model) {
  const int64_t seq_len = seq_len_option(o.seq_len);
  if (!o.part.empty()) return subject_of_part(model, part_option(model, o.part), seq_len);
  const int64_t number =
      o.layer.empty() ? first_with_positions(model) : parse_integer(o.layer, "--layer");
  layer_option(model, number);
  return subject_of_layer(model, number, seq_len);
}

int64_t length_of(const Tensor& x, TensorLayout layout, const std::string& files) {
  int64_t length = 0;
  with_input_files(files, [&] { length = tokens_of(x.view(), layout, "dump"); });
  return length;
}

// Two arrays of one name, read in a layout.
DumpReport of_array(const Options& o, const DumpSubject& subject, const DumpTensor& first,
                    const DumpTensor& second, TensorLayout layout) {
  const bool two = !o.mine.empty();
  const std::string& first_file = two ? o.reference : o.before;
  const Tensor ids =
      read_positions(o.positions, o.token_ids, length_of(first.tensor, layout, first_file),
                     &subject.expected.rope)
          .ids;
  const DumpArrays arrays{first.name, first.tensor.view(), second.tensor.view(), layout,
                          positions_of(ids.view())};
  DumpReport report;
  with_input_files(first_file + ", " + (two ? o.mine : o.after), [&] {
    report =
        two ? report_of_two(arrays, subject, o.reference) : report_of_rotation(arrays, subject);
  });
  return report;
}

// --before and --after, or --mine and --reference, of which the second is turned back.
std::vector<DumpReport> of_arrays(const Options& o, const DumpSubject& subject) {
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
        o.layout.empty() ? likely_layouts(subject.layer, {first[i].name, first[i].tensor.shape})
                         : std::vector{parse_name(o.layout, "--layout", tensor_layout_from_name)};
    reports.push_back(of_likeliest(layouts, [&](TensorLayout layout) {
      return of_array(o, subject, first[i], second[i], layout);
    }));
  }
  return reports;
}

DumpReport of_table(const Options& o, const DumpSubject& subject) {
  const Tensor cos = load_dump(o.cos, "--cos", o.bf16), sin = load_dump(o.sin, "--sin", o.bf16);
  const std::string files = o.cos + ", " + o.sin;
  int64_t rows = 0;
  with_input_files(files, [&] { rows = rows_of_table(cos.view(), sin.view(), subject); });
  const Tensor ids = read_positions(o.positions, o.token_ids, rows, &subject.expected.rope).ids;
  DumpReport report;
  with_input_files(files, [&] {
    report = report_of_table(cos.view(), sin.view(), positions_of(ids.view()), subject);
  });
  return report;
}

DumpReport of_frequencies(const Options& o, const DumpSubject& subject) {
  const Tensor inv_freq = load_dump(o.inv_freq, "--inv-freq", o.bf16);
  DumpReport report;
  with_input_files(o.inv_freq, [&] { report = report_of_frequencies(inv_freq.view(), subject); });
  return report;
}

void print_reports(const std::vector<DumpReport>& reports, bool json) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const DumpReport& report : reports) {
    if (json) {
      out.push_back(to_json(report));
    } else {
      fmt::print("{}", text_of(report));
    }
  }
  if (json) print_json({{"diagnoses", out}});
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
  if (o.json) {
    print_json(to_json(found));
  } else {
    fmt::print("{}", text_of(found));
  }
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
  const ModelEncoding model = load(o.model).model;
  const DumpSubject subject = subject_of(o, model);
  std::vector<DumpReport> reports;
  if (!o.cos.empty()) reports = {of_table(o, subject)};
  if (!o.inv_freq.empty()) reports = {of_frequencies(o, subject)};
  if (reports.empty()) reports = of_arrays(o, subject);
  print_reports(reports, o.json);
  const bool right = std::ranges::all_of(
      reports, [](const DumpReport& report) { return fault_count(report.diagnosis) == 0; });
  return right ? 0 : 1;
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
