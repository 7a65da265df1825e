#include "cli/diagnose_vectors.h"

#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/dump_files.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/diagnose_sinusoidal.h"
#include "ropewalk/report/dump_words.h"
#include "ropewalk/report/sinusoidal_words.h"

namespace ropewalk::cli {
namespace {

struct Subject {
  SinusoidalConfig config;
  std::string name;
};

// The part of --part, else the first of the model that is sinusoidal; without a model the paper's.
Subject subject_of(const DumpSources& o) {
  if (o.model.model.empty()) return {{}, "the article"};
  const ModelEncoding model = load(o.model).model;
  const auto named = [&](const NamedEncoding& part) -> Subject {
    return {std::get<SinusoidalConfig>(part.encoding),
            fmt::format("{}, {}", escaped(model.name), part.name)};
  };
  if (!o.part.empty()) {
    const NamedEncoding& part = part_option(model, o.part);
    if (std::holds_alternative<SinusoidalConfig>(part.encoding)) return named(part);
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected a part with sinusoidal vectors, found none in \"{}\"",
                            escaped(model.name), escaped(o.part)));
  }
  for (const NamedEncoding& part : model.others) {
    if (std::holds_alternative<SinusoidalConfig>(part.encoding)) return named(part);
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected a model that adds sinusoidal vectors, found none of its "
                          "parts does",
                          escaped(model.name)));
}

void print(const SinusoidalDiagnosis& d, const Subject& subject) {
  const bool right = d.verdict == DumpDiagnosis::Verdict::consistent;
  fmt::print("vectors: {} {} has them ({}); {} ULP of {} apart, ", right ? "as" : "not as",
             subject.name, in_words(form_of(subject.config)), ulp_words(d.residual), name(d.dtype));
  if (right) return fmt::print("root mean square of {} rows\n", d.rows);
  fmt::print("{} of {} rows wrong\n", d.wrong_rows, d.rows);
  if (d.first_wrong) fmt::print("first: {}\n", in_words(*d.first_wrong));
  if (d.verdict == DumpDiagnosis::Verdict::unexplained) {
    return fmt::print("fault: no order, base, offset and scale explain them\n");
  }
  fmt::print("fault: {}\n  leaves {} ULP of {}\n  change: {}\n", in_words(d), ulp_words(d.left),
             name(d.dtype), what_to_change(d));
}

}  // namespace

int diagnose_vectors(const DumpSources& o) {
  Subject subject = subject_of(o);
  const Tensor vectors = load_dump(o.sinusoidal, "--sinusoidal", o.bf16);
  const int rank = vectors.shape.size();
  const int64_t rows = rank < 2 ? 0 : vectors.shape[rank - 2];
  std::vector<int64_t> positions;
  if (o.positions.empty()) {
    for (int64_t p = 0; p < rows; ++p) positions.push_back(p);
  } else {
    positions = load_position_list(o.positions);
  }
  if (o.model.model.empty() && rank > 0) subject.config.d_model = vectors.shape.back();
  SinusoidalDiagnosis diagnosis;
  with_input_files(o.sinusoidal, [&] {
    if (rank > 0 && vectors.shape.back() != subject.config.d_model) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("expected vectors of {} numbers, found shape {}",
                              subject.config.d_model, to_string(vectors.shape)));
    }
    diagnosis = diagnose_sinusoidal(vectors.view(), positions, subject.config);
  });
  if (o.json) {
    nlohmann::ordered_json json = {{"name", "vectors"}, {"expected", subject.name}};
    json.update(to_json(diagnosis));
    print_json({{"diagnoses", nlohmann::ordered_json::array({json})}});
  } else {
    print(diagnosis, subject);
  }
  return diagnosis.verdict == DumpDiagnosis::Verdict::consistent ? 0 : 1;
}

}  // namespace ropewalk::cli
