#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/base/tensor.h"
#include "ropewalk/conventions/weight_names.h"
#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/formats/checkpoint.h"

namespace ropewalk {

// Rows `first` .. `first + count` - 1 of each of `blocks` blocks that are `step` rows apart.
struct Rows {
  int64_t first = 0, count = 0, step = 0, blocks = 1;
};
Tensor rows_of(const Tensor& tensor, const Rows& rows);

// Whether what a name begins with tells that it is of a vision tower, an encoder, ...
bool is_of_other_part(std::string_view prefix);

// What stands before `name` in the names of tensors, each once, without those of a model's other
// parts (a vision tower, ...) where there are any besides.
std::vector<std::string> prefixes_of(const std::map<std::string, size_t, std::less<>>& tensors,
                                     std::string_view name);

// The first projection of a layer, whose name tells what the names of the model begin with.
std::string first_projection(const WeightNames& names, const Layer& layer, int64_t number);

// The tensors of one layer of a checkpoint by their short names, each a float32 copy. What the
// model's names begin with ("model.", "transformer.", "model.language_model.", ...) is found from
// the names of the checkpoint. Every function throws malformed naming tensor, shape and what was
// expected.
class LayerReader {
 public:
  // `others`, if there are any, are the names where the checkpoint has none of `names`. Names and
  // layer must outlive the reader.
  LayerReader(const std::filesystem::path& path, const WeightNames& names,
              const WeightNames* others, int64_t hidden_size, const Layer& layer, int64_t number);

  const WeightNames& names() const { return *names_; }
  // "<name>.weight" [rows, hidden_size].
  Tensor weight(std::string_view name, int64_t rows) const { return matrix(name, {rows, hidden_}); }
  Tensor matrix(std::string_view name, const Dims& shape) const;
  // The table of buckets of distances, of this layer or the first, as the names say.
  Tensor bucket_bias(const Dims& shape) const;
  // "<name>.bias" [rows], where it is there.
  std::optional<Tensor> bias(std::string_view name, int64_t rows) const;
  // "<name><suffix>" of any shape.
  Tensor numbers(std::string_view name, std::string_view suffix = ".weight") const;
  std::optional<Tensor> find_numbers(std::string_view name, std::string_view suffix) const;
  // The tensors behind the layer's prefix that no call has read, but for what a module keeps beside
  // its weights: frequencies, and GPT-J's and GPT-NeoX's masks.
  std::vector<std::string> unused() const;
  // The weight of a norm: one tensor, or "<name>.norms.<head>.weight", one for each head.
  Tensor norm(std::string_view name, int64_t heads) const;

 private:
  Tensor read(const std::string& name, const Dims* shape) const;

  Checkpoint file_;
  const WeightNames* names_;
  int64_t hidden_;
  const Layer& layer_;
  std::string prefix_;        // of the layer's tensors
  std::string first_prefix_;  // of the first layer's
  mutable std::set<std::string, std::less<>> used_;
};

}  // namespace ropewalk
