#pragma once

#include "ropewalk/conventions/model_type.h"
#include "ropewalk/dialects/config_reader.h"

namespace ropewalk {

// Adds the encoding "vision" of /vision_config, if the file has one.
void add_vision(ConfigReader& config, ModelEncoding& model, const VisionRope& tower);

// How the tokens of its pictures are counted, by /vision_config, if the file has one.
void add_mrope(ConfigReader& config, ModelEncoding& model, const MropeRule& rule);

// A tower that has a config of its own; its size may be another than that of the key.
void read_vision(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                 const VisionRope& tower, const Said<int64_t>& size = {});

}  // namespace ropewalk
