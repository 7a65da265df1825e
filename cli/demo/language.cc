#include "cli/demo/language.h"

#include <cstdlib>

#include "ropewalk/base/error.h"

namespace ropewalk::cli::demo {

Language language_from_name(const std::string& name) {
  if (name == "en") return Language::english;
  if (name == "zh" || name == "zh-hant") return Language::traditional;
  if (name == "zh-hans") return Language::simplified;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("--lang: expected en, zh, zh-hant or zh-hans, found \"{}\"", escaped(name)));
}

Language language_of_locale(std::string_view locale) {
  const std::string_view name = locale.substr(0, locale.find_first_of(".@"));
  if (name != "zh" && !name.starts_with("zh_")) return Language::english;
  for (const std::string_view simplified : {"zh_CN", "zh_SG", "zh_Hans"}) {
    if (name.starts_with(simplified)) return Language::simplified;
  }
  return Language::traditional;
}

Language language_of_environment() {
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* locale = std::getenv(variable);
    if (locale != nullptr && *locale != '\0') return language_of_locale(locale);
  }
  return Language::english;
}

}  // namespace ropewalk::cli::demo
