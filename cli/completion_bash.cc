#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.h"
#include "cli/usage.h"
#include "ropewalk/base/version.h"
#include "ropewalk/models/models.h"

namespace ropewalk::cli {
namespace {

// What the script does, whatever the commands. `_ropewalk_offer` sets `offer` for "COMMAND OPTION",
// and for "COMMAND N" of the argument that follows N others.
constexpr const char* kBody = R"(
_ropewalk() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command= offer= arguments=0 i
  # bash takes --dtype=f16 for three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -?* ]]; then
      _ropewalk_offer "$command ${COMP_WORDS[i]}"
      if [[ -n $offer ]]; then
        i=$((i + 1))
        [[ ${COMP_WORDS[i]-} == = ]] && i=$((i + 1))
      fi
    elif [[ -z $command ]]; then
      command=${COMP_WORDS[i]}
    else
      arguments=$((arguments + 1))
    fi
  done

  COMPREPLY=()
  offer=
  [[ $previous == -?* ]] && _ropewalk_offer "$command $previous"
  if [[ -z $offer && $cur == -* ]]; then
    _ropewalk_options "$command"
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  [[ -z $offer ]] && _ropewalk_offer "$command $arguments"
  case $offer in
    nothing | '') return ;;
    words:*) COMPREPLY=($(compgen -W "${offer#words:}" -- "$cur")) ;;
    files) _ropewalk_paths -f ;;
    folders) _ropewalk_paths -d ;;
    models)
      _ropewalk_paths -f
      COMPREPLY+=($(compgen -W "$_ropewalk_presets" -- "$cur"))
      ;;
    model_types) COMPREPLY=($(compgen -W "$_ropewalk_model_types" -- "$cur")) ;;
  esac
}

_ropewalk_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$cur")
}

complete -F _ropewalk ropewalk
)";

std::string offer_of(const CLI::Option& option) {
  const Offered offered = offered_for(option);
  switch (offered.offer) {
    case Offer::nothing:
      return "nothing";
    case Offer::words:
      return fmt::format("'words:{}'", fmt::join(offered.words, " "));
    case Offer::files:
      return "files";
    case Offer::folders:
      return "folders";
    case Offer::models:
      return "models";
    case Offer::model_types:
      return "model_types";
    case Offer::commands:
      return fmt::format("'words:{}'", fmt::join(command_names(), " "));
  }
  return "nothing";
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& letter : option.get_snames()) names.push_back("-" + letter);
  for (const std::string& word : option.get_lnames()) names.push_back("--" + word);
  return names;
}

// The cases of _ropewalk_offer for one command.
std::string offers(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : options_of(command, false)) {
    if (is_flag(*option)) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : names_of(*option)) {
      patterns.push_back(fmt::format("'{} {}'", command.get_name(), name));
    }
    text += fmt::format("    {}) offer={} ;;\n", fmt::join(patterns, " | "), offer_of(*option));
  }
  int place = 0;
  for (const CLI::Option* option : options_of(command, true)) {
    const bool many = option->get_items_expected_max() > 1;
    text += fmt::format("    '{} '{}) offer={} ;;\n", command.get_name(),
                        many ? "[0-9]*" : fmt::format("{}", place), offer_of(*option));
    ++place;
  }
  return text;
}

// The case of _ropewalk_options for one command.
std::string options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    for (const std::string& name : names_of(*option)) names.push_back(name);
  }
  return fmt::format("    '{}') options='{}' ;;\n",
                     command.get_parent() == nullptr ? "" : command.get_name(),
                     fmt::join(names, " "));
}

}  // namespace

std::string bash_completion(const CLI::App& root) {
  std::string text = fmt::format(
      "# Completion for bash of ropewalk {}, as `ropewalk completion bash` prints it.\n"
      "_ropewalk_presets='{}'\n_ropewalk_model_types='{}'\n\n"
      "_ropewalk_offer() {{\n  offer=\n  case $1 in\n    ' 0') offer='words:{}' ;;\n",
      ROPEWALK_VERSION, fmt::join(preset_names(), " "), fmt::join(model_type_names(), " "),
      fmt::join(command_names(), " "));
  const std::vector<const CLI::App*> commands =
      root.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* command : commands) text += offers(*command);
  text += "  esac\n}\n\n_ropewalk_options() {\n  options=\n  case $1 in\n" + options(root);
  for (const CLI::App* command : commands) text += options(*command);
  return text + "  esac\n}\n" + kBody;
}

}  // namespace ropewalk::cli
