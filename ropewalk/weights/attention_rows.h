#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/encoding/model_encoding.h"
#include "ropewalk/weights/stored_tensors.h"

namespace ropewalk {

// Heads within the rows of a tensor: row first + h step + i is channel `channel` + i of head h,
// i = 0 .. channels - 1.
struct HeadRows {
  bool keys = false;  // of k; else of q
  int64_t first = 0, step = 0, count = 0;
  int64_t channel = 0, channels = 0;

  bool operator==(const HeadRows&) const = default;
};

enum class TensorPart {
  weight,
  bias,
  norm,     // of q or k: a number for each channel
  adapter,  // rows of a LoRA's B, DoRA's magnitudes, IA3's and VeRA's factors
  scale,    // of quantized rows
  kept,     // of q or k, but its rows are no channels of heads: a LoRA's A, one scale for all
};
std::string_view name(TensorPart part);

// A tensor of a layer that holds q or k as they are rotated.
struct AttentionTensor {
  std::string name;
  int64_t layer = 0;
  TensorPart part = TensorPart::weight;
  int64_t rows = 0;             // that its bytes are; of a norm, its numbers
  std::vector<HeadRows> heads;  // none of a part `kept`
  int64_t block = 0;            // of a scale for blocks of so many rows; 0: one for each row
};

struct AttentionTensors {
  std::vector<AttentionTensor> tensors;  // by layer, then by name
  std::string prefix;                    // what the names of the model begin with
  // Layers of the checkpoint that the model's config does not count, as those that predict further
  // tokens: they are taken to be like the last that rotates.
  std::vector<int64_t> beyond;
  bool adapter = false;  // some layer has only what is added to the weights
};

// The tensors of the layers that rotate, `label` names the checkpoint in messages. Throws
// unsupported where the names are not known, for a tensor of q or k whose rows cannot be told (GPTQ
// and AWQ pack them; others are not known), and for a model whose code does more with the channels
// of q and k; malformed for a tensor of other rows than the model's heads have, for names that
// begin in several ways, and where q or k of a layer is missing.
AttentionTensors attention_tensors(const StoredTensors& stored, const ModelEncoding& model,
                                   const std::string& label);

}  // namespace ropewalk
