#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <sys/stat.h>

// What the readers and writers of files share inside this folder.
namespace ropewalk {

// A path as it stands in a message: one line, safe to print.
std::string file_label(const std::filesystem::path& path);

// Throws io: "<label>: <doing>: <text of errno>".
[[noreturn]] void throw_errno(const std::string& label, int error, std::string_view doing);

// Throws io unless the file is a regular one, naming what it is.
void check_regular(const struct stat& status, const std::string& label);

// Throws io for a name that the operating system would cut at a zero byte.
void check_no_zero_byte(const std::filesystem::path& path, const std::string& label);

}  // namespace ropewalk
