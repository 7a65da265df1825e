#include "cli/demo/demo.h"

#include <filesystem>
#include <memory>
#include <system_error>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "ropewalk/base/error.h"

namespace ropewalk::cli {
namespace {

constexpr demo::Sentence kPictures{"5. Pictures\n", "5. 圖\n", "5. 图\n"};
constexpr demo::Sentence kNoPictures{
    "  none: this build draws no pictures (configured without Cairo or with "
    "-DROPEWALK_PLOTS=OFF)\n",
    "  沒有：這個版本不畫圖（建置時沒有 Cairo，或用了 -DROPEWALK_PLOTS=OFF）\n",
    "  没有：这个版本不画图（构建时没有 Cairo，或用了 -DROPEWALK_PLOTS=OFF）\n"};

struct Options {
  std::string folder = "ropewalk-demo", language;
};

int walk(const Options& options) {
  const std::string& folder = options.folder;
  const demo::Voice say(options.language.empty() ? demo::language_of_environment()
                                                 : demo::language_from_name(options.language));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot make the folder: {}", escaped(folder), error.message()));
  }
  demo::Album album(folder);
  demo::absolute_positions(say, album);
  demo::order_matters(say);
  demo::four_steps(say);
  demo::rotary_positions(say, album);
  fmt::print("{}", say(kPictures));
  if (album.written().empty()) fmt::print("{}", say(kNoPictures));
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
  const auto options = std::make_shared<Options>();
  app.add_option("-o,--output", options->folder, "folder of the pictures (ropewalk-demo)")
      ->type_name("FOLDER");
  add_choice_option(app, "--lang", options->language, {"en", "zh", "zh-hant", "zh-hans"},
                    "its language; without it as LC_ALL, LC_MESSAGES or LANG says");
  return [options] { return walk(*options); };
}

}  // namespace ropewalk::cli
