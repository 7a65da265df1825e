#pragma once

#include <string>
#include <string_view>

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// "family: the code of bert"
std::string code_of(const ModelType& type);

// What a learned table belongs to, and the words of its evidence.
struct TableOwner {
  int64_t width = 0, max_positions = 0;
  std::string defaults, code;    // "default of BertConfig", "family: the code of bert"
  std::string_view prefix = {};  // of each field: "vision "
};
// The table that a rule describes.
LearnedConfig read_learned_rule(ConfigReader& config, const LearnedRule& rule,
                                const TableOwner& owner);

// A model whose input gets the sines of a table.
void read_sinusoidal(ConfigReader& config, ModelEncoding& model, const ModelType& type);

// A model whose positions are weights of its checkpoint: a learned table, numbers or terms of
// distances, a convolution, features of places. Where the row does not hold by a key, what only_if
// says holds instead.
void read_with_weights(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                       bool held = true);

}  // namespace ropewalk
