#include "ropewalk/diagnose/dump_reports.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dumps/made_dumps.h"

namespace ropewalk {
namespace {

const RopeConfig& any_rope(const ModelEncoding& model) {
  for (const Layer& layer : model.layers) {
    if (const auto* rope = std::get_if<RopeConfig>(&layer.positions)) return *rope;
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected a model that rotates, found none of its layers does",
                          escaped(model.name)));
}

// What the arrays should have become: those of v stay as they are, unless v is k.
ExpectedRotation expected_of(const DumpArrays& arrays, const DumpSubject& subject) {
  ExpectedRotation expected = subject.expected;
  if (!arrays.first.shape.empty()) {
    expected.rope = of_width(std::move(expected.rope), arrays.first.shape.back());
  }
  if (arrays.name == "v" && subject.layer && !subject.layer->attention.value_is_key) {
    expected.rotates = false;
  }
  return expected;
}

Tensor tensor_of(const std::vector<int64_t>& positions) {
  Tensor tensor = make_tensor(DType::i64, {std::ssize(positions)});
  std::memcpy(tensor.bytes.data(), positions.data(), tensor.bytes.size());
  return tensor;
}

FoundEncodings found_in_made(const MadeDump& made, const PositionIds& positions, FoundIn what) {
  return find_encoding({.before = made.before.view(),
                        .after = made.after.view(),
                        .positions = positions,
                        .rounded_to = made.rounded_to,
                        .exact_before = true},
                       what);
}

DumpReport report_of_made(MadeDump made, std::string name, const PositionIds& positions,
                          const DumpSubject& subject) {
  DumpReport report{.name = std::move(name),
                    .subject = subject.name,
                    .shape = made.after.shape,
                    .rotates = made.expected.rotates,
                    .diagnosis = {}};
  report.diagnosis = diagnose_dump({.before = std::as_const(made.before).view(),
                                    .after = std::as_const(made.after).view(),
                                    .positions = positions,
                                    .rounded_to = made.rounded_to,
                                    .exact_before = true},
                                   made.expected);
  return report;
}

}  // namespace

DumpSubject subject_of_layer(const ModelEncoding& model, int64_t layer, int64_t seq_len) {
  DumpSubject subject{.name = fmt::format("{}, layer {}", escaped(model.name), layer),
                      .layer = layer_at(model, layer),
                      .expected = {.seq_len = seq_len, .model = &model}};
  const auto* rope = std::get_if<RopeConfig>(&subject.layer->positions);
  subject.expected.rotates = rope != nullptr;
  subject.expected.rope = rope != nullptr ? *rope : any_rope(model);
  return subject;
}

DumpSubject subject_of_part(const ModelEncoding& model, const NamedEncoding& part,
                            int64_t seq_len) {
  const auto* rope = std::get_if<RopeConfig>(&part.encoding);
  if (rope == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: {}: expected rope, found {}", escaped(model.name), part.name,
                            name(part.encoding)));
  }
  return {.name = fmt::format("{}, {}", escaped(model.name), escaped(part.name)),
          .layer = {},
          .expected = {.rope = *rope, .seq_len = seq_len, .model = &model}};
}

DumpReport report_of_rotation(const DumpArrays& arrays, const DumpSubject& subject) {
  const ExpectedRotation expected = expected_of(arrays, subject);
  DumpReport report{.name = arrays.name,
                    .subject = subject.name,
                    .shape = arrays.second.shape,
                    .layout = arrays.layout,
                    .rotates = expected.rotates,
                    .diagnosis = {}};
  report.diagnosis = diagnose_dump({.before = arrays.first,
                                    .after = arrays.second,
                                    .layout = arrays.layout,
                                    .positions = arrays.positions},
                                   expected);
  return report;
}

DumpReport report_of_two(const DumpArrays& arrays, const DumpSubject& subject,
                         const std::string& reference) {
  const ExpectedRotation expected = expected_of(arrays, subject);
  DumpReport report{.name = arrays.name,
                    .subject = subject.name,
                    .shape = arrays.second.shape,
                    .layout = arrays.layout,
                    .note = fmt::format("taking {} for right", escaped(reference)),
                    .rotates = expected.rotates,
                    .diagnosis = {}};
  const MadeDump made = undone(arrays.first, arrays.layout, arrays.positions, expected);
  report.diagnosis = diagnose_dump({.before = made.before.view(),
                                    .after = arrays.second,
                                    .layout = arrays.layout,
                                    .positions = arrays.positions,
                                    .rounded_to = made.rounded_to,
                                    .uncertainty = made.uncertainty},
                                   expected);
  return report;
}

int64_t rows_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                      const DumpSubject& subject) {
  return dump_of_table(cos, sin, subject.expected).after.shape[1];
}

DumpReport report_of_table(const ConstTensorView& cos, const ConstTensorView& sin,
                           const PositionIds& positions, const DumpSubject& subject) {
  MadeDump made = dump_of_table(cos, sin, subject.expected);
  const std::string note = fmt::format("rows of form {}", name(made.form));
  DumpReport report = report_of_made(std::move(made), "cos, sin", positions, subject);
  report.note = note;
  return report;
}

DumpReport report_of_frequencies(const ConstTensorView& inv_freq, const DumpSubject& subject) {
  MadeDump made = dump_of_frequencies(inv_freq, subject.expected);
  const Tensor ids = tensor_of(made.positions);
  DumpReport report =
      report_of_made(std::move(made), "inv_freq", positions_of(ids.view()), subject);
  report.note = "as what it makes of positions up to 131072";
  return report;
}

int64_t rows_of_table(const ConstTensorView& cos, const ConstTensorView& sin) {
  return dump_of_table(cos, sin).after.shape[1];
}

FoundEncodings found_in_table(const ConstTensorView& cos, const ConstTensorView& sin,
                              const PositionIds& positions) {
  return found_in_made(dump_of_table(cos, sin), positions, FoundIn::table);
}

FoundEncodings found_in_frequencies(const ConstTensorView& inv_freq) {
  const MadeDump made = dump_of_frequencies(inv_freq);
  const Tensor ids = tensor_of(made.positions);
  return found_in_made(made, positions_of(ids.view()), FoundIn::frequencies);
}

int64_t tokens_of(const ConstTensorView& array, TensorLayout layout, const char* what) {
  return as_bshd(array, layout, what).shape[1];
}

std::vector<TensorLayout> likely_layouts(const std::optional<Layer>& layer,
                                         const NamedHeads& heads) {
  if (!layer) return {TensorLayout::bshd};
  TensorLayout likelier = TensorLayout::bshd, other = TensorLayout::bhsd;
  try {
    check_not_transposed(*layer, {heads.name, heads.shape, heads.name != "q"}, likelier);
  } catch (const Error&) {
    std::swap(likelier, other);
  }
  if (!may_be_transposed(*layer, heads.shape, likelier)) return {likelier};
  return {likelier, other};
}

DumpReport of_likeliest(const std::vector<TensorLayout>& layouts,
                        const std::function<DumpReport(TensorLayout)>& report_of) {
  std::vector<DumpReport> reports;
  std::optional<Error> refused;
  for (const TensorLayout layout : layouts) {
    try {
      reports.push_back(report_of(layout));
    } catch (const Error& error) {
      if (!refused) refused = error;  // positions of another number, as a rule
    }
    if (!reports.empty() && fault_count(reports.back().diagnosis) == 0) break;
  }
  if (reports.empty()) throw Error(*refused);
  return *std::ranges::min_element(
      reports, {}, [](const DumpReport& report) { return fault_count(report.diagnosis); });
}

TensorLayout likely_layout_of_q(const Dims& q, const Dims& scores) {
  const int rank = q.size(), score_rank = scores.size();
  if (rank < 3 || score_rank < 3) return TensorLayout::bshd;
  const int64_t heads = scores[score_rank - 3], queries = scores[score_rank - 2];
  const bool transposed = q[rank - 3] == heads && q[rank - 2] == queries;
  return transposed && heads != queries ? TensorLayout::bhsd : TensorLayout::bshd;
}

}  // namespace ropewalk
