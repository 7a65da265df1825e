#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// A rope block that stands for that of a file: a JSON object, {"rope_type": "yarn", "factor": 4}.
// The label names it in messages and evidence.
struct GivenBlock {
  std::string json, label = "given";
};

// A model as it would be if its config.json stated another scaling of RoPE.
struct WithScaling {
  ModelEncoding before;  // as the file is
  ModelEncoding model;   // its evidence says "given: /rope_scaling/factor"
  // The keys of config.json that state it, as a JSON object, {"rope_scaling": {...}}: what to put
  // in the place of those it has, in the object `place` ("" or "/text_config").
  std::string keys, place;
};

// With the rope_type that the file has, or with none, the keys of the given block join the file's;
// with another one they replace it, but for what is no parameter of a scaling (rope_theta,
// mrope_section, ...). Without an original_max_position_embeddings the model's own counts, else its
// max_position_embeddings. Layers take the block as they would take that of their file: Gemma 3's
// with a window do not.
//
// Read and checked as any config.json is. Throws as load_model for what is wrong with the file;
// invalid_argument for a block that no config may have, or for a key that the rope_type does not
// read; unsupported for a file that is no config.json (a GGUF), and for a model whose code reads no
// rope block.
WithScaling load_model_with(const std::string& path_or_preset, const GivenBlock& block,
                            std::string_view assume = {});

// The same from the text of a config.json; `label` names it in messages and evidence.
WithScaling read_model_with(std::string_view text, const std::string& label,
                            const GivenBlock& block, std::string_view assume = {});

// A rope that no file states, with a scaling: as a config.json of LLaMA with this rope_theta and
// rotary_dim would have it, in the layout of `plain`, one position axis; a rope_theta of the block
// counts. `max_positions` is its max_position_embeddings, 0 where nothing says it. Throws
// invalid_argument for a block that no config may have, for one that states other channels or axes,
// and where it needs a length that nothing says.
RopeConfig rope_with(const RopeConfig& plain, const GivenBlock& block, int64_t max_positions = 0);

}  // namespace ropewalk
