#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

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
  // Reads exactly `out.size()` bytes at `offset`. A file whose size or time of change is no longer
  // what it was when it was opened is an io error: bytes of two versions are never mixed.
  // (Replacing the file by a rename is no change: the old one stays open.)
  void read(uint64_t offset, std::span<std::byte> out) const;

 private:
  int fd_ = -1;
  uint64_t size_ = 0;
  std::pair<int64_t, int64_t> modified_;  // seconds, nanoseconds
  std::string label_;
};

// A whole file as text, at most `limit_in_bytes` long (resource_limit beyond).
std::string read_text(const std::filesystem::path& path, uint64_t limit_in_bytes);

// A pipe or a named pipe, or "-", standard input, whatever it is.
bool is_stream(const std::filesystem::path& path);

// What comes out of a stream until its end; at most so many bytes (resource_limit beyond). Throws
// io where no program writes to a named pipe within three seconds.
std::string read_stream(const std::filesystem::path& path, uint64_t limit_in_bytes);

// What to do when the output exists.
enum class Overwrite { refuse, replace };

// Throws what write_file_atomically would throw before its first byte: the output exists and may
// not be replaced, is not a regular file, or its folder is missing or cannot be written. For a
// program that wants to know before it starts to compute.
void check_output(const std::filesystem::path& path, Overwrite overwrite);

// Writes a file whole or not at all: a temporary file beside it, its space reserved first, fsync,
// rename, fsync of the folder. On any failure the temporary is removed and what was there before is
// untouched. A symbolic link stays and the file it stands for is replaced; a replaced file keeps
// its mode, and its owner where the system allows. The temporary has no name while it is written
// where the file system can do that, else it is ".<name>.<pid>.<random>.tmp". Throws io.
void write_file_atomically(const std::filesystem::path& path,
                           std::span<const std::span<const std::byte>> parts, Overwrite overwrite);

// The same for a file of `size_in_bytes` bytes that do not fit in memory: `produce` gives them to
// the sink piece by piece. What it throws is thrown on, and nothing is written; so is internal for
// another count of bytes.
using ByteSink = std::function<void(std::span<const std::byte>)>;
void write_file_atomically(const std::filesystem::path& path, uint64_t size_in_bytes,
                           const std::function<void(const ByteSink&)>& produce,
                           Overwrite overwrite);

}  // namespace ropewalk
