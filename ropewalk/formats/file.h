#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ropewalk {

// A regular file opened for reading. Every fault is an Error that names the path: io for what the
// operating system refuses (missing, permission, a directory, a FIFO or device), malformed for a
// read past the end.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  uint64_t size_in_bytes() const { return size_; }
  // The path, escaped for a message.
  const std::string& label() const { return label_; }
  // Reads exactly `out.size()` bytes at `offset`; a file that shrank since it was opened is an io error.
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  int fd_ = -1;
  uint64_t size_ = 0;
  std::string label_;
};

// A whole file as text, at most `limit_in_bytes` long (resource_limit beyond).
std::string read_text(const std::filesystem::path& path, uint64_t limit_in_bytes);

// What to do when the output exists.
enum class Overwrite { refuse, replace };

// Writes a file whole or not at all: a temporary file beside it, fsync, rename, fsync of the folder.
// On any failure the temporary is removed and what was there before is untouched. Throws io.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::span<const std::byte>> parts,
                           Overwrite overwrite);

}  // namespace ropewalk
