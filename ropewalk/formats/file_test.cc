#include "ropewalk/formats/file.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "ropewalk/formats/file_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using testing::in_child;
using testing::write_text;

TEST(InputFile, ReadsAnyRange) {
  const TempFolder folder;
  const InputFile file(folder.file("a", "0123456789"));
  EXPECT_EQ(file.size_in_bytes(), 10u);
  std::string out(4, ' ');
  file.read(3, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out, "3456");
  file.read(10, {});
}

TEST(InputFile, PastTheEndIsMalformed) {
  const TempFolder folder;
  const InputFile file(folder.file("a", "0123456789"));
  std::string out(4, ' ');
  const auto bytes = std::as_writable_bytes(std::span(out));
  EXPECT_ROPEWALK_ERROR(file.read(8, bytes), ErrorCode::malformed,
                        "a: byte 8: expected 4 bytes, found 2 before the end");
  EXPECT_ROPEWALK_ERROR(file.read(~uint64_t{0} - 1, bytes), ErrorCode::malformed, "found 0");
}

TEST(InputFile, S36_FileThatChangesWhileItIsRead) {
  const TempFolder folder;
  const auto path = folder.file("a", "0123456789");
  std::string out(10, ' ');
  const auto bytes = std::as_writable_bytes(std::span(out));
  {
    const InputFile file(path);
    std::filesystem::resize_file(path, 4);
    EXPECT_ROPEWALK_ERROR(file.read(0, bytes), ErrorCode::io, "changed while reading");
  }
  {
    const InputFile file(folder.file("a", "0123456789"));
    std::filesystem::resize_file(path, 12);
    EXPECT_ROPEWALK_ERROR(file.read(0, bytes), ErrorCode::io, "expected 10 bytes in all, found 12");
  }
}

TEST(InputFile, K25_ReaderKeepsTheOldFileWhenItIsReplaced) {
  const TempFolder folder;
  const auto path = folder.file("a", "old bytes");
  const InputFile file(path);
  write_text(path, "new", Overwrite::replace);
  std::string out(9, ' ');
  file.read(0, std::as_writable_bytes(std::span(out)));
  EXPECT_EQ(out, "old bytes");
  EXPECT_EQ(read_text(path, 100), "new");
}

TEST(InputFile, K26_OnlyRegularFiles) {
  const TempFolder folder;
  EXPECT_ROPEWALK_ERROR(InputFile(folder.path()), ErrorCode::io, "found a directory");
  EXPECT_ROPEWALK_ERROR(InputFile("/dev/zero"), ErrorCode::io, "found a device");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_ROPEWALK_ERROR(InputFile(folder / "fifo"), ErrorCode::io, "found a FIFO");
  EXPECT_EQ(InputFile(folder.file("empty", "")).size_in_bytes(), 0u);
  EXPECT_EQ(read_text("/proc/self/status", 100), "");  // says it is empty: a bounded read
}

TEST(InputFile, I8_Socket) {
  const TempFolder folder;
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder / "socket").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_ROPEWALK_ERROR(InputFile(folder / "socket"), ErrorCode::io, "socket: cannot open");
  ::close(fd);
}

TEST(InputFile, K27_OpenFailuresNameThePath) {
  const TempFolder folder;
  EXPECT_ROPEWALK_ERROR(InputFile(folder / "none"), ErrorCode::io,
                        "none: cannot open: No such file or directory");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_ROPEWALK_ERROR(InputFile(folder / "loop"), ErrorCode::io, "loop: cannot open: Too many");
  EXPECT_ROPEWALK_ERROR(InputFile(""), ErrorCode::io, "\"\": cannot open");
  EXPECT_ROPEWALK_ERROR(InputFile(std::string("/dev\0null", 9)), ErrorCode::io, "zero byte");
}

TEST(InputFile, K27_UnreadableFile) {
  const TempFolder folder;
  const auto path = folder.file("secret", "x");
  ::chmod(path.c_str(), 0);
  ::chmod(folder.path().c_str(), 0755);
  const int result = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
    try {
      const InputFile file(path);
      return 3;
    } catch (const Error& error) {
      return std::strstr(error.what(), "secret: cannot open: Permission denied") ? 0 : 4;
    }
  });
  EXPECT_EQ(result, 0);
}

TEST(InputFile, K22_StrangeNamesAreEscaped) {
  const TempFolder folder;
  EXPECT_ROPEWALK_ERROR(InputFile(folder / "a\nb\x1b[31m\xff"), ErrorCode::io,
                        "a\\nb\\x1b[31m\\xff: cannot open");
  write_text(folder / "-\n\xff", "x", Overwrite::refuse);
  EXPECT_EQ(read_text(folder / "-\n\xff", 1), "x");
}

}  // namespace
}  // namespace ropewalk
