#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ropewalk/apply/rope.h"
#include "ropewalk/encoding/encodings.h"

namespace ropewalk {

// Of each sequence 1 + its largest position on any axis: what a scaling may depend on. Positions
// 3 4 and 0 1: 5, 2. Throws invalid_argument as PositionReader.
std::vector<int64_t> sequence_lengths(const PositionIds& positions, int64_t batch, int64_t length,
                                      int64_t axes);

// apply_rope with make_spectrum(rope, lengths[b]) for sequence b: a sequence turns as it does
// alone, whatever else is in the batch. (transformers takes the longest of a batch for all;
// Qwen-1's own code does not.) Where the lengths give one spectrum it is one call. Throws as both
// do, and invalid_argument unless there is a length for each sequence of q; before anything is
// written but for what depends on the sequence.
void apply_rope_by_length(const RopeConfig& rope, std::span<const int64_t> lengths,
                          const PositionIds& positions, const Rotated& q,
                          const std::optional<Rotated>& k = std::nullopt,
                          const RopeOptions& options = {});

struct RotateOptions {
  TensorLayout tensor_layout = TensorLayout::bshd;
  Direction direction = Direction::forward;
  Parallel parallel;
  int64_t seq_len = 0;  // of every sequence; 0: taken from its positions
};

// The same with the length of each sequence of q taken from its positions, and the pairs written
// where the model writes them (RopeConfig::output_layout); inverse and transpose read them there.
void rotate(const RopeConfig& rope, const PositionIds& positions, const Rotated& q,
            const std::optional<Rotated>& k = std::nullopt, const RotateOptions& options = {});

// The rows with which it turns them, sequence by sequence: made once, for all layers of a step.
// Throws as make_spectrum and make_rope_rows.
RopeRows make_rope_rows_by_length(const RopeConfig& rope, const PositionIds& positions,
                                  int64_t batch, int64_t length, const Parallel& parallel = {});

// Without the planes of the last axes that no pair turns by: a section of no pairs (M-RoPE 32, 32,
// 0) leaves its axis unread, and apply_rope takes as many planes as the spectrum has axes.
PositionIds planes_in_use(const PositionIds& positions, const RopeConfig& rope,
                          const Spectrum& spectrum);

}  // namespace ropewalk
