#pragma once

#include <string>

namespace ropewalk::cli {

// A file of arrays, named on the command line.
struct ArrayFile {
  enum class Format { npy, safetensors, torch };
  Format format = Format::npy;
  std::string path;
  std::string tensor;  // empty: not named
};

// FILE.safetensors, FILE.pt or FILE.pth, or one tensor of it, FILE.pt:NAME; anything else is .npy.
ArrayFile array_file(const std::string& text);

}  // namespace ropewalk::cli
