#include <algorithm>
#include <memory>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/model.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/models/with_scaling.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_rope_options kRopeOptions = ROPEWALK_ROPE_OPTIONS;

ropewalk_rope* handle_of(const RopeConfig& config, int64_t seq_len) {
  if (seq_len < 0) {
    refuse(fmt::format("seq_len: expected at least 0, found {}", seq_len));
  }
  auto rope = std::make_unique<ropewalk_rope>();
  rope->config = config;
  rope->seq_len = seq_len;
  rope->spectrum = make_spectrum(config, seq_len);
  rope->by_length = seq_len == 0 && !spectra_by_length(config, 1, 0).ignores_length;
  return rope.release();
}

const RopeConfig& rope_of_part(const ModelEncoding& model, const std::string& part) {
  std::vector<std::string> names;
  for (const NamedEncoding& other : model.others) {
    names.push_back(other.name);
    if (other.name != part) continue;
    if (const auto* rope = std::get_if<RopeConfig>(&other.encoding)) return *rope;
    refuse(fmt::format("part {}: expected rope, found {}", escaped(part), name(other.encoding)));
  }
  refuse(names.empty() ? fmt::format("part: expected a model with parts beside its layers, found "
                                     "{}, which has none",
                                     escaped(model.name))
                       : fmt::format("part: expected one of {}, found \"{}\"",
                                     fmt::join(names, ", "), escaped(part)));
}

RopeConfig plain_rope(const ropewalk_rope_options& options) {
  RopeConfig config;
  config.layout.head_dim = options.head_dim;
  config.rotary_dim = options.rotary_dim == 0 ? options.head_dim : options.rotary_dim;
  config.rope_theta = options.base;
  constexpr int64_t kLargestHead = 65536;
  if (options.head_dim < 2 || options.head_dim > kLargestHead) {
    refuse(fmt::format("head_dim: expected 2..{}, found {}", kLargestHead, options.head_dim));
  }
  if (config.rotary_dim < 2 || config.rotary_dim > options.head_dim || config.rotary_dim % 2 != 0) {
    refuse(fmt::format("{}: expected an even number in 2..{}, found {}",
                       options.rotary_dim == 0 ? "head_dim without rotary_dim" : "rotary_dim",
                       options.head_dim, config.rotary_dim));
  }
  if (!(options.base >= 1)) {
    refuse(fmt::format("base: expected at least 1, found {}", options.base));
  }
  constexpr std::array kPairings = {Pairing::half_split, Pairing::interleaved};
  const Pairing pairing =
      choice(options.pairing, kPairings, ROPEWALK_PAIRING_HALF_SPLIT,
             "ROPEWALK_PAIRING_HALF_SPLIT (1) or ROPEWALK_PAIRING_INTERLEAVED (2)", "pairing");
  config.layout.windows = {{0, config.rotary_dim, pairing}};
  return config;
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_rope_of_layer(const ropewalk_model* model, int64_t layer, int64_t seq_len,
                                       ropewalk_rope** rope) {
  return guarded([&] {
    ropewalk_rope*& handle = out_handle(rope, "rope");
    const ropewalk::ModelEncoding& encoding = not_null(model, "model", "a model").encoding;
    handle = handle_of(ropewalk::rope_at(encoding, layer), seq_len);
  });
}

ropewalk_status ropewalk_rope_of_part(const ropewalk_model* model, const char* part,
                                      int64_t seq_len, ropewalk_rope** rope) {
  return guarded([&] {
    ropewalk_rope*& handle = out_handle(rope, "rope");
    const ropewalk::ModelEncoding& encoding = not_null(model, "model", "a model").encoding;
    const char* name = &not_null(part, "part", "the name of a part");
    handle = handle_of(rope_of_part(encoding, name), seq_len);
  });
}

ropewalk_status ropewalk_make_rope(const ropewalk_rope_options* options, ropewalk_rope** rope) {
  return guarded([&] {
    ropewalk_rope*& handle = out_handle(rope, "rope");
    const ropewalk_rope_options how = required_options(options, kRopeOptions, "options");
    ropewalk::RopeConfig config = plain_rope(how);
    if (how.max_positions < 0) {
      refuse(fmt::format("max_positions: expected at least 0, found {}", how.max_positions));
    }
    if (how.scaling != nullptr) {
      config = ropewalk::rope_with(config, {how.scaling, "scaling"}, how.max_positions);
    }
    handle = handle_of(config, how.seq_len);
  });
}

void ropewalk_free_rope(ropewalk_rope* rope) { delete rope; }

ropewalk_status ropewalk_describe_rope(const ropewalk_rope* rope, ropewalk_rope_facts* facts) {
  return guarded([&] {
    const ropewalk_rope& given = not_null(rope, "rope", "a rope");
    write_facts({.struct_size = 0,
                 .head_dim = given.config.layout.head_dim,
                 .pairs = std::ssize(given.spectrum.inv_freq),
                 .axes = given.config.position_axes,
                 .inv_freq = given.spectrum.inv_freq.data(),
                 .axis = given.spectrum.axis.data(),
                 .attention_scaling = given.spectrum.attention_scaling,
                 .softmax_factor = ropewalk::softmax_factor(given.config),
                 .by_length = given.by_length ? 1 : 0},
                facts, "facts");
  });
}
