#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk {

// The Python dictionary at the start of a NumPy array file, as it is written there.
struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

// Parses the dictionary: these three keys, once each, and nothing else. This is a grammar of its
// own, not Python: nothing is evaluated. `offset` is where the text stands in the file, for errors.
// Throws malformed or unsupported (structured types).
NpyHeader parse_npy_header(std::string_view text, uint64_t offset, const std::string& label);

}  // namespace ropewalk
