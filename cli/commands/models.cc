#include "ropewalk/models/models.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/output.h"

namespace ropewalk::cli {
namespace {

std::string words(const TypeInfo& type) {
  if (type.part.empty()) return type.encoding;
  return fmt::format("{}: {}", type.part, type.part_type);
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

nlohmann::ordered_json conventions_json() {
  auto array = nlohmann::ordered_json::array();
  for (const FamilyInfo& family : families()) {
    auto types = nlohmann::ordered_json::array();
    for (const TypeInfo& type : family.types) {
      types.push_back({{"model_type", type.name},
                       {"architecture", text_or_null(type.architecture)},
                       {"encoding", words(type)},
                       {"attention", text_or_null(type.attention)},
                       {"reads_weights", type.reads_weights},
                       {"pairing", text_or_null(type.pairing)},
                       {"gguf_architecture", text_or_null(type.gguf_architecture)},
                       {"gguf_pairing", text_or_null(type.gguf_pairing)},
                       {"q_and_k_rows_permuted_in_gguf", type.permuted}});
    }
    array.push_back({{"family", family.name}, {"types", types}, {"presets", family.presets}});
  }
  return array;
}

// docs/models.md.
void print_markdown() {
  size_t count = 0;
  for (const FamilyInfo& family : families()) count += family.types.size();
  fmt::print(
      "# Conventions of {} model types\n\n"
      "Printed by `ropewalk models --markdown`. The pairing is that of the Hugging Face weights; "
      "no "
      "key of a config.json or\nof a GGUF file states it. Permuted: the rows of Q and K are moved "
      "on the way to the GGUF, so that the other pairing\nholds there.\n",
      count);
  for (const FamilyInfo& family : families()) {
    fmt::print(
        "\n## {}\n\n| model_type | encoding | attention | weights | GGUF architecture | pairing in "
        "GGUF |\n|---|---|---|---|---|---|\n",
        family.name);
    for (const TypeInfo& type : family.types) {
      fmt::print("| {} | {} | {} | {} | {} | {}{} |\n", type.name, words(type), type.attention,
                 type.reads_weights ? "yes" : "", type.gguf_architecture, type.gguf_pairing,
                 type.permuted ? ", permuted" : "");
    }
  }
}

}  // namespace

Run declare_models(CLI::App& app) {
  app.description(
      "Example: ropewalk models\n\nThe families whose files (config.json, GGUF, params.json) can "
      "be read, and the presets "
      "that need no file.");
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as JSON");
  const auto markdown = std::make_shared<bool>(false);
  app.add_flag("--markdown", *markdown, "as docs/models.md");
  return [json, markdown] {
    if (*markdown) {
      print_markdown();
      return 0;
    }
    if (*json) {
      print_json(conventions_json());
      return 0;
    }
    std::vector<std::vector<std::string>> rows = {{"family", "model_type", "encoding", "presets"}};
    for (const FamilyInfo& family : families()) {
      const std::string presets = fmt::format("{}", fmt::join(family.presets, ", "));
      for (const TypeInfo& type : family.types) {
        const bool first = &type == &family.types.front();
        rows.push_back({first ? family.name : "", type.name, words(type), first ? presets : ""});
      }
    }
    fmt::print("{}", table(rows));
    return 0;
  };
}

}  // namespace ropewalk::cli
