#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ropewalk/dialects/key_rules.h"
#include "ropewalk/dialects/said.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Evidence for a field: its value in words, and where it comes from.
void note(ModelEncoding& model, std::string_view field, std::string value, std::string source);

// Facts of the model that are those of `before` keep the source that they have there.
void keep_notes(const ModelEncoding& before, ModelEncoding& model);

// The same words twice are one warning.
void warn(ModelEncoding& model, std::string text);

// The value of a field with its evidence: what the file says, else the default. Throws malformed
// where there is neither.
int64_t settled(ModelEncoding& model, std::string_view field, const Said<int64_t>& said,
                const IntegerRule& rule, const std::optional<Default<int64_t>>& fallback = {});

}  // namespace ropewalk
