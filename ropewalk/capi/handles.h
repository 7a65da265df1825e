#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "ropewalk/apply/rope.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/spectrum.h"

// What the handles of the C interface hold.

struct ropewalk_model {
  ropewalk::ModelEncoding encoding;
  // Written at the first call that asks for it.
  mutable std::once_flag json_once;
  mutable std::string json;
};

struct ropewalk_rope {
  ropewalk::RopeConfig config;
  int64_t seq_len = 0;
  ropewalk::Spectrum spectrum;  // for seq_len
  bool by_length = false;       // seq_len is 0 and the spectrum changes with it
};

struct ropewalk_rows {
  ropewalk::RopeRows rows;
  ropewalk::Spectrum spectrum;                          // of the rope
  ropewalk::RotaryLayout layout;                        // of q and k
  std::optional<ropewalk::RotaryLayout> output_layout;  // of the results
};
