#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// A learned table of positions from a checkpoint (a .safetensors file, an index, or a folder with
// one), float32 [rows, d_model]: the tensor whose name ends as config.tensor does. A table that the
// checkpoint keeps with a leading axis of 1 is read without it. Throws malformed naming the tensors
// that are missing, of another shape or there twice, unsupported for tables of several axes and for
// a grid that is resampled, and as Checkpoint.
Tensor read_learned_table(const std::filesystem::path& path, const LearnedConfig& config);

// The row of each position, [positions, d_model] float32: row position + config.offset. Worked
// number: position 0 of RoBERTa is row 2. Throws invalid_argument naming a position that has none,
// and unsupported as read_learned_table.
Tensor learned_rows(const LearnedConfig& config, const ConstTensorView& table,
                    std::span<const int64_t> positions);

}  // namespace ropewalk
