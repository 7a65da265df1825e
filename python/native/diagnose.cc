#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include "python/native/arguments.h"
#include "python/native/diagnose_arguments.h"
#include "python/native/diagnose_docs.h"
#include "python/native/json.h"
#include "python/native/model.h"
#include "python/native/tables.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/diagnose/find_encoding.h"
#include "ropewalk/report/dump_report_words.h"
#include "ropewalk/report/dumps_to_json.h"

namespace ropewalk::python {
namespace {

// ropewalk.Diagnosis
struct Diagnosis {
  std::variant<DumpReport, ScoreReport, FoundEncodings, FoundFaults> found;
};

enum class Form { rotation, two, table, frequencies, scores };

constexpr const char* kForms[][3] = {
    {"before", "after"}, {"mine", "reference"}, {"cos", "sin"}, {"inv_freq"}, {"scores", "q", "k"}};
constexpr const char* kOfScores[] = {"key_mask", "q_norm",        "k_norm", "bucket_bias",
                                     "rotated",  "after_softmax", "normed", "prefix"};
constexpr const char* kOthers[] = {"position_ids", "layout", "layer", "part", "seq_len", "name"};

std::vector<const char*> known_keywords() {
  std::vector<const char*> known;
  for (const auto& form : kForms) {
    std::ranges::copy_if(form, std::back_inserter(known), [](const char* name) { return name; });
  }
  known.insert(known.end(), std::begin(kOfScores), std::end(kOfScores));
  known.insert(known.end(), std::begin(kOthers), std::end(kOthers));
  return known;
}

Form form_of(const Keywords& given) {
  std::vector<Form> forms;
  std::vector<std::string> names;
  bool whole = true;
  for (size_t form = 0; form < std::size(kForms); ++form) {
    const size_t before = names.size();
    size_t count = 0;
    for (const char* name : kForms[form]) {
      if (name == nullptr) continue;
      ++count;
      if (given.has(name)) names.emplace_back(name);
    }
    if (names.size() == before) continue;
    forms.push_back(static_cast<Form>(form));
    whole = names.size() - before == count;
  }
  if (forms.size() != 1 || !whole) {
    fail(fmt::format(
        "diagnose: expected before and after; mine and reference; cos and sin; inv_freq; or "
        "scores, q and k, found {}",
        names.empty() ? "none of them" : fmt::format("{}", fmt::join(names, ", "))));
  }
  for (const char* name : kOfScores) {
    if (forms[0] != Form::scores && given.has(name)) {
      fail(fmt::format("{}: expected with scores only, found {}", name, fmt::join(names, " and ")));
    }
  }
  return forms[0];
}

DumpSubject subject_of(const Keywords& given, const ModelEncoding& model) {
  if (!given.has("part")) {
    const int64_t layer = given.integer("layer").value_or(first_with_positions(model));
    return subject_of_layer(model, layer, seq_len_of(given));
  }
  const std::string part = given.text("part");
  for (const NamedEncoding& other : model.others) {
    if (other.name == part) return subject_of_part(model, other, seq_len_of(given));
  }
  fail(fmt::format("part: expected one of those in parts, found \"{}\"", escaped(part)));
}

DumpReport of_arrays(const Keywords& given, const DumpSubject& subject, bool two) {
  const Numbers first(given, two ? "reference" : "before"), second(given, two ? "mine" : "after");
  const DumpPositions positions(given, &subject.expected.rope, subject.expected.seq_len);
  const std::string name = given.has("name") ? given.text("name") : "q";
  if (name != "q" && name != "k" && name != "v") {
    fail(fmt::format("name: expected \"q\", \"k\" or \"v\", found \"{}\"", escaped(name)));
  }
  const std::optional<TensorLayout> layout = layout_of(given);
  const nb::gil_scoped_release released;
  const auto layouts =
      layout ? std::vector{*layout} : likely_layouts(subject.layer, {name, first.view().shape});
  return of_likeliest(layouts, [&](TensorLayout of) {
    const DumpArrays arrays{name, first.view(), second.view(), of, positions.ids};
    return two ? report_of_two(arrays, subject, "reference") : report_of_rotation(arrays, subject);
  });
}

DumpReport of_table(const Keywords& given, const DumpSubject& subject) {
  const Numbers cos(given, "cos"), sin(given, "sin");
  const DumpPositions positions(given, &subject.expected.rope, subject.expected.seq_len);
  const nb::gil_scoped_release released;
  return report_of_table(cos.view(), sin.view(), positions.ids, subject);
}

Numbers frequencies(const Keywords& given) {
  if (given.has("position_ids")) {
    fail("position_ids: expected none with inv_freq, whose positions are chosen, found some");
  }
  return Numbers(given, "inv_freq");
}

DumpReport of_frequencies(const Keywords& given, const DumpSubject& subject) {
  const Numbers inv_freq = frequencies(given);
  const nb::gil_scoped_release released;
  return report_of_frequencies(inv_freq.view(), subject);
}

// Of two arrays, by positions of one axis.
template <typename Find>
auto found_in(const Keywords& given, const char* first_name, const char* second_name, Find find) {
  const Numbers first(given, first_name), second(given, second_name);
  const DumpPositions positions(given, nullptr, 0);
  const TensorLayout layout = layout_of(given).value_or(TensorLayout::bshd);
  const nb::gil_scoped_release released;
  return find(first.view(), second.view(), layout, positions.ids);
}

Diagnosis find(const Keywords& given, Form form) {
  if (form == Form::scores) fail("model: expected one, for scores, found None");
  for (const char* name : {"layer", "part", "seq_len"}) {
    if (given.has(name)) fail(fmt::format("{}: expected with a model only, found no model", name));
  }
  if (form == Form::frequencies) {
    const Numbers inv_freq = frequencies(given);
    const nb::gil_scoped_release released;
    return {found_in_frequencies(inv_freq.view())};
  }
  using View = ConstTensorView;
  const auto in_table = [](const View& cos, const View& sin, TensorLayout, const PositionIds& ids) {
    return found_in_table(cos, sin, ids);
  };
  if (form == Form::table) return {found_in(given, "cos", "sin", in_table)};
  if (form == Form::two) return {found_in(given, "mine", "reference", find_fault)};
  return {found_in(
      given, "before", "after",
      [](const View& before, const View& after, TensorLayout layout, const PositionIds& ids) {
        return find_encoding({before, after, layout, ids});
      })};
}

Diagnosis diagnose(nb::handle model, const nb::kwargs& keywords) {
  static const std::vector<const char*> known = known_keywords();
  const Keywords given("diagnose", keywords, known);
  const Form form = form_of(given);
  if (given.has("layer") && given.has("part"))
    fail("layer, part: expected one of them, found both");
  if (model.is_none()) return find(given, form);
  const Encoding encoding = read_any(model, "model");
  if (form == Form::scores) return {scores_report(given, *encoding.model)};
  const DumpSubject subject = subject_of(given, *encoding.model);
  if (form == Form::table) return {of_table(given, subject)};
  if (form == Form::frequencies) return {of_frequencies(given, subject)};
  return {of_arrays(given, subject, form == Form::two)};
}

nlohmann::ordered_json json_of(const Diagnosis& diagnosis) {
  return std::visit([](const auto& found) { return to_json(found); }, diagnosis.found);
}

std::string verdict_of(const Diagnosis& diagnosis) {
  if (const auto* found = std::get_if<FoundEncodings>(&diagnosis.found)) {
    return found->found.empty() ? "not_found" : "found";
  }
  if (const auto* found = std::get_if<FoundFaults>(&diagnosis.found)) {
    if (found->alike) return "consistent";
    return found->mine_not_rotated || !found->found.empty() ? "fault" : "unexplained";
  }
  return json_of(diagnosis)["verdict"];
}

bool consistent(const Diagnosis& diagnosis) {
  const std::string verdict = verdict_of(diagnosis);
  return verdict == "consistent" || verdict == "found";
}

// A part of the JSON, None where there is none.
nb::object part_of(const Diagnosis& diagnosis, const char* key) {
  const nlohmann::ordered_json json = json_of(diagnosis);
  return to_python(json.contains(key) ? json[key] : nlohmann::ordered_json());
}

std::string words(const FoundFaults& found) { return text_of(found, "mine", "reference"); }
std::string words(const auto& found) { return text_of(found); }

std::string repr(const Diagnosis& diagnosis) {
  std::string text = std::visit([](const auto& found) { return words(found); }, diagnosis.found);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

void bind_diagnose(nb::module_& m) {
  nb::class_<Diagnosis> diagnosis(m, "Diagnosis", docs::kDiagnosis);
  diagnosis.def_prop_ro("consistent", consistent, docs::kConsistent)
      .def_prop_ro("verdict", verdict_of, docs::kVerdict)
      .def_prop_ro(
          "findings",
          [](const Diagnosis& d) {
            const bool of_model = std::holds_alternative<DumpReport>(d.found) ||
                                  std::holds_alternative<ScoreReport>(d.found);
            return part_of(d, of_model ? "findings" : "found");
          },
          nb::sig("def findings(self) -> list[dict]"), docs::kFindings)
      .def_prop_ro(
          "residual_in_ulp", [](const Diagnosis& d) { return part_of(d, "residual_in_ulp"); },
          nb::sig("def residual_in_ulp(self) -> float | None"), docs::kResidual)
      .def_prop_ro(
          "first_wrong", [](const Diagnosis& d) { return part_of(d, "first_wrong"); },
          nb::sig("def first_wrong(self) -> dict | None"), docs::kFirstWrong)
      .def("__repr__", repr);
  define(
      diagnosis, "def to_dict(self) -> dict",
      [](const Diagnosis& d) { return to_python(json_of(d)); }, docs::kDiagnosisToDict);
  m.def("diagnose", diagnose, nb::arg("model").none() = nb::none(), nb::arg("keywords"),
        nb::sig(docs::kDiagnoseSig), docs::kDiagnose);
}

}  // namespace ropewalk::python
