#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/formats/checkpoint.h"
#include "ropewalk/formats/gguf.h"
#include "ropewalk/weights/attention_rows.h"

namespace ropewalk {

// The rows of q or k, head after head, as float32.
struct CheckpointRows {
  std::string tensor;
  DType dtype = DType::f32;
  int64_t count = 0, columns = 0;
  std::vector<float> numbers;

  const float* row(int64_t r) const { return numbers.data() + r * columns; }
};

// The weights of q and k in a checkpoint of either kind.
class CheckpointSide {
 public:
  // Throws as attention_tensors.
  CheckpointSide(const std::filesystem::path& path, const ModelEncoding& model);

  // Null where the layer has none.
  const AttentionTensor* tensor(int64_t layer, bool keys) const;
  // Throws unsupported for quantized tensors.
  CheckpointRows read(const AttentionTensor& tensor, bool keys) const;

 private:
  StoredTensors stored_;
  AttentionTensors found_;
  std::optional<GgufFile> gguf_;
  std::optional<Checkpoint> checkpoint_;
  std::map<std::pair<int64_t, bool>, const AttentionTensor*> tensors_;
};

// Whether row r of b is row source[r] of a for all r, as far as their types can tell.
bool fits(const CheckpointRows& a, const CheckpointRows& b, const std::vector<int64_t>& source);

}  // namespace ropewalk
