#pragma once

#include <string>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What a layer does to q, k, v and the scores, in a line made of its fields: "softmax scale
// 0.0883883, causal, window of 4095 keys to the left and 0 to the right".
std::string in_words(const Layer& layer);

// One line for each kind of attention: "  layers 0..4, 6..10: softmax scale ...".
std::string attention_kinds(const ModelEncoding& model);

}  // namespace ropewalk
