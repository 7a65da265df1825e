#include "cli/demo/demo.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "cli/command.h"
#include "ropewalk/base/error.h"

namespace ropewalk::cli {
namespace {

int walk(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot make the folder: {}", escaped(folder), error.message()));
  }
  demo::Album album(folder);
  demo::absolute_positions(album);
  demo::order_matters();
  demo::four_steps();
  demo::rotary_positions(album);
  fmt::print("5. Pictures\n");
  if (album.written().empty()) {
    fmt::print("  none: this build draws no pictures (Cairo was not found)\n");
  }
  for (const std::string& path : album.written()) fmt::print("  {}\n", escaped(path, 400));
  return 0;
}

}  // namespace

Run declare_demo(CLI::App& app) {
  app.description(
      "Example: ropewalk demo\n\n"
      "A walk from the position of a word to the attention that only knows the distance, on "
      "built-in "
      "input,\nwith pictures.");
  const auto folder = std::make_shared<std::string>("ropewalk-demo");
  app.add_option("-o,--output", *folder, "folder of the pictures (ropewalk-demo)")
      ->type_name("FOLDER");
  return [folder] { return walk(*folder); };
}

}  // namespace ropewalk::cli
