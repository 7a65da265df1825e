#include "cli/diagnosis_output.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output.h"
#include "ropewalk/report/dump_words.h"
#include "ropewalk/report/dumps_to_json.h"

namespace ropewalk::cli {
namespace {

using Verdict = DumpDiagnosis::Verdict;

void print_notes(const DumpDiagnosis& diagnosis) {
  constexpr double kNothing = 1e-3;
  if (diagnosis.largest_angle < kNothing) {
    fmt::print("note: no pair should turn by more than {:.2g} rad here: dump later positions\n",
               diagnosis.largest_angle);
  }
  if (diagnosis.scaling_shows_at) {
    fmt::print(
        "note: with or without the scaling of the model it is the same here: dump a position "
        "of {} or more to see it in {}\n",
        *diagnosis.scaling_shows_at, name(diagnosis.dtype));
  }
  if (diagnosis.precision) fmt::print("note: {}\n", in_words(*diagnosis.precision));
}

void print_findings(const DumpDiagnosis& diagnosis) {
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    const DumpFinding& finding = diagnosis.findings[i];
    fmt::print("{}: {}{}\n", i == 0 ? "fault" : "or", in_words(finding),
               finding.of_wrong_tokens ? " (of the tokens that are wrong)" : "");
    fmt::print("  leaves {} ULP of {}\n", ulp_words(finding.residual), name(diagnosis.dtype));
    fmt::print("  change: {}\n", what_to_change(finding));
  }
  if (diagnosis.findings.size() < 2) return;
  if (diagnosis.telling_position) {
    fmt::print("to tell them apart: dump a position of {} or more\n", *diagnosis.telling_position);
  } else if (!diagnosis.findings_differ &&
             diagnosis.findings[0].turning.places == diagnosis.findings[1].turning.places) {
    fmt::print("nothing tells the first two apart: they turn alike\n");
  } else {
    fmt::print("to tell them apart: dump more heads and tokens\n");
  }
}

void print_report(const DumpReport& report) {
  const DumpDiagnosis& diagnosis = report.diagnosis;
  const std::string what =
      fmt::format("{} {} {}{}", report.name, to_string(report.shape), name(report.layout),
                  report.note.empty() ? "" : " (" + report.note + ")");
  if (diagnosis.verdict == Verdict::consistent) {
    fmt::print("{}: turned as {} says; {} ULP of {} apart, root mean square of {} tokens\n", what,
               report.subject, ulp_words(diagnosis.residual), name(diagnosis.dtype),
               diagnosis.tokens);
    return print_notes(diagnosis);
  }
  fmt::print("{}: not turned as {} says; {} ULP of {} apart, {} of {} tokens wrong\n", what,
             report.subject, ulp_words(diagnosis.residual), name(diagnosis.dtype),
             diagnosis.wrong_tokens, diagnosis.tokens);
  if (diagnosis.first_wrong) fmt::print("first: {}\n", in_words(*diagnosis.first_wrong));
  print_findings(diagnosis);
  if (diagnosis.verdict == Verdict::unexplained) {
    fmt::print("fault: none that is known explains it, alone or with another\n");
  }
}

}  // namespace

bool any_fault(const std::vector<DumpReport>& reports) {
  return std::any_of(reports.begin(), reports.end(), [](const DumpReport& report) {
    return report.diagnosis.verdict != Verdict::consistent;
  });
}

void print_found(const FoundEncodings& found, bool json) {
  if (json) return print_json(to_json(found));
  if (found.nothing_turned) {
    fmt::print(
        "not found: nothing is turned; pairs and base cannot be told (dump later positions, "
        "after the rotation)\n");
  } else if (found.found.empty()) {
    fmt::print("not found: no window at either end of the head, and no base, explains the rows\n");
  }
  for (size_t i = 0; i < found.found.size(); ++i) {
    const FoundEncoding& each = found.found[i];
    fmt::print("{}: {}\n  leaves {} ULP of {}, root mean square of {} tokens\n",
               i == 0 ? "found" : "or", in_words(each), ulp_words(each.residual), name(found.dtype),
               found.tokens);
    if (!each.models.empty()) {
      fmt::print("  presets that turn so: {}\n", fmt::join(each.models, ", "));
    }
  }
}

void print_reports(const std::vector<DumpReport>& reports, bool json) {
  if (!json) {
    for (const DumpReport& report : reports) print_report(report);
    return;
  }
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const DumpReport& report : reports) {
    nlohmann::ordered_json each = {
        {"name", report.name},
        {"expected", report.subject},
        {"shape", std::vector<int64_t>(report.shape.begin(), report.shape.end())},
        {"layout", name(report.layout)}};
    if (!report.note.empty()) each["note"] = report.note;
    each.update(to_json(report.diagnosis));
    out.push_back(each);
  }
  print_json({{"diagnoses", out}});
}

}  // namespace ropewalk::cli
