#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace ropewalk {

// What kind of fault an Error is. The command line turns it into an exit code.
enum class ErrorCode {
  invalid_argument,  // a caller's value breaks a stated rule                            -> exit 2
  out_of_range,      // an index or position lies outside a table                        -> exit 2
  malformed,         // a file is not what its format says                               -> exit 3
  unsupported,       // a file or value is well formed but outside what ropewalk handles -> exit 3
  io,                // the operating system refused: open, read, write, rename, space   -> exit 4
  resource_limit,    // larger than a stated limit                                       -> exit 5
  internal,          // a broken promise of ropewalk itself                              -> exit 70
};

// The one exception type of the library. The message names file, key or tensor, where, what was
// expected and what was found.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

std::string_view name(ErrorCode code);

// Text that came from outside, made safe for one line of output: control characters and bytes that
// are not UTF-8 become \n, \t or \xNN, and anything longer than `limit` bytes is cut with "...".
std::string escaped(std::string_view text, size_t limit = 120);

}  // namespace ropewalk
