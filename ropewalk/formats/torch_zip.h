#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "ropewalk/formats/file.h"

namespace ropewalk {

// Where an entry's bytes lie in the file, as they are: nothing is inflated.
struct ZipRecord {
  uint64_t begin = 0, size = 0;
};

using ZipRecords = std::map<std::string, ZipRecord, std::less<>>;

// The entries of a zip archive as torch.save writes it: stored, not compressed; zip64 where a
// number needs it. Checksums are not compared, as torch.load does not. Throws malformed,
// unsupported (compressed, encrypted, of several disks) or resource_limit (a directory over 64
// MiB).
ZipRecords read_zip_records(const InputFile& file);

}  // namespace ropewalk
