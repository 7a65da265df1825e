#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace ropewalk::cli {

// ropewalk(1), in the macros of man(7): what help says of each command, and of all. ASCII.
std::string manual_page(const CLI::App& root);

}  // namespace ropewalk::cli
