#pragma once

#include "ropewalk/dialects/gguf_keys.h"
#include "ropewalk/dialects/stated_model.h"

namespace ropewalk {

// The scaling that the metadata and the rope tensors of a GGUF state, without rope_theta.
//   rope.scaling.type none, or linear (also where it is absent) without a factor: default
//   linear, yarn, longrope (also where it is absent and there are rope_factors_*): as in a config
//   rope_freqs: the scaling that it was made from (scaling_of_rope_freqs), else "freq_factors"
//   rope.dimension_sections: mrope_section
// llama.cpp gives ggml an attention factor that is divided by ggml's own; the file has it
// undivided. Of yarn_log_multiplier, mscale_all_dim, the architectures of DeepSeek's family have a
// tenth
// (`tenth_of_mscale`). `rope_theta` and `pairs` are those of the layers that scale. Throws
// malformed or unsupported naming file and key, or the tensor and the index. Source:
// llama_model_base::load_hparams and the constructor of llama_context in llama.cpp.
StatedRope gguf_scaling(GgufKeys& keys, double rope_theta, int64_t pairs, bool tenth_of_mscale);

}  // namespace ropewalk
