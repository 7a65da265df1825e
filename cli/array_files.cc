#include "cli/array_files.h"

#include <string_view>
#include <utility>

namespace ropewalk::cli {

ArrayFile array_file(const std::string& text) {
  using Format = ArrayFile::Format;
  for (const auto& [suffix, format] :
       {std::pair<std::string_view, Format>{".safetensors", Format::safetensors},
        {".pt", Format::torch},
        {".pth", Format::torch}}) {
    if (text.ends_with(suffix)) return {format, text, ""};
    const size_t begin = text.find(std::string(suffix) + ":");
    if (begin == text.npos) continue;
    const size_t end = begin + suffix.size();
    return {format, text.substr(0, end), text.substr(end + 1)};
  }
  return {Format::npy, text, ""};
}

}  // namespace ropewalk::cli
