// What a file says of a key, with its source: the half of ConfigReader that fills a StatedModel.

#include <fmt/format.h>

#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

Said<int64_t> ConfigReader::said_integer(std::initializer_list<std::string_view> keys,
                                         const IntegerRule& rule) {
  Said<int64_t> result;
  for (const std::string_view key : keys) {
    const Said<int64_t> said = said_integer(key, rule);
    if (said && result && *said != *result) {
      warn(fmt::format("{} says {}, but {} says {}: the first counts", result.key, *result,
                       said.key, *said));
    }
    if ((said && !result) || result.source.empty()) result = said;
  }
  return result;
}

template <typename T, typename Read>
Said<T> ConfigReader::said(std::string_view path, Read read) {
  if (path.empty()) return {};
  const size_t slash = path.find('/');
  if (slash == path.npos) return {read(*this, path), source(path), pointer_to(path), is_null(path)};
  auto inner = find_object(path.substr(0, slash));
  if (inner) return inner->said<T>(path.substr(slash + 1), read);
  const std::string pointer = fmt::format("{}/{}", pointer_, path);
  return {std::nullopt, fmt::format("{}: {}", label_, pointer), pointer, false};
}

Said<int64_t> ConfigReader::said_integer(std::string_view path, const IntegerRule& rule) {
  return said<int64_t>(path, [&](ConfigReader& place, std::string_view key) {
    return place.find_integer(key, rule);
  });
}

Said<double> ConfigReader::said_number(std::string_view path, const NumberRule& rule) {
  return said<double>(path, [&](ConfigReader& place, std::string_view key) {
    return place.find_number(key, rule);
  });
}

Said<bool> ConfigReader::said_boolean(std::string_view path) {
  return said<bool>(
      path, [](ConfigReader& place, std::string_view key) { return place.find_boolean(key); });
}

Said<std::string> ConfigReader::said_text(std::string_view path) {
  return said<std::string>(
      path, [](ConfigReader& place, std::string_view key) { return place.find_text(key); });
}

Said<std::vector<int64_t>> ConfigReader::said_integers(std::string_view path,
                                                       const IntegerRule& rule) {
  return said<std::vector<int64_t>>(path, [&](ConfigReader& place, std::string_view key) {
    return place.find_integers(key, rule);
  });
}

Said<std::vector<double>> ConfigReader::said_numbers(std::string_view path,
                                                     const NumberRule& rule) {
  return said<std::vector<double>>(path, [&](ConfigReader& place, std::string_view key) {
    return place.find_numbers(key, rule);
  });
}

Said<std::vector<std::string>> ConfigReader::said_texts(std::string_view path) {
  return said<std::vector<std::string>>(
      path, [](ConfigReader& place, std::string_view key) { return place.find_texts(key); });
}

}  // namespace ropewalk
