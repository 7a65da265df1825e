#include "fuzz/memory_file.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/checkpoint_index.h"

namespace {

// No name leaves the folder, and every tensor has a file.
void check(const ropewalk::CheckpointIndex& index) {
  size_t tensors = 0;
  for (const auto& file : index.files) {
    require(std::filesystem::path(file.name).filename() == file.name);
    require(file.name != "." && file.name != ".." && file.name.find('\0') == std::string::npos);
    require(file.tensors > 0 && index.tensors.count(file.first_tensor) == 1);
    tensors += file.tensors;
  }
  require(tensors == index.tensors.size() && tensors > 0);
  for (const auto& entry : index.tensors) require(entry.second < index.files.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  file.assign(data, size);
  try {
    check(ropewalk::read_checkpoint_index(file.path()));
  } catch (const ropewalk::Error& error) {
    require(error.code() == ropewalk::ErrorCode::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
