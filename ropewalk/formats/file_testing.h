#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ropewalk/formats/file.h"

namespace ropewalk::testing {

inline void write_text(const std::filesystem::path& path, std::string_view text,
                       Overwrite overwrite) {
  const std::span<const std::byte> part = std::as_bytes(std::span(text));
  write_file_atomically(path, {&part, 1}, overwrite);
}

// Runs `body` in a child process and returns its exit code: -signal when it was killed.
inline int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace ropewalk::testing
