#pragma once

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/gguf_keys.h"
#include "ropewalk/dialects/stated_model.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// What the header and the rope tensors of a GGUF say of a model of the type, whose kinds of layers
// get a rotation each, where it `rotates`. What is strange about it becomes a warning in
// `findings`. Throws malformed or unsupported naming file and key, or tensor. Source:
// llama_model_base::load_hparams in llama.cpp, and conversion/*.py there.
StatedModel stated_model(GgufKeys& keys, const ModelType& type, bool rotates,
                         ModelEncoding& findings);

// The file has a pattern of layers with a window.
bool states_windows(GgufKeys& keys);

}  // namespace ropewalk
