#include <algorithm>
#include <cerrno>
#include <optional>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/file_errors.h"

namespace ropewalk {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const { return fd_; }
  // Closes and tells what close() said: some file systems report a failed write only then.
  int close() {
    const int result = ::close(fd_);
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

// Where the bytes go: the file a symbolic link stands for, its folder and its name in it.
struct Target {
  std::string label;  // the path as the caller gave it
  Descriptor folder;
  std::string name;
  std::optional<struct stat> existing;
};

std::filesystem::path resolved(const std::filesystem::path& path, const std::string& label) {
  std::error_code error;
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) return path;
  std::filesystem::path target = std::filesystem::canonical(path, error);
  if (error) throw_errno(label, error.value(), "cannot follow the symbolic link");
  return target;
}

void open_target(const std::filesystem::path& path, Overwrite overwrite, Target& target) {
  target.label = file_label(path);
  check_no_zero_byte(path, target.label);
  const std::filesystem::path file = resolved(path, target.label);
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw_errno(target.label, EISDIR, "cannot write");
    check_regular(status, target.label);
    if (overwrite == Overwrite::refuse) {
      throw Error(ErrorCode::io, fmt::format("{}: exists; --force replaces it", target.label));
    }
    target.existing = status;
  } else if (errno != ENOENT || file.filename().empty()) {
    throw_errno(target.label, errno, "cannot write");
  }
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  target.folder.reset(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (target.folder.get() < 0) {
    throw_errno(target.label, errno, fmt::format("cannot open the folder {}", file_label(folder)));
  }
  if (::faccessat(target.folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    throw_errno(target.label, errno,
                fmt::format("cannot write in the folder {}", file_label(folder)));
  }
  target.name = file.filename().native();
}

// ".<name>.<pid>.<random>.tmp"; a long name is cut so that the whole fits in 255 bytes.
std::string temporary_name(const std::string& name) {
  std::random_device random;
  const std::string tail = fmt::format(".{}.{:08x}{:08x}.tmp", ::getpid(), random(), random());
  constexpr size_t kLongestName = 255;
  size_t kept = std::min(name.size(), kLongestName - 1 - tail.size());
  while (kept > 0 && kept < name.size() && (name[kept] & 0xC0) == 0x80) --kept;
  return fmt::format(".{}{}", std::string_view(name).substr(0, kept), tail);
}

// A new file beside the target, removed unless it is put in the target's place. Where the kernel
// allows it the file has no name while it is written, so that not even a killed process leaves one.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const Target& target) : target_(target) {
    if (!open_unnamed()) open_named();
    if (target_.existing) keep_owner_and_mode();
  }
  ~UnfinishedFile() {
    if (!name_.empty()) ::unlinkat(target_.folder.get(), name_.c_str(), 0);
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  // Before the first byte.
  void expect(uint64_t total) {
    total_ = total;
    reserve(total);
  }

  void write(std::span<const std::byte> part) {
    while (!part.empty()) {
      const ssize_t count = ::write(file_.get(), part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail(count < 0 ? errno : EIO);
      part = part.subspan(static_cast<size_t>(count));
      written_ += static_cast<uint64_t>(count);
    }
  }

  void check_whole() const {
    if (written_ == total_) return;
    throw Error(ErrorCode::internal, fmt::format("{}: expected {} bytes to write, found {}",
                                                 target_.label, total_, written_));
  }

  void publish(Overwrite overwrite) {
    if (::fsync(file_.get()) != 0) throw_errno(target_.label, errno, "cannot flush");
    if (name_.empty()) give_name();
    if (file_.close() != 0 && errno != EINTR) throw_errno(target_.label, errno, "cannot close");
    if (overwrite == Overwrite::replace) {
      const int folder = target_.folder.get();
      if (::renameat(folder, name_.c_str(), folder, target_.name.c_str()) != 0) {
        throw_errno(target_.label, errno, "cannot replace");
      }
      name_.clear();
    } else {
      rename_if_absent();
    }
    // EINVAL: a file system that cannot flush folders.
    if (::fsync(target_.folder.get()) != 0 && errno != EINVAL) {
      throw_errno(target_.label, errno, "written, but its folder cannot be flushed");
    }
  }

 private:
  static constexpr mode_t kMode = 0666;  // less the umask

  std::string descriptor_path() const { return fmt::format("/proc/self/fd/{}", file_.get()); }

  bool open_unnamed() {
#ifdef O_TMPFILE
    file_.reset(::openat(target_.folder.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
    // Without /proc the file could not be given its name later.
    return file_.get() >= 0 && ::access(descriptor_path().c_str(), F_OK) == 0;
#else
    return false;
#endif
  }

  void open_named() {
    const std::string name = temporary_name(target_.name);
    file_.reset(::openat(target_.folder.get(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
    if (file_.get() < 0) throw_errno(target_.label, errno, "cannot create a file beside it");
    name_ = name;
  }

  void give_name() {
    const std::string name = temporary_name(target_.name);
    if (::linkat(AT_FDCWD, descriptor_path().c_str(), target_.folder.get(), name.c_str(),
                 AT_SYMLINK_FOLLOW) != 0) {
      throw_errno(target_.label, errno, "cannot create a file beside it");
    }
    name_ = name;
  }

  void keep_owner_and_mode() {
    const struct stat& old = *target_.existing;
    struct stat now {};
    if (::fstat(file_.get(), &now) != 0) throw_errno(target_.label, errno, "cannot examine");
    // Only root may give a file away; everybody else becomes the owner of what they write.
    const bool owned = (now.st_uid == old.st_uid && now.st_gid == old.st_gid) ||
                       ::fchown(file_.get(), old.st_uid, old.st_gid) == 0;
    // A mode made for another owner or group must not widen who can run it as somebody else.
    const mode_t kept = old.st_mode & (owned ? 07777 : 0777);
    if (::fchmod(file_.get(), kept) != 0) throw_errno(target_.label, errno, "cannot set the mode");
  }

  // Takes the space before the first byte is written, so that a full disk is noticed at once.
  void reserve(uint64_t total) {
    struct rlimit limit {};
    // Asked first because going over it is a signal.
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        total > limit.rlim_cur) {
      fail(EFBIG);
    }
#ifdef __linux__
    while (total > 0 && ::fallocate(file_.get(), 0, 0, static_cast<off_t>(total)) != 0) {
      if (errno == EINTR) continue;
      if (errno == EOPNOTSUPP || errno == ENOSYS) return;
      fail(errno);
    }
#endif
  }

  [[noreturn]] void fail(int error) const {
    throw Error(ErrorCode::io,
                fmt::format("{}: cannot write: {} after {} of {} bytes", target_.label,
                            std::generic_category().message(error), written_, total_));
  }

  void rename_if_absent() {
    const int folder = target_.folder.get();
    int result = -1;
#ifdef RENAME_NOREPLACE
    result = ::renameat2(folder, name_.c_str(), folder, target_.name.c_str(), RENAME_NOREPLACE);
    if (result == 0) {
      name_.clear();
      return;
    }
    if (errno == EINVAL || errno == ENOSYS) {  // NFS and others
      result = ::linkat(folder, name_.c_str(), folder, target_.name.c_str(), 0);
    }
#else
    result = ::linkat(folder, name_.c_str(), folder, target_.name.c_str(), 0);
#endif
    if (result == 0) return;  // the second name goes with this object
    if (errno == EEXIST) {
      throw Error(ErrorCode::io, fmt::format("{}: exists; --force replaces it", target_.label));
    }
    throw_errno(target_.label, errno, "cannot create");
  }

  const Target& target_;
  Descriptor file_;
  std::string name_;  // empty: none
  uint64_t written_ = 0, total_ = 0;
};

}  // namespace

void check_output(const std::filesystem::path& path, Overwrite overwrite) {
  Target target;
  open_target(path, overwrite, target);
}

void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::span<const std::byte>> parts, Overwrite overwrite) {
  Target target;
  open_target(path, overwrite, target);
  UnfinishedFile file(target);
  uint64_t total = 0;
  for (const auto& part : parts) total += part.size();
  file.expect(total);
  for (const auto& part : parts) file.write(part);
  file.publish(overwrite);
}

void write_file_atomically(const std::filesystem::path& path, uint64_t size_in_bytes,
                           const std::function<void(const ByteSink&)>& produce,
                           Overwrite overwrite) {
  Target target;
  open_target(path, overwrite, target);
  UnfinishedFile file(target);
  file.expect(size_in_bytes);
  produce([&](std::span<const std::byte> part) { file.write(part); });
  file.check_whole();
  file.publish(overwrite);
}

}  // namespace ropewalk
