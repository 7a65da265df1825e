#include "ropewalk/formats/file_folder.h"

#include <cerrno>
#include <random>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file_errors.h"

namespace ropewalk {
namespace {

// Without a slash at its end, which would be no name.
std::filesystem::path named(const std::filesystem::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void flush_folder(const std::filesystem::path& folder, const std::string& label) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) throw_errno(label, errno, "cannot open its folder");
  const int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  // EINVAL: a file system that cannot flush folders.
  if (error != 0 && error != EINVAL) throw_errno(label, error, "cannot flush its folder");
}

}  // namespace

void check_new_folder(const std::filesystem::path& target) {
  const std::string label = file_label(target);
  check_no_zero_byte(target, label);
  if (target.empty()) throw_errno(label, ENOENT, "cannot create");
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(target, error))) {
    if (!std::filesystem::is_directory(target, error)) {
      throw Error(ErrorCode::io,
                  fmt::format("{}: expected the name of a new folder, found a file", label));
    }
    if (!std::filesystem::is_empty(target, error) || error) {
      throw Error(ErrorCode::io,
                  fmt::format("{}: expected a new or empty folder, found one with files", label));
    }
  }
  const std::filesystem::path folder = folder_of(named(target));
  if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    throw_errno(label, errno, fmt::format("cannot write in the folder {}", file_label(folder)));
  }
}

UnfinishedFolder::UnfinishedFolder(const std::filesystem::path& target)
    : target_(named(target)), label_(file_label(target)) {
  check_new_folder(target);
  std::random_device random;
  path_ = folder_of(target_) / fmt::format(".{}.{}.{:08x}{:08x}.tmp",
                                           target_.filename().string().substr(0, 200), ::getpid(),
                                           random(), random());
  if (::mkdir(path_.c_str(), 0777) != 0) {
    throw_errno(label_, errno, "cannot create a folder beside it");
  }
}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code none;
  if (!path_.empty()) std::filesystem::remove_all(path_, none);
}

void UnfinishedFolder::publish() {
  flush_folder(path_, label_);
  // An empty folder in its place goes; one with files in it stays, and is an error.
  if (::rename(path_.c_str(), target_.c_str()) != 0) throw_errno(label_, errno, "cannot create");
  path_.clear();
  flush_folder(folder_of(target_), label_);
}

}  // namespace ropewalk
