#include <string>

#include <fmt/format.h>

#include "ropewalk/models/special/specials.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {
namespace {

constexpr KeyAlias kKeys[] = {
    {"memory_attention_num_attention_heads", "num_attention_heads"},
    {"memory_attention_num_layers", "num_hidden_layers"},
    {"memory_attention_rope_theta", "rope_theta"},
};

}  // namespace

// SAM 2 and its kin on video: the attention to memory turns as a tower does, under keys of its own.
void special::memory_attention(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  constexpr std::string_view kSize = "memory_attention_hidden_size";
  constexpr std::string_view kRate = "memory_attention_downsample_rate";
  const int64_t size = config.find_integer(kSize, kHiddenSize).value_or(type.size.hidden_size);
  const int64_t rate = config.find_integer(kRate, {1, 65536}).value_or(1);
  if (size % rate != 0) {
    config.refuse(
        ErrorCode::malformed, kSize,
        fmt::format("expected a multiple of {}, found {}", config.pointer_to(kRate), size));
  }
  config.know_as(kKeys);
  const std::string source = config.source(kSize) + ", over " + config.pointer_to(kRate);
  read_vision(config, model, type, *type.tower, {size / rate, source});
}

}  // namespace ropewalk
