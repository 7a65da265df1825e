#include "ropewalk/report/dump_report_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "ropewalk/report/dump_words.h"
#include "ropewalk/report/dumps_to_json.h"
#include "ropewalk/report/score_words.h"

namespace ropewalk {
namespace {

using Verdict = DumpDiagnosis::Verdict;

constexpr std::string_view kUnexplained =
    "fault: none that is known explains it, alone or with another\n";

std::string notes(const DumpDiagnosis& diagnosis) {
  constexpr double kNothing = 1e-3;
  std::string text;
  if (diagnosis.largest_angle < kNothing) {
    text += fmt::format(
        "note: no pair should turn by more than {:.2g} rad here: dump later positions\n",
        diagnosis.largest_angle);
  }
  if (diagnosis.scaling_shows_at) {
    text += fmt::format(
        "note: with or without the scaling of the model it is the same here: dump a position "
        "of {} or more to see it in {}\n",
        *diagnosis.scaling_shows_at, name(diagnosis.dtype));
  }
  if (diagnosis.precision) text += fmt::format("note: {}\n", in_words(*diagnosis.precision));
  return text;
}

// Of a DumpFinding or a ScoreFinding; the first of several is "fault".
template <typename Finding>
std::string finding_text(const Finding& finding, bool first, const std::string& of, DType dtype) {
  return fmt::format("{}: {}{}\n  leaves {} ULP of {}\n  change: {}\n", first ? "fault" : "or",
                     in_words(finding), of, ulp_words(finding.residual), name(dtype),
                     what_to_change(finding));
}

std::string findings(const DumpDiagnosis& diagnosis) {
  std::string text;
  for (const DumpFinding& finding : diagnosis.findings) {
    text += finding_text(finding, text.empty(),
                         finding.of_wrong_tokens ? " (of the tokens that are wrong)" : "",
                         diagnosis.dtype);
  }
  if (diagnosis.findings.size() < 2) return text;
  if (diagnosis.telling_position) {
    return text + fmt::format("to tell them apart: dump a position of {} or more\n",
                              *diagnosis.telling_position);
  }
  if (!diagnosis.findings_differ &&
      same_places(diagnosis.findings[0].turning, diagnosis.findings[1].turning)) {
    return text + "nothing tells the first two apart: they turn alike\n";
  }
  return text + "to tell them apart: dump more heads and tokens\n";
}

std::string encodings(const FoundEncodings& found) {
  std::string text;
  for (const FoundEncoding& each : found.found) {
    text += fmt::format("{}: {}\n  leaves {} ULP of {}, root mean square of {} tokens\n",
                        text.empty() ? "found" : "or", in_words(each), ulp_words(each.residual),
                        name(found.dtype), found.tokens);
    if (!each.models.empty()) {
      text += fmt::format("  presets that turn so: {}\n", fmt::join(each.models, ", "));
    }
  }
  return text;
}

nlohmann::ordered_json heading(const std::string& what, const std::string& subject,
                               const Dims& shape, TensorLayout layout) {
  return {{"name", what},
          {"expected", subject},
          {"shape", std::vector<int64_t>(shape.begin(), shape.end())},
          {"layout", name(layout)}};
}

}  // namespace

std::string text_of(const DumpReport& report) {
  const DumpDiagnosis& diagnosis = report.diagnosis;
  const std::string what =
      fmt::format("{} {} {}{}", report.name, to_string(report.shape), name(report.layout),
                  report.note.empty() ? "" : " (" + report.note + ")");
  if (diagnosis.verdict == Verdict::consistent) {
    return fmt::format("{}: turned as {} says; {} ULP of {} apart, root mean square of {} tokens\n",
                       what, report.subject, ulp_words(diagnosis.residual), name(diagnosis.dtype),
                       diagnosis.tokens) +
           (report.rotates ? notes(diagnosis) : "");
  }
  std::string text =
      fmt::format("{}: not turned as {} says; {} ULP of {} apart, {} of {} tokens wrong\n", what,
                  report.subject, ulp_words(diagnosis.residual), name(diagnosis.dtype),
                  diagnosis.wrong_tokens, diagnosis.tokens);
  if (diagnosis.first_wrong) text += fmt::format("first: {}\n", in_words(*diagnosis.first_wrong));
  text += findings(diagnosis);
  if (diagnosis.verdict != Verdict::unexplained) return text;
  text += kUnexplained;
  if (diagnosis.observed) {
    text += fmt::format("what it did: {}\n", in_words(*diagnosis.observed));
  }
  return text;
}

std::string text_of(const ScoreReport& report) {
  const ScoreDiagnosis& diagnosis = report.diagnosis;
  const bool right = diagnosis.verdict == Verdict::consistent;
  std::string text = fmt::format(
      "scores {}, q and k {}: {} {} says; {} ULP of {} apart, {}{} of {} queries compared\n",
      to_string(report.shape), name(report.layout), right ? "as" : "not as", report.subject,
      ulp_words(diagnosis.residual), name(diagnosis.dtype),
      right ? "" : fmt::format("{} numbers wrong, ", diagnosis.wrong), diagnosis.compared,
      diagnosis.queries);
  if (right) return text;
  if (diagnosis.first_wrong) text += fmt::format("first: {}\n", in_words(*diagnosis.first_wrong));
  for (const ScoreFinding& finding : diagnosis.findings) {
    text += finding_text(finding, &finding == diagnosis.findings.data(), "", diagnosis.dtype);
  }
  if (diagnosis.findings.size() > 1) text += "to tell them apart: dump more queries and keys\n";
  if (diagnosis.verdict == Verdict::unexplained) text += kUnexplained;
  return text;
}

std::string text_of(const FoundEncodings& found) {
  if (found.nothing_turned) {
    return "not found: nothing is turned; pairs and base cannot be told (dump later positions, "
           "after the rotation)\n";
  }
  if (found.found.empty()) {
    return "not found: no window at either end of the head, and no base, explains the rows\n";
  }
  return encodings(found);
}

std::string text_of(const FoundFaults& found, const std::string& mine,
                    const std::string& reference) {
  std::string text =
      fmt::format("{} beside {}: {} ULP of {} apart, root mean square of {} tokens\n", mine,
                  reference, ulp_words(found.residual), name(found.dtype), found.tokens);
  if (found.alike) return text + "they are turned alike; by what cannot be told from them\n";
  if (found.mine_not_rotated) {
    return text + fmt::format("fault: {} is not rotated, {} is:\n", mine, reference) +
           encodings(found.encoding);
  }
  if (found.found.empty()) {
    return text +
           "fault: no rotation of a preset and no fault that is known explain it; give the MODEL\n";
  }
  for (const FoundFault& each : found.found) {
    const DumpFinding& finding = each.diagnosis.findings[0];
    text += fmt::format("{}: if {} is right and turned by {} (presets that turn so: {}):\n  {}\n",
                        &each == found.found.data() ? "fault" : "or", reference,
                        in_words(each.rope), fmt::join(each.models, ", "), in_words(finding));
    text += fmt::format("  leaves {} ULP of {}\n  change: {}\n", ulp_words(finding.residual),
                        name(found.dtype), what_to_change(finding));
  }
  return text;
}

nlohmann::ordered_json to_json(const DumpReport& report) {
  nlohmann::ordered_json json = heading(report.name, report.subject, report.shape, report.layout);
  if (!report.note.empty()) json["note"] = report.note;
  json.update(to_json(report.diagnosis));
  return json;
}

nlohmann::ordered_json to_json(const ScoreReport& report) {
  nlohmann::ordered_json json = heading("scores", report.subject, report.shape, report.layout);
  json.update(to_json(report.diagnosis));
  return json;
}

}  // namespace ropewalk
