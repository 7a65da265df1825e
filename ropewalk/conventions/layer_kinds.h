#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

inline bool is_windowed(const LayerKind& kind) { return kind.windowed; }

// 'F' of "full_attention", or a letter of its own.
char letter_of(const LayerKind& kind);

// The index of the first kind with this letter; nothing where there is none.
std::optional<size_t> kind_with(char letter, std::span<const LayerKind> kinds);

// The three parts of "first|again and again|last"; of a pattern without | the middle one.
struct LayerPattern {
  std::string_view start, repeated, end;
};
LayerPattern split_pattern(std::string_view pattern);

// The key of a rule that states this; null where there is none.
const LayerKey* find_key(const LayerRule& rule, LayerKey::States states);

// A kind of layer whose positions are read as those of an earlier one need not be read again.
bool same_positions(const LayerKind& a, const LayerKind& b);

// All kinds rotate, and in one way.
bool turn_alike(std::span<const LayerKind> kinds);

// The kinds of the rule; one that says nothing where there are none, or the file lets all layers be
// alike.
std::span<const LayerKind> kinds_of(const LayerRule& rule, bool alike);

}  // namespace ropewalk
