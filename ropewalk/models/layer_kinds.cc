#include "ropewalk/models/layer_kinds.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/models/rope_keys.h"

namespace ropewalk {
namespace {

constexpr std::string_view kKey = "layer_types";

size_t kind_of(const ConfigReader& config, const LayerRule& rule, const std::string& name,
               std::string_view key) {
  std::vector<std::string_view> known;
  for (size_t i = 0; i < rule.kinds.size(); ++i) {
    if (rule.kinds[i].name == name) return i;
    known.push_back(rule.kinds[i].name);
  }
  config.refuse(ErrorCode::unsupported, key,
                fmt::format("expected layers of the kinds {}, found \"{}\"", fmt::join(known, ", "),
                            escaped(name)));
}

// The number of a layer; without a key that of the one behind the last.
int64_t layer_number(ConfigReader& config, const IntegerKey& key, size_t count) {
  if (key.key.empty()) return static_cast<int64_t>(count);
  return config.find_integer(key.key, {0, int64_t{1} << 20}).value_or(key.value);
}

std::vector<size_t> by_first_windowed(ConfigReader& config, const LayerRule& rule, size_t count) {
  const int64_t first = layer_number(config, rule.first_windowed, count);
  std::vector<size_t> kinds(count, 0);
  for (int64_t i = first; i < static_cast<int64_t>(count); ++i) kinds[static_cast<size_t>(i)] = 1;
  config.note("layer_types", fmt::format("{} from layer {} on", rule.kinds[1].name, first),
              config.has(rule.first_windowed.key) ? config.source(rule.first_windowed.key)
                                                  : "default of the family");
  return kinds;
}

std::vector<size_t> by_pattern(ConfigReader& config, const LayerRule& rule, size_t count) {
  std::vector<size_t> kinds;
  for (size_t i = 0; i < count; ++i) {
    kinds.push_back(i < rule.start.size() ? rule.start[i] : rule.pattern[i % rule.pattern.size()]);
  }
  std::vector<std::string_view> words;
  for (const size_t kind : rule.pattern) words.push_back(rule.kinds[kind].name);
  config.note(kKey, fmt::format("again and again {}", fmt::join(words, ", ")),
              "family: the pattern of its class");
  return kinds;
}

// The first layer of kinds[0], and one in each period after it.
std::vector<size_t> by_offset(ConfigReader& config, const LayerRule& rule, size_t count) {
  const int64_t period = config.find_integer(rule.period_key, {1, 4096}).value_or(rule.period);
  const int64_t offset =
      config.find_integer(rule.offset.key, {0, 4095}).value_or(rule.offset.value);
  if (offset >= period) {
    config.refuse(
        ErrorCode::malformed, rule.offset.key,
        fmt::format("expected less than {} {}, found {}", rule.period_key, period, offset));
  }
  config.note(
      kKey, fmt::format("one in {} is {}, the first layer {}", period, rule.kinds[0].name, offset),
      config.has(rule.period_key) ? config.source(rule.period_key) : "default of the family");
  std::vector<size_t> kinds(count, 1);
  for (auto i = static_cast<size_t>(offset); i < count; i += static_cast<size_t>(period)) {
    kinds[i] = 0;
  }
  return kinds;
}

std::vector<std::string> names_of_letters(ConfigReader& config, const LayerRule& rule) {
  std::vector<std::string> names;
  for (const char letter : config.find_text(rule.letters_key).value_or("")) {
    const size_t kind = rule.letters.find(letter);
    if (kind == rule.letters.npos) {
      config.refuse(ErrorCode::unsupported, rule.letters_key,
                    fmt::format("expected layers of the letters {}, found \"{}\"",
                                fmt::join(rule.letters, ", "), escaped(std::string(1, letter))));
    }
    names.emplace_back(rule.kinds[kind].name);
  }
  return names;
}

std::vector<size_t> by_period(ConfigReader& config, const LayerRule& rule, size_t count) {
  int64_t period = rule.period;
  std::string source = period == 0 ? "family: no kinds are stated"
                                   : fmt::format("family: layer i is {} if (i + {}) % {} is 0",
                                                 rule.kinds[0].name, rule.shift, period);
  if (!rule.period_key.empty()) {
    if (const auto stated = config.find_integer(rule.period_key, {1, 4096})) {
      period = *stated;
      source = config.source(rule.period_key);
    }
  }
  config.note(
      "layer_types",
      period == 0 ? "all alike" : fmt::format("one in {} is {}", period, rule.kinds[0].name),
      source);
  std::vector<size_t> kinds(count, 0);
  if (period == 0) return kinds;
  for (size_t i = 0; i < count; ++i) {
    kinds[i] = (static_cast<int64_t>(i) + rule.shift) % period == 0 ? 0 : 1;
  }
  const int64_t unwindowed = layer_number(config, rule.first_unwindowed, count);
  for (int64_t i = unwindowed; i < static_cast<int64_t>(count); ++i) {
    kinds[static_cast<size_t>(i)] = 0;
  }
  if (rule.first_is_first_kind) kinds.front() = 0;
  if (rule.last_is_first_kind) kinds.back() = 0;
  return kinds;
}

void check_length(const ConfigReader& config, std::string_view key, size_t found, size_t count) {
  if (found == count) return;
  config.refuse(ErrorCode::malformed, key,
                fmt::format("expected {} entries, one for each layer, found {}", count, found));
}

std::vector<size_t> by_numbers(ConfigReader& config, const LayerRule& rule, size_t count) {
  const IntegerRule kind{0, std::ssize(rule.kinds) - 1};
  const auto numbers = config.find_integers(rule.numbers_key, kind);
  check_length(config, rule.numbers_key, numbers->size(), count);
  config.note(kKey, fmt::format("0: {}, 1: {}", rule.kinds[0].name, rule.kinds[1].name),
              config.source(rule.numbers_key));
  return {numbers->begin(), numbers->end()};
}

std::vector<size_t> by_indices(ConfigReader& config, const LayerRule& rule, size_t count) {
  std::vector<size_t> kinds(count, 1);
  const IntegerRule layer{0, static_cast<int64_t>(count) - 1};
  const auto indices = config.find_integers(rule.indices_key, layer);
  for (const int64_t index : *indices) kinds[static_cast<size_t>(index)] = 0;
  config.note(kKey,
              fmt::format("{} {}, {} {}", indices->size(), rule.kinds[0].name,
                          count - indices->size(), rule.kinds[1].name),
              config.source(rule.indices_key));
  return kinds;
}

// The list of "a/b", counted from 1; nothing where the file has none.
std::optional<std::vector<size_t>> by_numbers_from_one(ConfigReader& config, const LayerRule& rule,
                                                       size_t count) {
  const size_t slash = rule.from_one.find('/');
  if (slash == rule.from_one.npos) return std::nullopt;
  auto place = config.find_object(rule.from_one.substr(0, slash));
  const std::string_view key = rule.from_one.substr(slash + 1);
  const auto numbers =
      place ? place->find_integers(key, {1, static_cast<int64_t>(count)}) : std::nullopt;
  if (!numbers) return std::nullopt;
  std::vector<size_t> kinds(count, 1);
  for (const int64_t number : *numbers) kinds[static_cast<size_t>(number - 1)] = 0;
  config.note(kKey, fmt::format("{} of {} are {}", numbers->size(), count, rule.kinds[0].name),
              place->source(key));
  return kinds;
}

}  // namespace

bool same_positions(const LayerKind& a, const LayerKind& b) {
  return a.rotates == b.rotates && a.theta_key == b.theta_key && a.rope_theta == b.rope_theta &&
         a.rotary_fraction == b.rotary_fraction && a.takes_rope_scaling == b.takes_rope_scaling &&
         a.head_dim_key == b.head_dim_key && a.head_dim == b.head_dim;
}

bool turn_alike(std::span<const LayerKind> kinds) {
  return std::all_of(kinds.begin(), kinds.end(), [&](const LayerKind& kind) {
    return kind.rotates && same_positions(kind, kinds.front());
  });
}

std::vector<size_t> read_layer_kinds(ConfigReader& config, const LayerRule& rule, size_t count) {
  std::string_view key = config.has(kKey) ? kKey : rule.list_key;
  auto names = key.empty() ? std::nullopt : config.find_texts(key);
  if (!names && config.has(rule.letters_key)) {
    key = rule.letters_key;
    names = names_of_letters(config, rule);
  }
  if (!names && config.has(rule.indices_key)) return by_indices(config, rule, count);
  if (!names && config.has(rule.numbers_key)) return by_numbers(config, rule, count);
  if (!names && !rule.first_windowed.key.empty()) return by_first_windowed(config, rule, count);
  if (!names) {
    if (const auto kinds = by_numbers_from_one(config, rule, count)) return *kinds;
  }
  if (!names && !rule.pattern.empty()) return by_pattern(config, rule, count);
  if (!names && !rule.offset.key.empty()) return by_offset(config, rule, count);
  if (!names) return by_period(config, rule, count);
  if (key == rule.list_key && rule.letters.empty() && !names->empty()) {
    const size_t given = names->size();
    for (size_t i = given; i < count; ++i) names->push_back((*names)[i % given]);
  }
  check_length(config, key, names->size(), count);
  std::vector<size_t> kinds;
  std::vector<size_t> counts(rule.kinds.size(), 0);
  for (const std::string& name : *names) {
    kinds.push_back(kind_of(config, rule, name, key));
    ++counts[kinds.back()];
  }
  std::string words;
  for (size_t kind = 0; kind < counts.size(); ++kind) {
    if (counts[kind] == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", counts[kind], rule.kinds[kind].name);
  }
  config.note(kKey, words, config.source(key));
  return kinds;
}

std::vector<bool> read_rotating_layers(ConfigReader& config, const LayerRule& rule, size_t count) {
  std::vector<bool> rotates(count, true);
  if (rule.no_rope_interval == 0) return rotates;
  constexpr std::string_view kList = "no_rope_layers", kInterval = "no_rope_layer_interval";
  const auto list = config.find_integers(kList, {0, 1});
  if (list && !list->empty()) {
    check_length(config, kList, list->size(), count);
    for (size_t i = 0; i < count; ++i) rotates[i] = (*list)[i] == 1;
    config.note("layers that rotate", "those with a 1", config.source(kList));
    config.ignore(kInterval);
    return rotates;
  }
  const auto stated = config.find_integer(kInterval, {1, 4096});
  const int64_t interval = stated.value_or(rule.no_rope_interval);
  for (size_t i = 0; i < count; ++i) {
    rotates[i] = (static_cast<int64_t>(i) + 1) % interval != 0;
  }
  config.note("layers that rotate", fmt::format("all but one in {}", interval),
              stated ? config.source(kInterval) : "default of the family");
  return rotates;
}

void read_layer_bases(ConfigReader& config, const LayerRule& rule, std::vector<Layer>& layers) {
  if (rule.bases_key.empty()) return;
  constexpr NumberRule kBase{"0 or a number of at least 1",
                             [](double value) { return value == 0 || kRopeTheta.holds(value); }};
  const auto bases = config.find_numbers(rule.bases_key, kBase);
  if (bases) check_length(config, rule.bases_key, bases->size(), layers.size());
  size_t passing = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    const int64_t from_last = static_cast<int64_t>(layers.size() - 1 - i);
    const bool passes = bases ? (*bases)[i] == 0
                              : rule.passes_from_last > 0 && from_last % rule.passes_from_last == 0;
    if (passes) {
      layers[i].positions = NoEncoding{};
      ++passing;
    } else if (auto* rope = std::get_if<RopeConfig>(&layers[i].positions);
               rope != nullptr && bases) {
      rope->rope_theta = (*bases)[i];
    }
  }
  config.note("layers that do not rotate", fmt::to_string(passing),
              bases ? config.source(rule.bases_key) + ", the zeros" : "default of the family");
}

}  // namespace ropewalk
