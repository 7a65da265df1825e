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
                       {"pairing", text_or_null(type.pairing)},
                       {"gguf_architecture", text_or_null(type.gguf_architecture)},
                       {"gguf_pairing", text_or_null(type.gguf_pairing)},
                       {"q_and_k_rows_permuted_in_gguf", type.permuted}});
    }
    array.push_back({{"family", family.name}, {"types", types}, {"presets", family.presets}});
  }
  return array;
}

}  // namespace

Run declare_models(CLI::App& app) {
  app.description(
      "Example: ropewalk models\n\nThe families whose config.json can be read, and the presets "
      "that need no file.");
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as JSON");
  return [json] {
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
