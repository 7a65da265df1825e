#pragma once

#include <string_view>

namespace ropewalk {

// What a tensor of a projection is, by what follows the module's name. "weight" of "q_proj.weight",
// "lora_B.default.weight".
enum class SuffixKind {
  weight,
  bias,
  adapter,         // its rows are those of the projection
  scale,           // of quantized rows: one for each row, each block of rows, or one for all
  kept,            // nothing of it belongs to a row
  packed_columns,  // GPTQ and AWQ: [columns, rows], some packed along the rows
  unknown,
};

SuffixKind suffix_kind(std::string_view suffix);

// Of LoRA and its kin: a file of them does not hold the projections themselves.
bool is_of_adapter(std::string_view name);

}  // namespace ropewalk
