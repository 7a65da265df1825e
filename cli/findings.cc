#include "cli/findings.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "cli/output.h"
#include "ropewalk/base/error.h"
#include "ropewalk/report/comparison_words.h"
#include "ropewalk/report/finding_words.h"
#include "ropewalk/report/layer_words.h"

namespace ropewalk::cli {
namespace {

using Fault = StoredFrequencies::Fault;

std::vector<StoredFrequencies> of_kind(const CheckpointFindings& findings, bool rounded) {
  std::vector<StoredFrequencies> some;
  for (const StoredFrequencies& each : findings.frequencies) {
    if ((each.fault == Fault::rounded) == rounded) some.push_back(each);
  }
  return some;
}

std::string tensors_more(size_t count) {
  return fmt::format("{} tensor{} more", count, count == 1 ? "" : "s");
}

// The one that turns farthest from where it should, and how many more there are.
std::string worst_in_words(const std::vector<StoredFrequencies>& rounded) {
  const auto worst =
      std::max_element(rounded.begin(), rounded.end(),
                       [](const auto& x, const auto& y) { return x.phase_error < y.phase_error; });
  return in_words(*worst) +
         (rounded.size() > 1 ? "; so is " + tensors_more(rounded.size() - 1) : "");
}

template <typename Finding>
void print_differences(const std::vector<Finding>& findings, const char* what_counts) {
  constexpr size_t kShown = 3;
  for (size_t i = 0; i < std::min(kShown, findings.size()); ++i) {
    fmt::print("\ndifference: {}\n", in_words(findings[i]));
  }
  if (findings.size() > kShown) {
    fmt::print("\nand {}{}\n", tensors_more(findings.size() - kShown), what_counts);
  }
}

template <typename Finding>
void warn_of(const std::vector<Finding>& findings) {
  if (findings.empty()) return;
  fmt::print(stderr, "ropewalk: warning: {}{}\n", in_words(findings.front()),
             findings.size() == 1 ? "" : "; and " + tensors_more(findings.size() - 1));
}

void print_cosines(const RotationDifference& rotation, bool name_layers) {
  if (rotation.cosines.empty()) return;
  const std::vector<std::vector<std::string>> rows = cosine_rows(rotation);
  if (name_layers) {
    fmt::print("\nLayer{} {}", rotation.layers.size() == 1 ? "" : "s", ranges(rotation.layers));
  }
  fmt::print("\n{}", table(rows, std::vector<bool>(rows[0].size(), true)));
  if (rotation.cosines.front().moved) {
    fmt::print(
        "\nThe scores are those of the last column where the rows of Q and K were moved with the "
        "pairs, as a GGUF's often are.\n");
  }
}

}  // namespace

void print_comparison(const Comparison& comparison, const Compared& compared) {
  if (comparison.alike()) {
    fmt::print("{} and {} encode positions and attend alike{}\n", escaped(compared.a),
               escaped(compared.b),
               compared.layer ? fmt::format(" in layer {}", *compared.layer) : "");
    return;
  }
  std::vector<std::vector<std::string>> rows = difference_rows(comparison);
  const bool named =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row.back().empty(); });
  rows.insert(rows.begin(), {"level", "what", escaped(compared.a), escaped(compared.b), "layers"});
  if (!named) {
    for (auto& row : rows) row.pop_back();
  }
  fmt::print("{}", table(rows));
  const bool several = comparison.rotations.size() > 1;
  for (const RotationDifference& rotation : comparison.rotations) {
    print_cosines(rotation, several || rotation.layers.size() < comparison.common_layers);
  }
}

void print_findings(const CheckpointFindings& findings) {
  print_differences(findings.shapes, "");
  print_differences(of_kind(findings, false), "; the config is what counts");
  const std::vector<StoredFrequencies> rounded = of_kind(findings, true);
  if (!rounded.empty()) fmt::print("\nnote: {}\n", worst_in_words(rounded));
  if (!findings.frequencies_unread.empty()) {
    fmt::print("\nnote: stored frequencies were not looked for: {}\n", findings.frequencies_unread);
  } else if (!findings.shapes_unread.empty()) {
    fmt::print("\nnote: the shapes of the weights were not looked at: {}\n",
               findings.shapes_unread);
  }
}

void warn_of_findings(const ModelEncoding& model, const std::string& path) {
  const CheckpointFindings findings = check_checkpoint(model, path);
  warn_of(findings.shapes);
  warn_of(of_kind(findings, false));
}

}  // namespace ropewalk::cli
