#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk::cli {

// MODEL, how to read it, and the scaling of --with in the place of its own.
struct ModelOptions {
  std::string model, assume, with;
};

// A model and, where --with was given, the keys of its config.json that say so.
struct LoadedModel {
  ModelEncoding model;
  std::string keys, place;  // as in WithScaling; "": the model as it is
  int64_t unscaled = 0;     // its context, where nothing scaled it before; 0: not known
};

// Throws as load_model and load_model_with, naming the option.
LoadedModel load(const ModelOptions& options);

// The length that a scaling makes of the model's, and the block that states it; nothing where no
// --with was given. `encoding` is the one that is shown.
void print_with(const LoadedModel& loaded, const PositionEncoding& encoding);
nlohmann::ordered_json with_json(const LoadedModel& loaded, const PositionEncoding& encoding);

// Declares --assume and --with.
void add_reading_options(CLI::App& app, ModelOptions& options);

// The rope block of --with as JSON: "rope_type=yarn,factor=4,truncate=true,long_factor=[1,2]", or
// an object as it is. Throws invalid_argument for a part without "=" and for a key said twice.
nlohmann::ordered_json block_of(const std::string& text);

}  // namespace ropewalk::cli
