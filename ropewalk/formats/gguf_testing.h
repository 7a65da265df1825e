#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "ropewalk/formats/gguf.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/gguf_bytes.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk::testing {

struct OpenedGguf {
  TempFolder folder;
  GgufFile file;
  explicit OpenedGguf(std::string_view bytes) : file(folder.file("m.gguf", bytes)) {}
  explicit OpenedGguf(const GgufBytes& bytes) : OpenedGguf(bytes.file()) {}
};

inline void expect_refused(std::string_view bytes, std::string_view text,
                           ErrorCode code = ErrorCode::malformed) {
  EXPECT_ROPEWALK_ERROR(OpenedGguf{bytes}, code, std::string(text));
}

inline void expect_refused(const GgufBytes& bytes, std::string_view text) {
  expect_refused(bytes.file(), text);
}

}  // namespace ropewalk::testing
