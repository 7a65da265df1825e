#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Which rows of a layer of A the rows of B are, where no pairing says it.
struct RowOrigins {
  // Of row r of B: a row of the same of q and k in A; past those, a row of the other; -1: of
  // neither.
  std::vector<int64_t> source{};
  int64_t found = 0, of_other = 0;
  // Where whole heads stand in the place of others, each with its channels in the order that is
  // expected: head h of B is head head_order[h] of A.
  std::vector<int64_t> head_order{};

  bool operator==(const RowOrigins&) const = default;
};

// The rows of q or k of one layer in checkpoint A beside those in B, its conversion. Which pairing
// the rows are of is written in no file; two files of one model show how they were moved.
struct PermutedRows {
  enum class Relation {
    same,     // row for row
    moved,    // from one pairing to the other
    ordered,  // rows of the layer in an order that is of no pairing, or some more than once
    differs,  // other numbers, in whatever order is tried
  };
  int64_t layer = 0;
  bool keys = false;  // rows of k; else of q
  std::string tensor_a{}, tensor_b{};
  Relation relation = Relation::same;
  // moved: what were pairs of neighbours in each of `heads` blocks of rows became halves of it, or
  // the other way round.
  bool to_half_split = false;
  int64_t heads = 0, head_dim = 0;
  int64_t layer_heads = 0, layer_head_dim = 0;  // that these rows are by the model
  Pairing reads_a = Pairing::half_split, reads_b = Pairing::half_split;  // the code of each
  // moved: not by the heads of the layer (k by the heads of q: half of all rows are right), or over
  // the whole head where only a part of it turns.
  bool wrong_heads = false, whole_head = false;
  // ordered: where the rows come from. Key heads that are repeated in groups are expected; heads in
  // turn, of another order or torn apart are not.
  RowOrigins origins{};
  bool expected = true;  // what the layouts of the two models ask for
  bool exact = true;     // number for number; else as far as a rounding or a fine-tuning goes
  double cosine = 1;     // between the rows so moved and those of B

  bool operator==(const PermutedRows&) const = default;
};

std::string_view name(PermutedRows::Relation relation);

// Told which layer of how many is compared next; may throw to stop.
using CompareProgress = std::function<void(int64_t layer, int64_t layers)>;

// Every layer that rotates in both models: q, then k. `a` and `b` are checkpoints in safetensors,
// with the names of Hugging Face or Meta, or GGUFs whose tensors are not quantized. Tries the rows
// as they are, and moved from interleaved to half_split pairs and back: by the windows of the
// layer, over the whole head, by the heads of q for k and of k for q, and by heads / key heads, as
// old converters had it; then looks where each row of B comes from, for heads in another order,
// key heads that are repeated and fused tensors that were cut otherwise. Numbers of two types are
// the same within the rounding of the coarser one. Reads one layer at a time. Throws as
// attention_tensors, and unsupported for quantized tensors.
std::vector<PermutedRows> compare_rows(const std::filesystem::path& a, const ModelEncoding& model_a,
                                       const std::filesystem::path& b, const ModelEncoding& model_b,
                                       const CompareProgress& progress = {});

}  // namespace ropewalk
