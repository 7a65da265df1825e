#include "ropewalk/report/finding_words.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

std::string what_is_wrong(const StoredFrequencies& stored) {
  switch (stored.fault) {
    case StoredFrequencies::Fault::differs:
      return fmt::format("pair {} has {:.9g}, but the config gives {:.9g}", stored.pair,
                         stored.stored, stored.expected);
    case StoredFrequencies::Fault::other_count:
      return fmt::format("has {} frequencies, but the config gives {}", stored.count,
                         stored.expected_count);
    case StoredFrequencies::Fault::no_rotation:
      return "is of a layer that does not rotate";
    case StoredFrequencies::Fault::rounded:
      return fmt::format(
          "is {}: pair {} has {:.9g}, but the config gives {:.9g}, which turns it up to {:.3g} "
          "radians wrong within {} positions",
          name(stored.dtype), stored.pair, stored.stored, stored.expected, stored.phase_error,
          stored.positions);
  }
  return "";
}

// "1 head", "2 heads"
std::string counted(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string in_words(const StoredFrequencies& stored) {
  return fmt::format("{}: tensor \"{}\" {}", escaped(stored.file.string()), escaped(stored.tensor),
                     what_is_wrong(stored));
}

std::string in_words(const WrongShape& shape) {
  return fmt::format("{}: tensor \"{}\" has shape {}, but {} and {} of {} channels give {}",
                     escaped(shape.file.string()), escaped(shape.tensor), to_string(shape.found),
                     counted(shape.heads, "head"), counted(shape.kv_heads, "key head"),
                     shape.head_dim, to_string(shape.expected));
}

}  // namespace ropewalk
