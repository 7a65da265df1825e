#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {

// What is said of a cause; {found}, {expected}, {number}, {undo}, {axis}, {layer}, {name} in the
// texts are its own.
struct CauseWords {
  std::string_view hypothesis, variant, sentence, change;
};

// 500000, 0.088388348: whole numbers in full, others with 8 digits.
std::string number_words(double value);

// The sentences of causes, or what to change for each, in one line with `between` them. A cause
// that the table does not have says nothing.
std::string joined_words(std::span<const CauseWords> table, const std::vector<Cause>& causes,
                         std::string_view CauseWords::*part, std::string_view between = "; and ");

}  // namespace ropewalk
