#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ropewalk/formats/file.h"
#include "ropewalk/formats/file_testing.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/property.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using testing::in_child;
using testing::write_text;

using Names = std::vector<std::string>;

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(AtomicWrite, JoinsThePartsAndLeavesNothingElse) {
  const TempFolder folder;
  const std::string_view texts[] = {"one ", "", "two"};
  std::vector<std::span<const std::byte>> parts;
  for (const std::string_view& text : texts) parts.push_back(std::as_bytes(std::span(text)));
  const mode_t mask = ::umask(022);
  write_file_atomically(folder / "out", parts, Overwrite::refuse);
  write_file_atomically(folder / "empty", {}, Overwrite::refuse);
  ::umask(mask);
  EXPECT_EQ(file_bytes(folder / "out"), "one two");
  EXPECT_EQ(file_bytes(folder / "empty"), "");
  EXPECT_EQ(mode_of(folder / "out"), 0644u);
  EXPECT_EQ(folder.names(), (Names{"empty", "out"}));
}

TEST(AtomicWrite, K6_ExistingOutput) {
  const TempFolder folder;
  const auto path = folder.file("out", "old");
  ::chmod(path.c_str(), 0640);
  EXPECT_ROPEWALK_ERROR(write_text(path, "new", Overwrite::refuse), ErrorCode::io,
                        "out: exists; --force replaces it");
  EXPECT_ROPEWALK_ERROR(check_output(path, Overwrite::refuse), ErrorCode::io, "exists");
  EXPECT_EQ(file_bytes(path), "old");
  check_output(path, Overwrite::replace);
  write_text(path, "new", Overwrite::replace);
  EXPECT_EQ(file_bytes(path), "new");
  EXPECT_EQ(mode_of(path), 0640u);
  EXPECT_EQ(folder.names(), (Names{"out"}));
}

TEST(AtomicWrite, K7_SymbolicLinkStaysAndItsFileIsReplaced) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "blobs");
  folder.file("blobs/b", "old");
  std::filesystem::create_symlink("blobs/b", folder / "link");
  EXPECT_ROPEWALK_ERROR(write_text(folder / "link", "new", Overwrite::refuse), ErrorCode::io,
                        "exists");
  write_text(folder / "link", "new", Overwrite::replace);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(file_bytes(folder / "blobs/b"), "new");
  EXPECT_EQ(folder.names(), (Names{"blobs", "link"}));
}

TEST(AtomicWrite, K7_HardLinkKeepsTheOldBytes) {
  const TempFolder folder;
  const auto path = folder.file("out", "old");
  std::filesystem::create_hard_link(path, folder / "other");
  write_text(path, "new", Overwrite::replace);
  EXPECT_EQ(file_bytes(path), "new");
  EXPECT_EQ(file_bytes(folder / "other"), "old");
}

TEST(AtomicWrite, K8_PathsThatCannotBeWritten) {
  const TempFolder folder;
  const auto refused = [](const std::filesystem::path& path, const char* text) {
    EXPECT_ROPEWALK_ERROR(write_text(path, "x", Overwrite::replace), ErrorCode::io, text);
    EXPECT_ROPEWALK_ERROR(check_output(path, Overwrite::replace), ErrorCode::io, text);
  };
  refused(folder.path(), "Is a directory");
  refused(folder / "none/out", "No such file or directory");
  refused(folder / "none/", "No such file or directory");
  refused(folder.file("file", "") / "out", "Not a directory");
  refused(folder / std::string(256, 'n'), "File name too long");
  refused("", "\"\": cannot write: No such file or directory");
  refused("/dev/full", "found a device");
  refused(std::string("a\0b", 3), "zero byte");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  refused(folder / "dangling", "cannot follow the symbolic link");
  EXPECT_EQ(folder.names(), (Names{"dangling", "file"}));
}

TEST(AtomicWrite, K8_LongestNameWorks) {
  const TempFolder folder;
  for (const std::string& name : {std::string(255, 'n'), std::string(249, 'n') + "愛愛"}) {
    write_text(folder / name, "x", Overwrite::refuse);
    write_text(folder / name, "y", Overwrite::replace);
    EXPECT_EQ(file_bytes(folder / name), "y");
  }
  EXPECT_EQ(folder.names().size(), 2u);
}

TEST(AtomicWrite, K8_RelativeNameWithoutAFolder) {
  const TempFolder folder;
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_text("out", "x", Overwrite::refuse);
  std::filesystem::current_path(here);
  EXPECT_EQ(folder.names(), (Names{"out"}));
}

TEST(AtomicWrite, K9_FolderThatMayNotBeWritten) {
  const TempFolder folder;
  const auto path = folder.file("out", "old");
  ::chmod(folder.path().c_str(), 0555);
  const int result = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 2;
    try {
      write_text(path, "new", Overwrite::replace);
      return 3;
    } catch (const Error& error) {
      return std::strstr(error.what(), "out: cannot write in the folder") ? 0 : 4;
    }
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(file_bytes(path), "old");
  ::chmod(folder.path().c_str(), 0755);
}

// The limit on file sizes gives what a full disk gives: an error in the middle of the work.
TEST(AtomicWrite, K12_FileSizeLimitKeepsTheOriginal) {
  const TempFolder folder;
  const auto path = folder.file("out", "old");
  const int result = in_child([&] {
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_text(path, std::string(1001, 'x'), Overwrite::replace);
      return 1;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) return 2;
      if (!std::strstr(error.what(), "out: cannot write: File too large after 0 of 1001")) return 3;
    }
    write_text(path, std::string(1000, 'x'), Overwrite::replace);
    return 0;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(file_bytes(path), std::string(1000, 'x'));
  EXPECT_EQ(folder.names(), (Names{"out"}));
}

// From here on, this process finds the disk full when it reserves room for a file. A real disk is
// not filled: every other program on it would find it full too.
bool make_disk_full() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{4, program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(AtomicWrite, K11_FullDiskKeepsTheOriginal) {
  const TempFolder folder;
  const auto path = folder.file("out", "old");
  const int result = in_child([&] {
    if (!make_disk_full()) return 1;
    try {
      write_text(path, "new", Overwrite::replace);
      return 2;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) return 3;
      return std::strstr(error.what(), "out: cannot write: No space left on device after 0 of 3")
                 ? 0
                 : 4;
    }
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(file_bytes(path), "old");
  EXPECT_EQ(folder.names(), (Names{"out"}));
}

TEST(AtomicWrite, K14_KilledWriterLeavesTheOriginal) {
  const TempFolder folder;
  const auto path = folder.file("out", "old");
  const std::string big(8 << 20, 'n');
  for (int delay = 0; delay < 8; ++delay) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        for (;;) write_text(path, big, Overwrite::replace);
      } catch (const Error&) {
        ::_exit(1);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * delay));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself";
    const std::string now = file_bytes(path);
    EXPECT_TRUE(now == "old" || now == big);
  }
  write_text(path, "after", Overwrite::replace);
  EXPECT_EQ(file_bytes(path), "after");
}

TEST(AtomicWrite, K24_TwoWritersOneCompleteVersion) {
  const TempFolder folder;
  const auto path = folder / "out";
  const auto writer = [&](char letter) {
    for (int i = 0; i < 20; ++i) write_text(path, std::string(100000, letter), Overwrite::replace);
  };
  std::thread a(writer, 'a'), b(writer, 'b');
  a.join();
  b.join();
  const std::string now = file_bytes(path);
  EXPECT_EQ(now, std::string(100000, now.at(0)));
  EXPECT_EQ(folder.names(), (Names{"out"}));
}

TEST(AtomicWrite, K24_OnlyOneWriterWinsWhenNoneMayReplace) {
  const TempFolder folder;
  std::atomic<int> wins = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      try {
        write_text(folder / "out", std::string(10000, 'x'), Overwrite::refuse);
        ++wins;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("exists; --force replaces it"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wins, 1);
  EXPECT_EQ(folder.names(), (Names{"out"}));
}

ROPEWALK_PROPERTY(AtomicWrite, ReadsBackWhatWasWritten, [](const std::vector<std::string>& texts) {
  const TempFolder folder;
  std::vector<std::span<const std::byte>> parts;
  std::string whole;
  for (const std::string& text : texts) {
    parts.push_back(std::as_bytes(std::span(text)));
    whole += text;
  }
  write_file_atomically(folder / "out", parts, Overwrite::refuse);
  RC_ASSERT(read_text(folder / "out", whole.size()) == whole);
});

}  // namespace
}  // namespace ropewalk
