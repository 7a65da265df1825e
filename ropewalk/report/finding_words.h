#pragma once

#include <string>

#include "ropewalk/diagnose/checkpoint_findings.h"

namespace ropewalk {

// One line each: "model.safetensors: tensor "...inv_freq" pair 1 has 0, but the config gives 0.01".
std::string in_words(const StoredFrequencies& stored);
std::string in_words(const WrongShape& shape);

}  // namespace ropewalk
