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
  if (stated.last_is_first_kind && !names.empty()) {
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
  check_numbers(stated.kind_numbers, 0, rule.kinds.size());
  check_length(stated.kind_numbers.source, stated.kind_numbers.value->size(), count);
  return {stated.kind_numbers.value->begin(), stated.kind_numbers.value->end()};
}

std::vector<size_t> by_first_kind(const StatedLayers& stated, size_t count) {
  check_numbers(stated.of_first_kind, stated.first_number, count);
  std::vector<size_t> kinds(count, 1);
  for (const int64_t layer : *stated.of_first_kind) {
    kinds[static_cast<size_t>(layer - stated.first_number)] = 0;
  }
  return kinds;
}

// "SSSF" with the letter of kinds[0] where the file wants it, and as long as it says: that letter
// stays the last where it is.
std::string stated_pattern(const StatedLayers& stated, const LayerRule& rule) {
  std::string pattern(split_pattern(rule.pattern).repeated);
  if (!stated.every && !stated.offset) return pattern;
  const char first = letter_of(rule.kinds[0]), second = letter_of(rule.kinds[1]);
  const size_t own = pattern.find(first);
  const bool is_last = own == pattern.size() - 1;
  const auto every = static_cast<size_t>(stated.every.value_or(std::ssize(pattern)));
  const auto place =
      static_cast<size_t>(stated.offset.value_or(static_cast<int64_t>(is_last ? every - 1 : own)));
  if (place >= every) {
    const Said<int64_t>& wrong = stated.offset ? stated.offset : stated.every;
    refuse(ErrorCode::malformed, wrong.source,
           fmt::format("expected the first {} layer in 0..{}, found {}", rule.kinds[0].name,
                       every - 1, place));
  }
  pattern.assign(every, second);
  pattern[place] = first;
  return pattern;
}

// The kinds of a pattern, and of the layers from a number on.
std::vector<size_t> by_pattern(const StatedLayers& stated, const LayerRule& rule,
                               ModelEncoding& model) {
  const size_t count = count_of(model);
  const LayerPattern parts = split_pattern(rule.pattern);
  const std::string repeated = stated_pattern(stated, rule);
  const auto kind_of = [&](char letter) { return *kind_with(letter, rule.kinds); };
  std::vector<size_t> kinds(count, 0);
  for (size_t i = 0; i < count && !repeated.empty(); ++i) {
    kinds[i] = kind_of(repeated[i % repeated.size()]);
  }
  for (size_t i = 0; i < std::min(count, parts.start.size()); ++i) {
    kinds[i] = kind_of(parts.start[i]);
  }
  for (size_t i = 0; i < std::min(count, parts.end.size()); ++i) {
    kinds[count - 1 - i] = kind_of(parts.end[parts.end.size() - 1 - i]);
  }
  const auto set_from = [&](LayerKey::States states, const Said<int64_t>& said, size_t kind) {
    const LayerKey* key = find_key(rule, states);
    if (key == nullptr) return;
    const auto first = std::min(count, static_cast<size_t>(said.value_or(key->value)));
    std::fill(kinds.begin() + static_cast<std::ptrdiff_t>(first), kinds.end(), kind);
    note(model, kField, fmt::format("{} from layer {} on", rule.kinds[kind].name, first),
         said ? said.source : "default of the family");
  };
  set_from(LayerKey::second_from, stated.second_from, 1);
  set_from(LayerKey::first_from, stated.first_from, 0);
  return kinds;
}

// The words and the source of a pattern.
void note_pattern(const StatedLayers& stated, const std::vector<size_t>& kinds,
                  const LayerRule& rule, ModelEncoding& model) {
  if (find_key(rule, LayerKey::second_from) != nullptr) return;  // noted with its number
  const Said<int64_t>& said = stated.every ? stated.every : stated.offset;
  note(model, kField, in_words(kinds, rule),
       said                   ? said.source
       : rule.pattern.empty() ? "family: no kinds are stated"
                              : fmt::format("family: the pattern {}", rule.pattern));
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
  } else if (stated.kind_numbers) {
    kinds = by_numbers(stated, rule, count);
    source = stated.kind_numbers.source;
  } else {
    kinds = by_pattern(stated, rule, model);
    note_pattern(stated, kinds, rule, model);
    return kinds;
  }
  note(model, kField, in_words(kinds, rule), source);
  return kinds;
}

std::vector<bool> resolve_rotating(const StatedLayers& stated, const LayerRule& rule,
                                   ModelEncoding& model) {
  const size_t count = count_of(model);
  std::vector<bool> rotates(count, true);
  if (rule.rotates.empty() || stated.alike || stated.bases) return rotates;
  if (const auto& list = stated.rotates; list && !list.value->empty()) {
    check_length(list.source, list.value->size(), count);
    for (size_t i = 0; i < count; ++i) rotates[i] = (*list)[i] == 1;
    note(model, "layers that rotate", "those with a 1", list.source);
    return rotates;
  }
  const Said<int64_t>& every = stated.rotates_every;
  const bool from_last = rule.rotates.starts_with('<');
  const std::string_view pattern = rule.rotates.substr(from_last ? 1 : 0);
  const size_t length = every ? static_cast<size_t>(*every) : pattern.size();
  for (size_t i = 0; i < count; ++i) {
    const size_t place = from_last ? length - 1 - (count - 1 - i) % length : i % length;
    rotates[i] = every ? place + 1 != length : pattern[place] == 'R';
  }
  note(model, "layers that rotate", fmt::format("all but one in {}", length),
       every ? every.source : fmt::format("family: the pattern {}", rule.rotates));
  return rotates;
}

void resolve_bases(const StatedLayers& stated, ModelEncoding& model) {
  const Said<std::vector<double>>& bases = stated.bases;
  if (!bases || stated.alike) return;
  const size_t count = count_of(model);
  check_length(bases.source, bases.value->size(), count);
  size_t passing = 0;
  for (size_t i = 0; i < count; ++i) {
    PositionEncoding& positions = model.layers[i].positions;
    if ((*bases)[i] == 0) {
      positions = NoEncoding{};
      ++passing;
    } else if (auto* rope = std::get_if<RopeConfig>(&positions); rope != nullptr) {
      rope->rope_theta = (*bases)[i];
    }
  }
  note(model, "layers that do not rotate", fmt::to_string(passing), bases.source + ", the zeros");
}

}  // namespace ropewalk
