#include "cli/diagnose_sources.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/dump_files.h"
#include "cli/dump_table.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/report/dump_report_words.h"
#include "ropewalk/report/dumps_to_json.h"

namespace ropewalk::cli {
namespace {

DumpSubject subject_of(const DumpSources& o, const ModelEncoding& model) {
  const int64_t seq_len = seq_len_option(o.seq_len);
  if (!o.part.empty()) return subject_of_part(model, part_option(model, o.part), seq_len);
  const int64_t number =
      o.layer.empty() ? first_with_positions(model) : parse_integer(o.layer, "--layer");
  layer_option(model, number);
  return subject_of_layer(model, number, seq_len);
}

Tensor ids_of(const DumpSources& o, int64_t tokens, const RopeConfig* rope) {
  return read_positions(o.positions, o.token_ids, tokens, rope).ids;
}

int64_t length_of(const Tensor& x, TensorLayout layout, const std::string& files) {
  int64_t length = 0;
  with_input_files(files, [&] { length = tokens_of(x.view(), layout, "dump"); });
  return length;
}

// Two arrays of one name, read in a layout.
DumpReport of_array(const DumpSources& o, const DumpSubject& subject, const DumpTensor& first,
                    const DumpTensor& second, TensorLayout layout) {
  const bool two = !o.mine.empty();
  const std::string& first_file = two ? o.reference : o.before;
  const Tensor ids = ids_of(o, length_of(first.tensor, layout, first_file), &subject.expected.rope);
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
std::vector<DumpReport> of_arrays(const DumpSources& o, const DumpSubject& subject) {
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

DumpReport of_table(const DumpSources& o, const DumpSubject& subject) {
  const DumpTable table = load_table(o);
  int64_t rows = 0;
  with_input_files(table.files,
                   [&] { rows = rows_of_table(table.cos.view(), table.sin.view(), subject); });
  const Tensor ids = ids_of(o, rows, &subject.expected.rope);
  DumpReport report;
  with_input_files(table.files, [&] {
    report = report_of_table(table.cos.view(), table.sin.view(), positions_of(ids.view()), subject);
  });
  if (!table.note.empty()) report.note = table.note;
  return report;
}

DumpReport of_frequencies(const DumpSources& o, const DumpSubject& subject) {
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

FoundEncodings find_in_rows(const DumpSources& o, TensorLayout layout) {
  const Tensor before = load_dump(o.before, "--before", o.bf16);
  const Tensor after = load_dump(o.after, "--after", o.bf16);
  const Tensor ids = ids_of(o, length_of(before, layout, o.before), nullptr);
  FoundEncodings found;
  with_input_files(o.before + ", " + o.after, [&] {
    found = find_encoding({before.view(), after.view(), layout, positions_of(ids.view())});
  });
  return found;
}

FoundEncodings find_in_table(const DumpSources& o) {
  const DumpTable table = load_table(o);
  int64_t rows = 0;
  with_input_files(table.files, [&] { rows = rows_of_table(table.cos.view(), table.sin.view()); });
  const Tensor ids = ids_of(o, rows, nullptr);
  FoundEncodings found;
  with_input_files(table.files, [&] {
    found = found_in_table(table.cos.view(), table.sin.view(), positions_of(ids.view()));
  });
  return found;
}

FoundEncodings find_in_frequencies(const DumpSources& o) {
  const Tensor inv_freq = load_dump(o.inv_freq, "--inv-freq", o.bf16);
  FoundEncodings found;
  with_input_files(o.inv_freq, [&] { found = found_in_frequencies(inv_freq.view()); });
  return found;
}

int find_between(const DumpSources& o, TensorLayout layout) {
  const Tensor reference = load_dump(o.reference, "--reference", o.bf16);
  const Tensor mine = load_dump(o.mine, "--mine", o.bf16);
  const Tensor ids = ids_of(o, length_of(reference, layout, o.reference), nullptr);
  FoundFaults found;
  with_input_files(o.reference + ", " + o.mine, [&] {
    found = find_fault(mine.view(), reference.view(), layout, positions_of(ids.view()));
  });
  if (o.json) {
    print_json(to_json(found));
  } else {
    fmt::print("{}", text_of(found, escaped(o.mine), escaped(o.reference)));
  }
  return found.alike ? 0 : 1;
}

}  // namespace

int find_encoding_of(const DumpSources& o) {
  const TensorLayout layout = o.layout.empty()
                                  ? TensorLayout::bshd
                                  : parse_name(o.layout, "--layout", tensor_layout_from_name);
  if (!o.mine.empty()) return find_between(o, layout);
  const FoundEncodings found = !o.before.empty()     ? find_in_rows(o, layout)
                               : !o.inv_freq.empty() ? find_in_frequencies(o)
                                                     : find_in_table(o);
  if (o.json) {
    print_json(to_json(found));
  } else {
    fmt::print("{}", text_of(found));
  }
  return found.found.empty() ? 1 : 0;
}

int diagnose_sources(const DumpSources& o) {
  const ModelEncoding model = load(o.model).model;
  const DumpSubject subject = subject_of(o, model);
  std::vector<DumpReport> reports;
  if (!(o.cos + o.freqs_cis).empty()) reports = {of_table(o, subject)};
  if (!o.inv_freq.empty()) reports = {of_frequencies(o, subject)};
  if (reports.empty()) reports = of_arrays(o, subject);
  print_reports(reports, o.json);
  const bool right = std::ranges::all_of(
      reports, [](const DumpReport& report) { return fault_count(report.diagnosis) == 0; });
  return right ? 0 : 1;
}

}  // namespace ropewalk::cli
