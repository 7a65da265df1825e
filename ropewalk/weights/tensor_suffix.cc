#include "ropewalk/weights/tensor_suffix.h"

namespace ropewalk {
namespace {

struct Known {
  std::string_view name;
  SuffixKind kind;
  bool named_adapter = false;  // "lora_B.<adapter>.weight" too
};

// Sources: peft (tuners/lora, vera, ia3), compressed-tensors, ModelOpt, bitsandbytes, DeepSeek-V3,
// mistral-inference, AutoGPTQ, AutoAWQ.
constexpr Known kKnown[] = {
    {"weight", SuffixKind::weight},
    {"bias", SuffixKind::bias},
    {"base_layer.weight", SuffixKind::weight},
    {"base_layer.bias", SuffixKind::bias},
    {"lora_A", SuffixKind::kept, true},
    {"lora_B", SuffixKind::adapter, true},
    {"lora_magnitude_vector", SuffixKind::adapter, true},
    {"ia3_l", SuffixKind::adapter, true},
    {"vera_lambda_b", SuffixKind::adapter, true},
    {"vera_lambda_d", SuffixKind::kept, true},
    {"weight_packed", SuffixKind::weight},  // compressed-tensors packs along the columns
    {"weight_scale", SuffixKind::scale},
    {"weight_scale_inv", SuffixKind::scale},
    {"weight_scale_2", SuffixKind::scale},
    {"weight_global_scale", SuffixKind::scale},
    {"weight_zero_point", SuffixKind::scale},
    {"qscale_weight", SuffixKind::scale},
    {"scale", SuffixKind::scale},
    {"SCB", SuffixKind::scale},
    {"weight_shape", SuffixKind::kept},
    {"weight_format", SuffixKind::kept},
    {"weight_g_idx", SuffixKind::kept},
    {"input_scale", SuffixKind::kept},
    {"input_global_scale", SuffixKind::kept},
    {"input_zero_point", SuffixKind::kept},
    {"output_scale", SuffixKind::kept},
    {"qscale_act", SuffixKind::kept},
    {"k_scale", SuffixKind::kept},
    {"qweight", SuffixKind::packed_columns},
    {"qzeros", SuffixKind::packed_columns},
    {"scales", SuffixKind::packed_columns},
    {"g_idx", SuffixKind::packed_columns},
};

// "lora_B.weight", "lora_B.default.weight", "lora_B.bias", "lora_magnitude_vector".
bool is_of(std::string_view suffix, const Known& known) {
  if (suffix == known.name) return true;
  return known.named_adapter && suffix.starts_with(known.name) && suffix[known.name.size()] == '.';
}

}  // namespace

SuffixKind suffix_kind(std::string_view suffix) {
  for (const Known& known : kKnown) {
    if (is_of(suffix, known)) return known.kind;
  }
  return SuffixKind::unknown;
}

bool is_of_adapter(std::string_view name) {
  for (const std::string_view part : {".lora_", ".ia3_l", ".vera_"}) {
    if (name.find(part) != name.npos) return true;
  }
  return false;
}

}  // namespace ropewalk
