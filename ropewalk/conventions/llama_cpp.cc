#include "ropewalk/conventions/llama_cpp.h"

#include <algorithm>
#include <iterator>

namespace ropewalk {
namespace {

constexpr LlamaCppArchitecture kArchitectures[] = {
    {.name = "baichuan", .alibi = true, .max_bias = 8, .alibi_layers = 40},  // 13B
    {.name = "bloom", .alibi = true, .max_bias = 8},
    {.name = "gemma2", .wide_scale_layers = 46},  // 27B
    {.name = "gemma3", .wide_scale_layers = 62},  // 27B
    {.name = "granite", .finetuned_rotates = true},
    {.name = "granitehybrid", .finetuned_rotates = true},
    {.name = "granitemoe", .finetuned_rotates = true},
    {.name = "jais", .alibi = true},
    {.name = "jina-bert-v2", .alibi = true, .max_bias = 8, .alibi_form = AlibiForm::symmetric},
    {.name = "mpt", .alibi = true},
    {.name = "refact", .alibi = true, .max_bias = 8},
};

}  // namespace

const LlamaCppArchitecture* find_llama_cpp(std::string_view architecture) {
  const auto found = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                  [&](const auto& row) { return row.name == architecture; });
  return found == std::end(kArchitectures) ? nullptr : found;
}

}  // namespace ropewalk
