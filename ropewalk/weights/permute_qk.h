#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/weights/attention_rows.h"
#include "ropewalk/weights/stored_tensors.h"

namespace ropewalk {

// Rows of a projection [heads * head_dim, ...], its bias or a norm's weight [head_dim], moved from
// one layout of the channels to another:
//   out[h D + c] = w[h D + permutation(from, to)[c]],   c = 0 .. D - 1
// q, k and the pairs moved together leave every score what it was. Worked number: one head of 8
// rows, interleaved to half_split: 0 2 4 6 1 3 5 7. Throws invalid_argument for another count of
// rows than heads * head_dim, and as permutation(). Source: permute() of transformers'
// convert_llama_weights_to_hf.py.
Tensor permute_qk(const ConstTensorView& w, int64_t heads, const RotaryLayout& from,
                  const RotaryLayout& to);

// The layouts in which the layers of a model read their channels, one for each layer; no windows
// where a layer does not rotate. Or those layouts with pairs of another kind.
std::vector<RotaryLayout> layouts_of(const ModelEncoding& model);
std::vector<RotaryLayout> layouts_of(const ModelEncoding& model, Pairing pairing);

// What becomes of one tensor.
struct RowMove {
  AttentionTensor tensor;
  std::vector<int64_t> source;  // row r is row source[r] of the input; none: it stays as it is
  int64_t moved = 0;            // rows that are not where they were
};

struct PermutePlan {
  StoredTensors stored;
  std::vector<RowMove> moves;  // of the tensors of q and k, those that stay among them
  std::vector<int64_t> beyond;
  bool adapter = false;
};

// What moves the rows of q and k of a checkpoint from one layout of each layer to another. Throws
// as read_stored_tensors, attention_tensors and permutation(); unsupported for scales of blocks
// that rows would leave.
PermutePlan plan_permutation(const std::filesystem::path& checkpoint, const ModelEncoding& model,
                             std::span<const RotaryLayout> from, std::span<const RotaryLayout> to);

// Told how many bytes of how many are written; may throw to stop.
using WriteProgress = std::function<void(uint64_t done, uint64_t total)>;

// Writes one file of the plan, headers and all other tensors as they are, in constant memory: twice
// 4 MiB, or twice the rows of one head where these are more. Throws as write_file_atomically.
void write_permuted_file(const PermutePlan& plan, size_t file, const std::filesystem::path& output,
                         Overwrite overwrite, const WriteProgress& progress = {});

// The other files of a folder of weights: those that are copied with them, and what is not: other
// weights, whose rows would not fit, folders, and hidden files.
struct FilesBeside {
  std::vector<std::string> copied, left;
};
FilesBeside files_beside(const PermutePlan& plan);

// Writes all files of a checkpoint into a new folder, its index and the files beside it too, or
// nothing. Throws io for a folder that is there and not empty.
void write_permuted_folder(const PermutePlan& plan, const std::filesystem::path& output,
                           const WriteProgress& progress = {});

}  // namespace ropewalk
