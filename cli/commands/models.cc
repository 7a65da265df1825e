#include "ropewalk/models/models.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/output.h"

namespace ropewalk::cli {

Run declare_models(CLI::App& app) {
  app.description(
      "Example: ropewalk models\n\nThe families whose config.json can be read, and the presets "
      "that need no file.");
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "as JSON");
  return [json] {
    if (*json) {
      auto array = nlohmann::ordered_json::array();
      for (const FamilyInfo& family : families()) {
        array.push_back({{"family", family.name},
                         {"model_types", family.model_types},
                         {"encoding", family.encoding},
                         {"presets", family.presets}});
      }
      print_json(array);
      return 0;
    }
    std::vector<std::vector<std::string>> rows = {{"family", "model_type", "encoding", "presets"}};
    for (const FamilyInfo& family : families()) {
      rows.push_back({family.name, fmt::format("{}", fmt::join(family.model_types, ", ")),
                      family.encoding, fmt::format("{}", fmt::join(family.presets, ", "))});
    }
    fmt::print("{}", table(rows));
    return 0;
  };
}

}  // namespace ropewalk::cli
