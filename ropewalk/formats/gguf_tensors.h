#pragma once

#include "ropewalk/formats/gguf_cursor.h"
#include "ropewalk/formats/gguf_directory.h"

namespace ropewalk {

// The length of a name, one character, no dimensions, a type, an offset.
constexpr uint64_t kSmallestGgufTensor = 8 + 1 + 4 + 4 + 8;

// Reads the tensor directory where the cursor is, and checks it beside the size of the file.
void read_gguf_tensors(const InputFile& file, GgufCursor& cursor, uint64_t count,
                       GgufDirectory& directory);

}  // namespace ropewalk
