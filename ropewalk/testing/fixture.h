#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ropewalk/base/error.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/json.h"
#include "ropewalk/formats/safetensors.h"

namespace ropewalk::testing {

// A reference fixture of testdata/reference/ (made by tools/reference/): its arrays, and the JSON
// that says what they are.
class Fixture {
 public:
  explicit Fixture(const std::string& name)
      : file_(std::string(ROPEWALK_TESTDATA "/reference/") + name + ".safetensors"),
        info_(parse_json(file_.metadata().at("case"), file_.label())) {
    for (const auto& [key, entry] : file_.entries()) tensors_.emplace(key, file_.read(key));
  }

  const nlohmann::ordered_json& info() const { return info_; }
  bool contains(const std::string& name) const { return tensors_.contains(name); }
  ConstTensorView view(const std::string& name) const { return tensors_.at(name).view(); }

  // The numbers of an f32 array, row-major.
  std::span<const float> f32(const std::string& name) const {
    return numbers<float>(name, DType::f32);
  }
  std::span<const int64_t> i64(const std::string& name) const {
    return numbers<int64_t>(name, DType::i64);
  }

 private:
  template <typename T>
  std::span<const T> numbers(const std::string& name, DType dtype) const {
    const Tensor& tensor = tensors_.at(name);
    if (tensor.dtype != dtype) throw Error(ErrorCode::malformed, name + " has another type");
    return {reinterpret_cast<const T*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(T)};
  }

  SafetensorsFile file_;
  nlohmann::ordered_json info_;
  std::map<std::string, Tensor> tensors_;
};

// A JSON fixture, such as exact_cos_sin.
inline nlohmann::ordered_json json_fixture(const std::string& name) {
  const std::string path = std::string(ROPEWALK_TESTDATA "/reference/") + name + ".json";
  return parse_json(read_text(path, 1 << 24), path);
}

}  // namespace ropewalk::testing
