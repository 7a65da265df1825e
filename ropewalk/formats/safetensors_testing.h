#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk::testing {

inline std::string length_bytes(uint64_t length) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += static_cast<char>(length >> (8 * i));
  return text;
}

inline std::string framed(std::string_view header, std::string_view data = "") {
  return length_bytes(header.size()).append(header).append(data);
}

inline std::string entry(std::string_view name, std::string_view dtype, std::string_view shape,
                         std::string_view offsets) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":{}}})", name, dtype, shape,
                     offsets);
}

inline std::string object(std::initializer_list<std::string> members) {
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

// An opened file and the folder that it is in.
struct OpenedSafetensors {
  TempFolder folder;
  SafetensorsFile file;
  explicit OpenedSafetensors(std::string_view bytes, const SafetensorsOptions& options = {})
      : file(folder.file("m.safetensors", bytes), options) {}
};

inline void expect_refused(std::string_view header, std::string_view data, std::string_view text) {
  EXPECT_ROPEWALK_ERROR(OpenedSafetensors(framed(header, data)), ErrorCode::malformed,
                        std::string(text));
}

inline std::string text_of(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
}

}  // namespace ropewalk::testing
