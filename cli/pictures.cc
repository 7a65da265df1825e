#include "cli/pictures.h"

#include <span>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk::cli {

#ifdef ROPEWALK_PLOTS

void check_picture(const std::string& path, Overwrite overwrite) {
  plot::format_of(path);
  check_output(path, overwrite);
}

void write_picture(const std::string& path, const plot::Figure& figure, Overwrite overwrite) {
  const std::vector<std::byte> bytes = plot::render(figure, plot::format_of(path));
  const std::span<const std::byte> part = bytes;
  write_file_atomically(path, {&part, 1}, overwrite);
}

#else

void check_picture(const std::string& path, Overwrite) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--plot {}: this build draws no pictures: it was configured without "
                          "Cairo or with -DROPEWALK_PLOTS=OFF",
                          escaped(path)));
}

#endif

}  // namespace ropewalk::cli
