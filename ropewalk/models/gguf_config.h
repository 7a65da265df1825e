#pragma once

#include <string>
#include <vector>

#include "ropewalk/models/gguf_keys.h"
#include "ropewalk/models/model_type.h"

namespace ropewalk {

// The channels of a head in the layers that have a window, where they are others: no word of a
// config.json.
inline constexpr std::string_view kWindowedHeadDim = "head_dim_swa";

// What a GGUF says about a model, in the words of a config.json of transformers 5, so that one
// reader serves both. Only what the file says: no default is filled in.
struct GgufConfig {
  NamedJson object;
  std::vector<bool> attends;  // of each layer; empty: all do
  std::vector<std::string> warnings;
};

// `type` is the model as its config.json has it: its kinds of layers get a rope block each. Throws
// malformed or unsupported naming file and key, or tensor.
// Source: llama_model_base::load_hparams in llama.cpp, and conversion/*.py there.
GgufConfig gguf_config(GgufKeys& keys, const ModelType& type);

}  // namespace ropewalk
