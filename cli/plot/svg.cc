#include "cli/plot/svg.h"

#include <cctype>
#include <map>
#include <string>

#include <fmt/format.h>

namespace ropewalk::plot {
namespace {

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void assign(std::vector<std::byte>& bytes, std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  bytes.assign(begin, begin + text.size());
}

// Length of "surface17" or "image23" at the start of `text`, 0 when there is none.
size_t counted_name(std::string_view text) {
  for (std::string_view name : {"surface", "image"}) {
    if (!text.starts_with(name)) continue;
    size_t end = name.size();
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    return end > name.size() ? end : 0;
  }
  return 0;
}

std::string escaped_xml(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

}  // namespace

void renumber_ids(std::vector<std::byte>& svg) {
  const std::string_view in = as_text(svg);
  std::map<std::string, size_t, std::less<>> number;
  std::string out;
  out.reserve(in.size());
  for (size_t i = 0; i < in.size();) {
    // A name follows id=" or #; neither " nor # can stand inside the base64 text of an image.
    const bool here = i > 0 && (in[i - 1] == '#' || in.substr(0, i).ends_with("id=\""));
    const size_t length = here ? counted_name(in.substr(i)) : 0;
    if (length == 0) {
      out += in[i++];
      continue;
    }
    const size_t next = number.size();
    const auto entry = number.try_emplace(std::string(in.substr(i, length)), next).first;
    out += fmt::format("part{}", entry->second);
    i += length;
  }
  assign(svg, out);
}

void insert_title(std::vector<std::byte>& svg, std::string_view text) {
  std::string out(as_text(svg));
  const size_t tag = out.find("<svg");
  const size_t end = tag == std::string::npos ? tag : out.find('>', tag);
  if (text.empty() || end == std::string::npos) return;
  out.insert(end + 1, fmt::format("\n<title>{}</title>", escaped_xml(text)));
  assign(svg, out);
}

}  // namespace ropewalk::plot
