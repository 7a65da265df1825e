#pragma once

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ropewalk::cli::demo {

enum class Language { english, traditional, simplified };

// en, zh-hant or zh (Chinese in traditional characters), zh-hans (in simplified ones). Throws
// invalid_argument naming --lang for any other.
Language language_from_name(const std::string& name);

// What LC_ALL, LC_MESSAGES or LANG asks for, the first that says something: zh_CN, zh_SG and
// zh_Hans simplified, any other zh traditional, English for all else.
Language language_of_environment();
Language language_of_locale(std::string_view locale);  // "zh_TW.UTF-8"

// How often "{}" or "{index:spec}" stands in a sentence, automatic indices counted from 0.
constexpr size_t count_of_field(std::string_view sentence, std::string_view index,
                                std::string_view spec) {
  size_t count = 0, automatic = 0;
  for (size_t i = 0; i < sentence.size(); ++i) {
    if (sentence[i] != '{') continue;
    const size_t end = sentence.find('}', i);
    const std::string_view field = sentence.substr(i + 1, end - i - 1);
    const size_t colon = field.find(':');
    const std::string_view own = field.substr(0, colon);
    const char digit[] = {static_cast<char>('0' + automatic)};
    const bool same_index = own.empty() ? index == std::string_view(digit, 1) : own == index;
    if (own.empty()) ++automatic;
    const auto own_spec = colon == field.npos ? std::string_view() : field.substr(colon + 1);
    count += same_index && own_spec == spec;
    i = end;
  }
  return count;
}

// Whether each field of a is in b as often as in a.
constexpr bool has_the_fields_of(std::string_view a, std::string_view b) {
  size_t automatic = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != '{') continue;
    const size_t end = a.find('}', i);
    const std::string_view field = a.substr(i + 1, end - i - 1);
    const size_t colon = field.find(':');
    const char digit[] = {static_cast<char>('0' + automatic)};
    std::string_view index = field.substr(0, colon);
    if (index.empty()) index = std::string_view(digit, 1), ++automatic;
    const auto spec = colon == field.npos ? std::string_view() : field.substr(colon + 1);
    if (count_of_field(a, index, spec) != count_of_field(b, index, spec)) return false;
    i = end;
  }
  return true;
}

// One sentence in the three languages. One whose placeholders differ from the others' does not
// compile.
struct Sentence {
  std::array<std::string_view, 3> in;

  consteval Sentence(const char* english, const char* traditional, const char* simplified)
      : in{english, traditional, simplified} {
    for (const std::string_view a : in) {
      for (const std::string_view b : in) {
        if (!has_the_fields_of(a, b)) throw "the placeholders of a sentence differ";
      }
    }
  }
};

// Says sentences in one language.
class Voice {
 public:
  explicit Voice(Language language) : language_(language) {}

  template <typename... Args>
  std::string operator()(const Sentence& sentence, const Args&... args) const {
    return fmt::format(fmt::runtime(sentence.in[static_cast<size_t>(language_)]), args...);
  }

 private:
  Language language_;
};

}  // namespace ropewalk::cli::demo
