#include <string_view>

#include <nlohmann/json.hpp>

#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/json.h"

// What is accepted is accepted by the library's own parser too, with the same value; what is
// refused is a one-line malformed error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool python_constants : {false, true}) {
    try {
      const nlohmann::ordered_json value =
          ropewalk::parse_json(text, "input", {.python_constants = python_constants});
      const std::string dumped = value.dump();
      require(ropewalk::parse_json(dumped, "dumped").dump() == dumped);
      if (!python_constants) require(nlohmann::ordered_json::parse(text).dump() == dumped);
    } catch (const ropewalk::Error& error) {
      const std::string_view message = error.what();
      require(error.code() == ropewalk::ErrorCode::malformed);
      require(message.starts_with("input: line ") && message.size() < 1000);
      require(message.find('\n') == std::string_view::npos);
    }
  }
  return 0;
}
