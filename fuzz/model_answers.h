#pragma once

#include <cmath>
#include <string_view>
#include <variant>

#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/spectrum/spectrum.h"

// A refusal is an answer too: it is one line, of one of these kinds.
template <typename Call>
void answer(const Call& call) {
  using ropewalk::ErrorCode;
  try {
    call();
  } catch (const ropewalk::Error& error) {
    require(error.code() == ErrorCode::malformed || error.code() == ErrorCode::unsupported ||
            error.code() == ErrorCode::resource_limit);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
}

// What was read is whole: every layer has its frequencies, at any length, and every factor of
// attention is a number.
inline void check_model(const ropewalk::ModelEncoding& model) {
  require(!model.layers.empty());
  const ropewalk::Layer* last = nullptr;
  for (const ropewalk::Layer& layer : model.layers) {
    if (last != nullptr && layer == *last) continue;
    last = &layer;
    const ropewalk::AttentionConfig& attention = layer.attention;
    for (const double factor : {attention.softmax_scale, attention.softcap, attention.clip_qkv,
                                attention.key_multiplier, attention.value_multiplier}) {
      require(std::isfinite(static_cast<float>(factor)));
    }
    const auto* rope = std::get_if<ropewalk::RopeConfig>(&layer.positions);
    if (rope == nullptr) continue;
    for (const int64_t length : {int64_t{0}, int64_t{1} << 20}) {
      const ropewalk::Spectrum spectrum = ropewalk::make_spectrum(*rope, length);
      require(static_cast<int64_t>(spectrum.inv_freq.size()) == pair_count(rope->layout));
      require(std::isfinite(static_cast<float>(spectrum.attention_scaling)));
      for (const double inv_freq : spectrum.inv_freq) require(std::isfinite(inv_freq));
    }
  }
  (void)ropewalk::to_json(model).dump();
}
