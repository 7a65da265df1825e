#include "ropewalk/formats/gguf_tensors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/gguf_names.h"
#include "ropewalk/formats/gguf_types.h"

namespace ropewalk {
namespace {

constexpr std::string_view kAlignment = "general.alignment";
constexpr uint64_t kDefaultAlignment = 32, kLargestAlignment = 65536;
constexpr uint64_t kLongestName = 63;  // GGML_MAX_NAME less its zero byte
constexpr uint32_t kMostDimensions = 4;
constexpr size_t kMostWarnings = 16;

using Tensors = std::vector<NamedAt<GgufTensor>>;

uint64_t alignment(const InputFile& file, const GgufDirectory& directory) {
  const auto found = directory.metadata.find(kAlignment);
  if (found == directory.metadata.end()) return kDefaultAlignment;
  const GgufValue& value = found->second;
  const std::string where =
      fmt::format("{}: byte {}: key \"{}\"", file.label(), value.offset, kAlignment);
  if (value.type != GgufType::u32) {
    throw Error(ErrorCode::malformed, fmt::format("{}: expected a value of type u32, found {}",
                                                  where, description(value)));
  }
  const uint64_t bytes = GgufCursor(file, value.offset, directory.order).u32(kAlignment);
  if (bytes == 0 || bytes > kLargestAlignment || (bytes & (bytes - 1)) != 0) {
    throw Error(ErrorCode::malformed, fmt::format("{}: expected a power of two up to {}, found {}",
                                                  where, kLargestAlignment, bytes));
  }
  return bytes;
}

std::optional<uint64_t> padded(uint64_t bytes, uint64_t alignment) {
  const auto more = checked_add<uint64_t>(bytes, alignment - 1);
  return more ? std::optional(*more & ~(alignment - 1)) : std::nullopt;
}

// Reads one entry; offsets are still relative to the data.
class TensorReader {
 public:
  TensorReader(GgufCursor& cursor, uint64_t alignment) : cursor_(cursor), alignment_(alignment) {}

  void read(NamedAt<GgufTensor>& entry) {
    entry.offset = cursor_.position();
    entry.name = cursor_.name(kLongestName);
    cursor_.set_name(entry.name);
    const uint64_t shape_offset = cursor_.position();
    GgufTensor& tensor = entry.value;
    tensor.shape = shape();
    tensor.type = cursor_.u32("type");
    tensor.size_in_bytes = size(tensor, shape_offset);
    const uint64_t offset = cursor_.position();
    tensor.offset = cursor_.u64("offset");
    if (tensor.offset % alignment_ != 0) {
      cursor_.fail(offset, fmt::format("offset: expected a multiple of {}, found {}", alignment_,
                                       tensor.offset));
    }
  }

 private:
  Dims shape() {
    const uint64_t offset = cursor_.position();
    const uint32_t rank = cursor_.u32("number of dimensions");
    if (rank > kMostDimensions) {
      cursor_.fail(offset, fmt::format("number of dimensions: expected at most {}, found {}",
                                       kMostDimensions, rank));
    }
    Dims shape;
    for (uint32_t i = 0; i < rank; ++i) {
      const uint64_t dim = cursor_.u64("dimension");
      if (dim == 0 || dim > static_cast<uint64_t>(INT64_MAX)) {
        cursor_.fail(cursor_.position() - 8,
                     fmt::format("dimension {}: expected 1 to 2^63 - 1, found {}", i, dim));
      }
      shape.push_back(static_cast<int64_t>(dim));
    }
    std::reverse(shape.begin(), shape.end());
    return shape;
  }

  std::optional<uint64_t> size(const GgufTensor& tensor, uint64_t shape_offset) {
    std::optional<uint64_t> elements = 1;
    for (const int64_t dim : tensor.shape) {
      if (elements) elements = checked_mul(*elements, static_cast<uint64_t>(dim));
    }
    const GgmlType* type = ggml_type(tensor.type);
    const uint64_t block = type ? type->block : 1;
    const int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (static_cast<uint64_t>(row) % block != 0) {
      cursor_.fail(
          shape_offset,
          fmt::format(
              "shape {}: expected rows of whole blocks of {}, as {} keeps them, found a row of {}",
              to_string(tensor.shape), block, type->name, row));
    }
    std::optional<uint64_t> bytes = elements;
    if (type && bytes) bytes = checked_mul<uint64_t>(*bytes / block, type->bytes);
    if (!bytes || !padded(*bytes, alignment_)) {
      cursor_.fail(shape_offset,
                   fmt::format("shape {}: the size overflows 64 bits", to_string(tensor.shape)));
    }
    return type ? bytes : std::nullopt;
  }

  GgufCursor& cursor_;
  const uint64_t alignment_;
};

// Turns offsets into places in the file.
void place(GgufCursor& cursor, Tensors& tensors, uint64_t data_begin, uint64_t alignment) {
  for (auto& [name, offset, tensor] : tensors) {
    const auto begin = checked_add(data_begin, tensor.offset);
    const auto end = begin ? checked_add(*begin, tensor.size_in_bytes.value_or(0)) : begin;
    if (!end || !padded(*end, alignment)) {
      cursor.set_name(name);
      cursor.fail(offset, fmt::format("offset {}: the end overflows 64 bits", tensor.offset));
    }
    tensor.offset = *begin;
  }
}

// No byte belongs to two tensors. Returns the end of the last.
uint64_t check_overlap(GgufCursor& cursor, const Tensors& tensors, uint64_t data_begin) {
  std::vector<const NamedAt<GgufTensor>*> by_place;
  for (const auto& entry : tensors) {
    if (entry.value.size_in_bytes) by_place.push_back(&entry);
  }
  std::stable_sort(by_place.begin(), by_place.end(),
                   [](const auto* a, const auto* b) { return a->value.offset < b->value.offset; });
  uint64_t end = data_begin;
  const NamedAt<GgufTensor>* previous = nullptr;
  for (const auto* entry : by_place) {
    if (entry->value.offset < end) {
      cursor.set_name(entry->name);
      cursor.fail(entry->offset, fmt::format("offset {}: overlaps \"{}\", which ends at {}",
                                             entry->value.offset - data_begin,
                                             escaped(previous->name), end - data_begin));
    }
    end = entry->value.offset + *entry->value.size_in_bytes;
    previous = entry;
  }
  return end;
}

void warn_of_size(const InputFile& file, const Tensors& tensors, uint64_t end,
                  GgufDirectory& directory) {
  const uint64_t size = file.size_in_bytes();
  bool all_known = true;
  for (const auto& [name, offset, tensor] : tensors) {
    if (!tensor.size_in_bytes) all_known = false;
    const uint64_t tensor_end = tensor.offset + tensor.size_in_bytes.value_or(0);
    if (tensor_end <= size || directory.warnings.size() >= kMostWarnings) continue;
    directory.warnings.push_back(
        fmt::format("{}: byte {}: tensor \"{}\" ends at {}, but the file has {} bytes (missing {})",
                    file.label(), offset, escaped(name), tensor_end, size, tensor_end - size));
  }
  if (all_known && end < size) {
    directory.warnings.push_back(
        fmt::format("{}: byte {}: {} bytes after the last tensor", file.label(), end, size - end));
  }
}

}  // namespace

void read_gguf_tensors(const InputFile& file, GgufCursor& cursor, uint64_t count,
                       GgufDirectory& directory) {
  const uint64_t align = alignment(file, directory);
  TensorReader reader(cursor, align);
  Tensors tensors;
  for (uint64_t i = 0; i < count; ++i) {
    cursor.set_place("tensor", i);
    reader.read(tensors.emplace_back());
  }
  const uint64_t data_begin = *padded(cursor.position(), align);
  place(cursor, tensors, data_begin, align);
  const uint64_t end = check_overlap(cursor, tensors, data_begin);
  warn_of_size(file, tensors, *padded(end, align), directory);
  directory.tensors = sorted_by_name(file, "tensor", std::move(tensors));
}

}  // namespace ropewalk
