#pragma once

#include "ropewalk/conventions/model_type.h"

namespace ropewalk {

// The publisher whose code reads a params.json; mistral_latent and deepseek are the models with
// latent attention, deepseek_sparse has an indexer that chooses keys.
enum class ParamsOf { meta, meta_llama4, mistral, mistral_latent, deepseek, deepseek_sparse };

// What that code does. Its weights turn pairs of neighbours (view_as_complex), where those at
// Hugging Face were moved to halves.
// Source: models/llama3/model.py and models/llama4/args.py of meta-llama/llama-models,
// src/mistral_inference/transformer.py of mistralai/mistral-inference, inference/model.py of
// deepseek-ai/DeepSeek-V3.
const ModelType& params_code(ParamsOf publisher);

}  // namespace ropewalk
