#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/conventions/params_code.h"
#include "ropewalk/dialects/config_reader.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// Whether a JSON file is the params.json that comes with the weights in Meta's, Mistral's or
// DeepSeek's own format: it names no model_type of transformers, and has dim, n_layers and n_heads.
bool is_params_json(const nlohmann::ordered_json& json);

ParamsOf publisher_of(const ConfigReader& params);

// What a params.json says, and what the publisher's code makes of a key:
//   use_scaled_rope: llama3 with factor 8 and high_freq_factor 4, in Llama 4 with 16 and 1; the
//   config.json of Llama 3.2 1B and 3B says 32 and so do we, by their sizes, with a warning
//   yarn: beta is beta_fast, alpha is beta_slow; without apply_scale cos and sin are not scaled
// Throws malformed or unsupported naming file and key.
// Source: models/llama3/model.py and models/llama4/args.py of meta-llama/llama-models,
// src/mistral_inference/transformer.py of mistralai/mistral-inference, conversion/mistral.py of
// llama.cpp, inference/model.py of deepseek-ai/DeepSeek-V3.
StatedModel stated_model(ConfigReader& params, ParamsOf publisher);

}  // namespace ropewalk
