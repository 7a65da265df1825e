#pragma once

#include <filesystem>
#include <string>

namespace ropewalk {

// A folder that is there whole or not at all: its files are written in path(), a folder beside the
// target named ".<name>.<pid>.<random>.tmp", which publish() renames. Without that it is removed
// with all that is in it. The target may be there only as an empty folder; throws io otherwise, and
// for what the operating system refuses.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const std::filesystem::path& target);
  ~UnfinishedFolder();
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void publish();

 private:
  std::filesystem::path target_, path_;
  std::string label_;
};

// Throws io unless a folder may be made there, as the constructor would.
void check_new_folder(const std::filesystem::path& target);

}  // namespace ropewalk
