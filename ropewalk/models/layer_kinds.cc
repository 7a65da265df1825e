#include "ropewalk/models/layer_kinds.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/dialects/notes.h"

namespace ropewalk {
namespace {

constexpr std::string_view kField = "layer_types";

size_t count_of(const ModelEncoding& model) { return model.layers.size(); }

void check_length(const std::string& source, size_t found, size_t count) {
  if (found == count) return;
  refuse(ErrorCode::malformed, source,
         fmt::format("expected {} entries, one for each layer, found {}", count, found));
}

// "2 full_attention, 10 sliding_attention"
std::string in_words(const std::vector<size_t>& kinds, const LayerRule& rule) {
  std::vector<std::string> words;
  for (size_t kind = 0; kind < rule.kinds.size(); ++kind) {
    const auto layers = std::ranges::count(kinds, kind);
    if (layers > 0) words.push_back(fmt::format("{} {}", layers, rule.kinds[kind].name));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

size_t kind_named(const std::string& name, const LayerRule& rule, const std::string& source) {
  std::vector<std::string_view> known;
  for (size_t i = 0; i < rule.kinds.size(); ++i) {
    if (rule.kinds[i].name == name) return i;
    known.push_back(rule.kinds[i].name);
  }
  refuse(ErrorCode::unsupported, source,
         fmt::format("expected layers of the kinds {}, found \"{}\"", fmt::join(known, ", "),
                     escaped(name)));
}

std::vector<size_t> by_names(const StatedLayers& stated, const LayerRule& rule, size_t count) {
  const std::vector<std::string>& names = *stated.names;
  std::vector<size_t> kinds;
  for (const std::string& name : names) {
    kinds.push_back(kind_named(name, rule, stated.names.source));
  }
  if (stated.names_repeat && !names.empty()) {
    for (size_t i = names.size(); i < count; ++i) kinds.push_back(kinds[i % names.size()]);
  }
  if (stated.names_repeat && rule.letters_repeat && !names.empty()) {
    kinds.resize(count);  // a pattern may be longer than the model
    kinds.back() = 0;
  }
  check_length(stated.names.source, kinds.size(), count);
  return kinds;
}

// As many numbers as `count`, from `first` on.
void check_numbers(const Said<std::vector<int64_t>>& said, int64_t first, size_t count) {
  const int64_t last = first + static_cast<int64_t>(count) - 1;
  for (size_t i = 0; i < said.value->size(); ++i) {
    const int64_t number = (*said)[i];
    if (number >= first && number <= last) continue;
    refuse(ErrorCode::malformed, said.source,
           fmt::format("expected an integer in {}..{} at [{}], found {}", first, last, i, number));
  }
}

std::vector<size_t> by_numbers(const StatedLayers& stated, const LayerRule& rule, size_t count) {
  check_numbers(stated.numbers, 0, rule.kinds.size());
  check_length(stated.numbers.source, stated.numbers.value->size(), count);
  return {stated.numbers.value->begin(), stated.numbers.value->end()};
}

std::vector<size_t> by_first_kind(const StatedLayers& stated, size_t count) {
  check_numbers(stated.of_first_kind, stated.first_number, count);
  std::vector<size_t> kinds(count, 1);
  for (const int64_t layer : *stated.of_first_kind) {
    kinds[static_cast<size_t>(layer - stated.first_number)] = 0;
  }
  return kinds;
}

// The number of a layer; without a key that of the one behind the last.
size_t layer_number(const Said<int64_t>& said, const IntegerKey& key, size_t count) {
  const int64_t number = key.key.empty() ? static_cast<int64_t>(count) : said.value_or(key.value);
  return std::min(static_cast<size_t>(number), count);
}

std::vector<size_t> by_first_windowed(const StatedLayers& stated, const LayerRule& rule,
                                      ModelEncoding& model) {
  const size_t count = count_of(model);
  const size_t first = layer_number(stated.first_windowed, rule.first_windowed, count);
  std::vector<size_t> kinds(count, 0);
  std::fill(kinds.begin() + static_cast<std::ptrdiff_t>(first), kinds.end(), 1);
  note(model, kField, fmt::format("{} from layer {} on", rule.kinds[1].name, first),
       stated.first_windowed ? stated.first_windowed.source : "default of the family");
  return kinds;
}

std::vector<size_t> by_pattern(const LayerRule& rule, ModelEncoding& model) {
  std::vector<size_t> kinds;
  for (size_t i = 0; i < count_of(model); ++i) {
    kinds.push_back(i < rule.start.size() ? rule.start[i] : rule.pattern[i % rule.pattern.size()]);
  }
  std::vector<std::string_view> words;
  for (const size_t kind : rule.pattern) words.push_back(rule.kinds[kind].name);
  note(model, kField, fmt::format("again and again {}", fmt::join(words, ", ")),
       "family: the pattern of its class");
  return kinds;
}

// The first layer of kinds[0], and one in each period after it.
std::vector<size_t> by_offset(const StatedLayers& stated, const LayerRule& rule,
                              ModelEncoding& model) {
  const int64_t period = stated.period.value_or(rule.period);
  const int64_t offset = stated.offset.value_or(rule.offset.value);
  if (offset >= period) {
    refuse(ErrorCode::malformed, stated.offset.source,
           fmt::format("expected less than {} {}, found {}", rule.period_key, period, offset));
  }
  note(model, kField,
       fmt::format("one in {} is {}, the first layer {}", period, rule.kinds[0].name, offset),
       stated.period ? stated.period.source : "default of the family");
  std::vector<size_t> kinds(count_of(model), 1);
  for (auto i = static_cast<size_t>(offset); i < kinds.size(); i += static_cast<size_t>(period)) {
    kinds[i] = 0;
  }
  return kinds;
}

std::vector<size_t> by_period(const StatedLayers& stated, const LayerRule& rule,
                              ModelEncoding& model) {
  const size_t count = count_of(model);
  const int64_t period = stated.period.value_or(rule.period);
  const std::string_view first = rule.kinds[0].name;
  note(model, kField, period == 0 ? "all alike" : fmt::format("one in {} is {}", period, first),
       stated.period ? stated.period.source
       : period == 0
           ? "family: no kinds are stated"
           : fmt::format("family: layer i is {} if (i + {}) % {} is 0", first, rule.shift, period));
  std::vector<size_t> kinds(count, 0);
  if (period == 0) return kinds;
  const size_t unwindowed = layer_number(stated.first_unwindowed, rule.first_unwindowed, count);
  for (size_t i = 0; i < unwindowed; ++i) {
    kinds[i] = (static_cast<int64_t>(i) + rule.shift) % period == 0 ? 0 : 1;
  }
  if (rule.first_is_first_kind) kinds.front() = 0;
  if (rule.last_is_first_kind) kinds.back() = 0;
  return kinds;
}

}  // namespace

std::vector<size_t> resolve_kinds(const StatedLayers& stated, const LayerRule& rule,
                                  ModelEncoding& model) {
  const size_t count = count_of(model);
  std::vector<size_t> kinds;
  std::string source;
  if (stated.names) {
    kinds = by_names(stated, rule, count);
    source = stated.names.source;
  } else if (stated.of_first_kind) {
    kinds = by_first_kind(stated, count);
    source = stated.of_first_kind.source;
  } else if (stated.numbers) {
    kinds = by_numbers(stated, rule, count);
    source = stated.numbers.source;
  } else if (!rule.first_windowed.key.empty()) {
    return by_first_windowed(stated, rule, model);
  } else if (!rule.offset.key.empty()) {
    return by_offset(stated, rule, model);
  } else {
    return rule.pattern.empty() ? by_period(stated, rule, model) : by_pattern(rule, model);
  }
  note(model, kField, in_words(kinds, rule), source);
  return kinds;
}

std::vector<bool> resolve_rotating(const StatedLayers& stated, const LayerRule& rule,
                                   ModelEncoding& model) {
  const size_t count = count_of(model);
  std::vector<bool> rotates(count, true);
  if (rule.no_rope_interval == 0 || stated.alike) return rotates;
  if (const auto& list = stated.rotating; list && !list.value->empty()) {
    check_length(list.source, list.value->size(), count);
    for (size_t i = 0; i < count; ++i) rotates[i] = (*list)[i] == 1;
    note(model, "layers that rotate", "those with a 1", list.source);
    return rotates;
  }
  const Said<int64_t>& said = stated.no_rope_interval;
  const int64_t interval = said.value_or(rule.no_rope_interval);
  for (size_t i = 0; i < count; ++i) rotates[i] = (static_cast<int64_t>(i) + 1) % interval != 0;
  note(model, "layers that rotate", fmt::format("all but one in {}", interval),
       said ? said.source : "default of the family");
  return rotates;
}

void resolve_bases(const StatedLayers& stated, const LayerRule& rule, ModelEncoding& model) {
  if (rule.bases_key.empty() || stated.alike) return;
  const Said<std::vector<double>>& bases = stated.bases;
  const size_t count = count_of(model);
  if (bases) check_length(bases.source, bases.value->size(), count);
  size_t passing = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t from_last = static_cast<int64_t>(count - 1 - i);
    const bool passes = bases ? (*bases)[i] == 0
                              : rule.passes_from_last > 0 && from_last % rule.passes_from_last == 0;
    PositionEncoding& positions = model.layers[i].positions;
    if (passes) {
      positions = NoEncoding{};
      ++passing;
    } else if (auto* rope = std::get_if<RopeConfig>(&positions); rope != nullptr && bases) {
      rope->rope_theta = (*bases)[i];
    }
  }
  note(model, "layers that do not rotate", fmt::to_string(passing),
       bases ? bases.source + ", the zeros" : "default of the family");
}

}  // namespace ropewalk
