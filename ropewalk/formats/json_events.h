#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "ropewalk/formats/json.h"

namespace ropewalk {

// What a JSON document says, told in order. Offsets are bytes from the start of the text, at the
// first byte of the thing that is told. For readers that must not build the whole document in
// memory (a safetensors header may have a million entries); others use parse_json.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void start_object(size_t offset) = 0;
  virtual void key(std::string&& name, size_t offset) = 0;
  virtual void end_object() = 0;
  virtual void start_array(size_t offset) = 0;
  virtual void end_array() = 0;
  // A string, number, boolean or null, and how it is written in the text.
  virtual void scalar(nlohmann::ordered_json&& value, std::string_view written, size_t offset) = 0;
  // Throws the error of this reader; called for every fault of syntax, and free to be called by the
  // reader itself.
  [[noreturn]] virtual void fail(size_t offset, const std::string& what) = 0;
};

// Reads one JSON document. Stack use is constant: nesting costs one bit a level. The caller checks
// for duplicate keys.
void read_json_events(std::string_view text, const JsonOptions& options, JsonEvents& events);

}  // namespace ropewalk
