#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/formats/torch_file.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk::testing {

inline std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

// The parts of an archive that a test may spoil.
struct ZipParts {
  uint64_t flags = 0, method = 0;
};

// A zip archive of stored entries.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& entries,
                          const ZipParts& parts = {}) {
  std::string file, directory;
  for (const auto& [name, bytes] : entries) {
    const std::string common = little(20, 2) + little(parts.flags, 2) + little(parts.method, 2) +
                               little(0, 8) + little(bytes.size(), 4) + little(bytes.size(), 4) +
                               little(name.size(), 2) + little(0, 2);
    directory +=
        "PK\x01\x02" + little(20, 2) + common + little(0, 10) + little(file.size(), 4) + name;
    file += "PK\x03\x04" + common + name + bytes;
  }
  return file + directory + "PK\x05\x06" + little(0, 4) + little(entries.size(), 2) +
         little(entries.size(), 2) + little(directory.size(), 4) + little(file.size(), 4) +
         little(0, 2);
}

inline std::string pickled(int64_t number) {
  return "\x8a\x08" + little(static_cast<uint64_t>(number), 8);
}
inline std::string pickled(std::string_view text) {
  return "X" + little(text.size(), 4) + std::string(text);
}
inline std::string pickled(std::initializer_list<int64_t> numbers) {
  std::string text = "(";
  for (const int64_t number : numbers) text += pickled(number);
  return text + "t";
}

struct TensorPickle {
  int64_t count = 4;
  int64_t offset = 0;
  std::string shape = pickled({2, 2}), strides = pickled({2, 1});
  std::string storage = "FloatStorage";
  std::string more = "";  // arguments after the usual ones
};

// The opcodes that leave a tensor on the stack.
inline std::string pickled(const TensorPickle& tensor) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + pickled("storage") + "ctorch\n" +
         tensor.storage + "\n" + pickled("0") + pickled("cpu") + pickled(tensor.count) + "tQ" +
         pickled(tensor.offset) + tensor.shape + tensor.strides +
         "\x89"
         "ccollections\nOrderedDict\n)R" +
         tensor.more + "tR";
}

// A file of torch.save whose pickle has these opcodes, and a storage of four float32.
inline std::string torch_bytes(const std::string& opcodes, const std::string& order = "little") {
  return zip_of({{"q/data.pkl", "\x80\x02" + opcodes + "."},
                 {"q/byteorder", order},
                 {"q/data/0", std::string(16, '\x01')}});
}

struct OpenedTorch {
  TempFolder folder;
  TorchFile file;
  explicit OpenedTorch(std::string_view bytes) : file(folder.file("q.pt", bytes)) {}
};

}  // namespace ropewalk::testing
