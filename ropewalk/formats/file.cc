#include "ropewalk/formats/file.h"

#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/file_errors.h"

namespace ropewalk {
namespace {

constexpr std::chrono::seconds kPatience{3};

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

}  // namespace

std::string file_label(const std::filesystem::path& path) {
  // Longer than the cut for other names: the end of a path is what tells files apart.
  constexpr size_t kLongestPath = 4096;
  return path.empty() ? "\"\"" : escaped(path.native(), kLongestPath);
}

void throw_errno(const std::string& label, int error, std::string_view doing) {
  throw Error(ErrorCode::io,
              fmt::format("{}: {}: {}", label, doing, std::generic_category().message(error)));
}

void check_regular(const struct stat& status, const std::string& label) {
  if (S_ISREG(status.st_mode)) return;
  throw Error(ErrorCode::io,
              fmt::format("{}: expected a regular file, found {}", label, kind_of(status.st_mode)));
}

void check_no_zero_byte(const std::filesystem::path& path, const std::string& label) {
  if (path.native().find('\0') == std::string::npos) return;
  throw Error(ErrorCode::io, fmt::format("{}: a file name cannot hold a zero byte", label));
}

InputFile::InputFile(const std::filesystem::path& path) : label_(file_label(path)) {
  check_no_zero_byte(path, label_);
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd_ < 0) throw_errno(label_, errno, "cannot open");
  struct stat status {};
  try {
    if (::fstat(fd_, &status) != 0) throw_errno(label_, errno, "cannot examine");
    check_regular(status, label_);
  } catch (const Error&) {
    ::close(fd_);
    throw;
  }
  size_ = static_cast<uint64_t>(status.st_size);
  modified_ = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      modified_(other.modified_),
      label_(std::move(other.label_)) {}

void InputFile::read(uint64_t offset, std::span<std::byte> out) const {
  const auto end = checked_add<uint64_t>(offset, out.size());
  if (!end || *end > size_) {
    throw Error(ErrorCode::malformed,
                fmt::format("{}: byte {}: expected {} bytes, found {} before the end of the file",
                            label_, offset, out.size(), offset < size_ ? size_ - offset : 0));
  }
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t got =
        ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(label_, errno, fmt::format("byte {}: cannot read", offset + done));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  struct stat status {};
  if (::fstat(fd_, &status) != 0) throw_errno(label_, errno, "cannot examine");
  const bool same = static_cast<uint64_t>(status.st_size) == size_ &&
                    status.st_mtim.tv_sec == modified_.first &&
                    status.st_mtim.tv_nsec == modified_.second;
  if (done == out.size() && same) return;
  throw Error(ErrorCode::io,
              fmt::format("{}: byte {}: the file changed while reading, expected {} bytes in all, "
                          "found {}",
                          label_, offset + done, size_, status.st_size));
}

std::string read_text(const std::filesystem::path& path, uint64_t limit_in_bytes) {
  const InputFile file(path);
  if (file.size_in_bytes() > limit_in_bytes) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("{}: {} bytes, larger than the limit of {} bytes", file.label(),
                            file.size_in_bytes(), limit_in_bytes));
  }
  std::string text(file.size_in_bytes(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

bool is_stream(const std::filesystem::path& path) {
  if (path == "-") return true;
  std::error_code ignored;
  return std::filesystem::is_fifo(path, ignored);
}

std::string read_stream(const std::filesystem::path& path, uint64_t limit_in_bytes) {
  using Clock = std::chrono::steady_clock;
  const bool standard = path == "-";
  const std::string label = standard ? "standard input" : file_label(path);
  // O_NONBLOCK: opening a named pipe must not wait for a writer that never comes.
  const int fd = standard ? ::dup(STDIN_FILENO)
                          : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) throw_errno(label, errno, "cannot open");
  const std::unique_ptr<const int, void (*)(const int*)> closed(
      &fd, [](const int* opened) { ::close(*opened); });
  const Clock::time_point patience = Clock::now() + kPatience;
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof(block));
    if (got < 0 && errno == EAGAIN) {
      pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, -1);
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno(label, errno, fmt::format("byte {}: cannot read", text.size()));
    if (got == 0 && (standard || !text.empty())) return text;
    if (got == 0 && Clock::now() > patience) {
      throw Error(ErrorCode::io,
                  fmt::format("{}: expected a program that writes to the pipe, found none in {} s",
                              label, kPatience.count()));
    }
    if (got == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    text.append(block, static_cast<size_t>(got));
    if (text.size() <= limit_in_bytes) continue;
    throw Error(ErrorCode::resource_limit,
                fmt::format("{}: expected at most {} bytes, found more", label, limit_in_bytes));
  }
}

}  // namespace ropewalk
