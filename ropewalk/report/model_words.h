#pragma once

#include <string>

#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/report/shown.h"

namespace ropewalk {

// What encodes position in a model, in lines: its layers and parts, every fact with its evidence,
// how its layers attend, warnings and known traps.
std::string facts_in_words(const ModelEncoding& model);

// The frequencies of a layer or part that rotates, with those of the whole context where the
// scaling depends on the length, and what the scaling does to them; or the slopes of its ALiBi.
// Some of the pairs, or all. Throws as encoding_shown.
std::string frequencies_in_words(const ModelEncoding& model, const Shown& shown, bool all);

// Both, the frequencies of the first layer that knows positions: what `ropewalk show` prints of a
// model without a checkpoint.
std::string in_words(const ModelEncoding& model);

}  // namespace ropewalk
