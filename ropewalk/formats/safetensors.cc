#include "ropewalk/formats/safetensors.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/formats/byte_order.h"
#include "ropewalk/formats/foreign.h"
#include "ropewalk/formats/safetensors_header.h"
#include "ropewalk/formats/safetensors_types.h"

namespace ropewalk {
namespace {

using Entry = SafetensorsHeaderEntry;

[[noreturn]] void fail(const std::string& label, const Entry& tensor, const std::string& what) {
  throw Error(ErrorCode::malformed, fmt::format("{}: byte {}: tensor \"{}\": {}", label,
                                                tensor.offset, escaped(tensor.name), what));
}

std::string read_header(const InputFile& file) {
  const uint64_t size = file.size_in_bytes();
  std::array<std::byte, 16> storage{};
  const auto start = std::span(storage).first(std::min<uint64_t>(16, size));
  file.read(0, start);
  const auto refuse = [&](ErrorCode code, const std::string& what) {
    const std::string_view foreign = foreign_format(start);
    const std::string hint = foreign.empty() ? "" : fmt::format("; this is {}", foreign);
    throw Error(code, fmt::format("{}: byte 0: {}{}", file.label(), what, hint));
  };
  if (size < 8) {
    refuse(ErrorCode::malformed,
           fmt::format("expected at least 8 bytes, the length of a safetensors header, found {}",
                       size));
  }
  const uint64_t length = little_endian(start.first(8));
  if (length == 0) refuse(ErrorCode::malformed, "expected a header, found an empty one");
  if (length > size - 8) {
    refuse(ErrorCode::malformed,
           fmt::format("header of {} bytes, but the file has {}", length, size));
  }
  if (length > kLongestSafetensorsHeader) {
    refuse(ErrorCode::resource_limit, fmt::format("header of {} bytes, larger than the limit of {}",
                                                  length, kLongestSafetensorsHeader));
  }
  std::string header(length, '\0');
  file.read(8, std::as_writable_bytes(std::span(header)));
  return header;
}

std::string shape_text(const Entry& tensor) {
  // A shape may be as long as the header.
  return escaped(fmt::format("[{}]", fmt::join(tensor.shape, ", ")), 200);
}

// What the shape and the type say the size must be.
uint64_t expected_bytes(const std::string& label, const Entry& tensor, uint64_t bits_each) {
  const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  std::optional<uint64_t> bits = empty ? 0 : bits_each;
  for (const uint64_t dim : tensor.shape) {
    if (bits) bits = checked_mul(*bits, dim);
  }
  if (!bits) {
    fail(label, tensor,
         fmt::format("shape {} of {}: the size overflows 64 bits", shape_text(tensor),
                     tensor.dtype));
  }
  if (*bits % 8 != 0) {
    fail(label, tensor,
         fmt::format("shape {} of {}: {} bits, not a whole byte", shape_text(tensor), tensor.dtype,
                     *bits));
  }
  return *bits / 8;
}

void check_size(const std::string& label, const Entry& tensor) {
  if (tensor.end < tensor.begin) {
    fail(label, tensor,
         fmt::format("data_offsets [{}, {}] end before they begin", tensor.begin, tensor.end));
  }
  const SafetensorsType* type = safetensors_type(tensor.dtype);
  if (type == nullptr) return;
  const uint64_t expected = expected_bytes(label, tensor, type->bits);
  if (tensor.end - tensor.begin != expected) {
    fail(label, tensor,
         fmt::format("shape {} of {}: expected {} bytes, found {} in data_offsets [{}, {}]",
                     shape_text(tensor), tensor.dtype, expected, tensor.end - tensor.begin,
                     tensor.begin, tensor.end));
  }
}

// The tensors must fill the data from its first byte on, one after the other. Returns the end.
uint64_t check_ranges(const InputFile& file, const std::vector<Entry>& tensors,
                      uint64_t data_begin) {
  const uint64_t data_size = file.size_in_bytes() - data_begin;
  std::vector<const Entry*> by_place;
  by_place.reserve(tensors.size());
  for (const Entry& tensor : tensors) {
    if (tensor.end > data_size) {
      fail(file.label(), tensor,
           fmt::format(
               "data_offsets [{}, {}] count from byte {}, but the file has {} bytes (missing {})",
               tensor.begin, tensor.end, data_begin, file.size_in_bytes(), tensor.end - data_size));
    }
    by_place.push_back(&tensor);
  }
  const auto before = [](const Entry* a, const Entry* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
  };
  if (!std::is_sorted(by_place.begin(), by_place.end(), before)) {
    std::sort(by_place.begin(), by_place.end(), before);
  }
  uint64_t end = 0;
  const Entry* previous = nullptr;
  for (const Entry* tensor : by_place) {
    if (tensor->begin != end) {
      const std::string after =
          previous ? fmt::format("\"{}\" ends", escaped(previous->name)) : "the data begins";
      fail(file.label(), *tensor,
           fmt::format("data_offsets [{}, {}] {}: {} at {}", tensor->begin, tensor->end,
                       tensor->begin < end ? "overlap" : "leave a hole", after, end));
    }
    end = tensor->end;
    previous = tensor;
  }
  return end;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path,
                                 const SafetensorsOptions& options)
    : file_(path) {
  const std::string text = read_header(file_);
  SafetensorsHeader header = parse_safetensors_header(text, 8, file_.label());
  const uint64_t data_begin = 8 + text.size();
  for (const Entry& tensor : header.tensors) check_size(file_.label(), tensor);
  const uint64_t end = data_begin + check_ranges(file_, header.tensors, data_begin);
  warnings_ = std::move(header.warnings);
  if (end < file_.size_in_bytes()) {
    const std::string what = fmt::format(
        "{}: byte {}: expected the end of the file after the last tensor, found {} bytes more",
        file_.label(), end, file_.size_in_bytes() - end);
    if (!options.allow_trailing) {
      throw Error(ErrorCode::malformed, what);
    }
    warnings_.push_back(what);
  }
  metadata_ = std::move(header.metadata);
  for (const size_t index : header.by_name) {
    Entry& tensor = header.tensors[index];
    const SafetensorsType* type = safetensors_type(tensor.dtype);
    const uint64_t begin = data_begin + tensor.begin, tensor_end = data_begin + tensor.end;
    if (type == nullptr || !type->dtype || tensor.shape.size() > kMaxRank) {
      unsupported_.emplace_hint(unsupported_.end(), std::move(tensor.name),
                                SafetensorsUnsupported{std::move(tensor.dtype),
                                                       {tensor.shape.begin(), tensor.shape.end()},
                                                       begin,
                                                       tensor_end});
      continue;
    }
    Dims shape;
    for (const uint64_t dim : tensor.shape) shape.push_back(static_cast<int64_t>(dim));
    entries_.emplace_hint(entries_.end(), std::move(tensor.name),
                          SafetensorsEntry{*type->dtype, shape, begin, tensor_end});
  }
}

Tensor SafetensorsFile::read(std::string_view name) const {
  if (const auto found = entries_.find(name); found != entries_.end()) {
    const SafetensorsEntry& entry = found->second;
    Tensor tensor = make_tensor(entry.dtype, entry.shape);
    file_.read(entry.begin, tensor.bytes);
    convert_byte_order(tensor.bytes, ropewalk::size_in_bytes(entry.dtype), std::endian::little);
    return tensor;
  }
  const std::string where = fmt::format("{}: tensor \"{}\"", label(), escaped(name));
  if (const auto found = unsupported_.find(name); found != unsupported_.end()) {
    const SafetensorsUnsupported& entry = found->second;
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{}: expected at most {} dimensions of {}, found {} of {}", where, kMaxRank,
                    supported_safetensors_types(), entry.shape.size(), escaped(entry.dtype)));
  }
  std::vector<std::string_view> names;
  for (const auto& [other, entry] : entries_) names.push_back(other);
  const std::string known =
      names.size() <= 8
          ? fmt::format(", which holds {}", escaped(fmt::format("{}", fmt::join(names, ", ")), 400))
          : fmt::format(", which holds {} others{}", names.size(), did_you_mean(name, names));
  throw Error(ErrorCode::malformed, where + ": not in the file" + known);
}

}  // namespace ropewalk
