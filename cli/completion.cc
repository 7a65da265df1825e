#include "cli/completion.h"

#include <algorithm>

#include "cli/command_list.h"
#include "cli/position_kinds.h"
#include "cli/usage.h"
#include "ropewalk/models/models.h"

namespace ropewalk::cli {

Offered offered_for(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (is_flag(option)) return {};
  if (type.find('|') != std::string::npos) return {Offer::words, items_of(type, '|')};
  if (type == "FILE" || type == "P") return {Offer::files, {}};  // P: numbers, or a file of them
  if (type == "FOLDER") return {Offer::folders, {}};
  if (type == "MODEL") return {Offer::models, {}};
  if (type == "TYPE") return {Offer::model_types, {}};
  if (type == "COMMAND") return {Offer::commands, {}};
  return {};
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Listed& command : command_list()) names.emplace_back(command.name);
  for (const Described& command : other_commands()) names.emplace_back(command.name);
  return names;
}

std::vector<std::string> model_type_names() {
  std::vector<std::string> names;
  for (const FamilyInfo& family : families()) {
    for (const TypeInfo& type : family.types) {
      names.push_back(type.name);
      names.insert(names.end(), type.other_names.begin(), type.other_names.end());
    }
  }
  std::ranges::sort(names);
  // Of a GGUF only: "gguf:clip" is no /model_type that --assume takes, and a colon parts words.
  std::erase_if(names, [](const std::string& name) { return name.find(':') != std::string::npos; });
  const auto repeated = std::ranges::unique(names);
  names.erase(repeated.begin(), repeated.end());
  return names;
}

}  // namespace ropewalk::cli
