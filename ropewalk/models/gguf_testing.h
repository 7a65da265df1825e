#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/models/gguf_model.h"
#include "ropewalk/testing/gguf_bytes.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {

// A model of 4 layers and 4 heads of 16 channels, with more keys to come.
inline GgufBytes sized(std::string_view architecture) {
  GgufBytes bytes;
  const std::string prefix = std::string(architecture) + ".";
  bytes.text("general.architecture", architecture);
  bytes.u32(prefix + "embedding_length", 64).u32(prefix + "block_count", 4);
  bytes.u32(prefix + "attention.head_count", 4).u32(prefix + "context_length", 4096);
  return bytes;
}

inline ModelEncoding read_gguf(const GgufBytes& bytes, std::string_view assume = {},
                               std::string_view data = "") {
  const TempFolder folder;
  ModelEncoding model = read_gguf_model(folder.file("m.gguf", bytes.file(data)), assume);
  for (std::string& warning : model.warnings) {
    if (const size_t at = warning.find("m.gguf"); at != warning.npos) warning.erase(0, at);
  }
  return model;
}

// One tensor of float32 numbers after the keys.
inline ModelEncoding read_with_tensor(GgufBytes bytes, std::string_view name,
                                      const std::vector<float>& values) {
  bytes.tensor(name, {values.size()}, 0, 0);
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return read_gguf(bytes, {}, data);
}

#define EXPECT_GGUF_ERROR(bytes, code, text) \
  EXPECT_ROPEWALK_ERROR(read_gguf(bytes), ErrorCode::code, text)

inline std::vector<float> llama3_divisors(double base, size_t pairs, double factor,
                                          double original) {
  std::vector<float> divisors;
  for (size_t i = 0; i < pairs; ++i) {
    const double turns = original / (2 * M_PI) *
                         std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
    const double t = std::clamp((turns - 1) / 3, 0.0, 1.0);
    divisors.push_back(static_cast<float>(1 / ((1 - t) / factor + t)));
  }
  return divisors;
}

inline std::vector<std::string> kinds(const ModelEncoding& model) {
  std::vector<std::string> names;
  for (const PositionEncoding& layer : layer_positions(model)) names.emplace_back(name(layer));
  return names;
}

}  // namespace ropewalk
