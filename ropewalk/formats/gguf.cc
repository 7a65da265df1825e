#include "ropewalk/formats/gguf.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/formats/byte_order.h"
#include "ropewalk/formats/gguf_cursor.h"
#include "ropewalk/formats/gguf_directory.h"
#include "ropewalk/formats/gguf_types.h"

namespace ropewalk {
namespace {

bool is_integer(GgufType type) {
  return type != GgufType::f32 && type != GgufType::f64 && type != GgufType::boolean &&
         gguf_size_in_bytes(type) > 0;
}

bool is_boolean(GgufType type) { return type == GgufType::boolean; }
bool is_string(GgufType type) { return type == GgufType::string; }
bool is_floating(GgufType type) { return type == GgufType::f32 || type == GgufType::f64; }

bool holds(const GgufValue& value, bool (*kind)(GgufType)) {
  return value.type == GgufType::array && kind(value.element);
}

// The unsigned number that the file holds, as the signed one of the type.
int64_t with_sign(uint64_t bits, GgufType type) {
  switch (type) {
    case GgufType::i8:
      return static_cast<int8_t>(bits);
    case GgufType::i16:
      return static_cast<int16_t>(bits);
    case GgufType::i32:
      return static_cast<int32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

double floating(uint64_t bits, GgufType type) {
  if (type == GgufType::f64) return std::bit_cast<double>(bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

// The numbers of a value, as the bits that the file holds.
std::vector<uint64_t> read_bits(const InputFile& file, const GgufValue& value, std::endian order) {
  const uint64_t size =
      gguf_size_in_bytes(value.type == GgufType::array ? value.element : value.type);
  std::vector<std::byte> bytes(value.count * size);
  file.read(value.offset, bytes);
  if (order == std::endian::big) swap_byte_order(bytes, size);
  std::vector<uint64_t> bits;
  bits.reserve(value.count);
  for (size_t at = 0; at < bytes.size(); at += size) {
    bits.push_back(little_endian(std::span(bytes).subspan(at, size)));
  }
  return bits;
}

}  // namespace

GgufFile::GgufFile(const std::filesystem::path& path) : file_(path) {
  GgufDirectory directory = read_gguf_directory(file_);
  version_ = directory.version;
  order_ = directory.order;
  metadata_ = std::move(directory.metadata);
  tensors_ = std::move(directory.tensors);
  warnings_ = std::move(directory.warnings);
  if (const std::string hint = split_hint(); !hint.empty()) warnings_.push_back(label() + hint);
}

std::string GgufFile::architecture() const {
  constexpr std::string_view kKey = "general.architecture";
  const std::optional<std::string> value = text(kKey);
  if (!value) fail(kKey, "expected the name of the architecture, found no such key");
  if (value->empty()) fail(kKey, "expected the name of the architecture, found none");
  return *value;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

const GgufValue* GgufFile::find(std::string_view key, bool (*wanted)(const GgufValue&),
                                std::string_view expected) const {
  const GgufValue* value = find(key);
  if (value != nullptr && !wanted(*value)) {
    fail(key, fmt::format("expected {}, found {}", expected, description(*value)));
  }
  return value;
}

bool GgufFile::is_array(std::string_view key) const {
  const GgufValue* value = find(key);
  return value != nullptr && value->type == GgufType::array;
}

std::optional<std::string> GgufFile::text(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) { return is_string(value.type); };
  const GgufValue* value = find(key, wanted, "a string");
  if (value == nullptr) return std::nullopt;
  return GgufCursor(file_, value->offset, order_).text(value->count, key);
}

std::optional<int64_t> GgufFile::integer(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) { return is_integer(value.type); };
  const GgufValue* value = find(key, wanted, "an integer");
  if (value == nullptr) return std::nullopt;
  const uint64_t bits = read_bits(file_, *value, order_).front();
  if (value->type == GgufType::u64 && bits > static_cast<uint64_t>(INT64_MAX)) {
    fail(key, fmt::format("expected at most 2^63 - 1, found {}", bits));
  }
  return with_sign(bits, value->type);
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) { return is_floating(value.type); };
  const GgufValue* value = find(key, wanted, "a value of type f32 or f64");
  if (value == nullptr) return std::nullopt;
  return floating(read_bits(file_, *value, order_).front(), value->type);
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) { return is_boolean(value.type); };
  const GgufValue* value = find(key, wanted, "a value of type bool");
  if (value == nullptr) return std::nullopt;
  return read_bits(file_, *value, order_).front() != 0;
}

std::optional<std::vector<int64_t>> GgufFile::integers(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) {
    return holds(value, is_integer) || holds(value, is_boolean);
  };
  const GgufValue* value = find(key, wanted, "an array of integers");
  if (value == nullptr) return std::nullopt;
  std::vector<int64_t> result;
  for (const uint64_t bits : read_bits(file_, *value, order_)) {
    if (value->element == GgufType::boolean && bits > 1) {
      fail(key, fmt::format("element {}: expected a bool, 0 or 1, found {}", result.size(), bits));
    }
    if (value->element == GgufType::u64 && bits > static_cast<uint64_t>(INT64_MAX)) {
      fail(key,
           fmt::format("element {}: expected at most 2^63 - 1, found {}", result.size(), bits));
    }
    result.push_back(with_sign(bits, value->element));
  }
  return result;
}

std::optional<std::vector<double>> GgufFile::numbers(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) { return holds(value, is_floating); };
  const GgufValue* value = find(key, wanted, "an array of f32 or f64");
  if (value == nullptr) return std::nullopt;
  std::vector<double> result;
  for (const uint64_t bits : read_bits(file_, *value, order_)) {
    result.push_back(floating(bits, value->element));
  }
  return result;
}

std::optional<std::vector<std::string>> GgufFile::texts(std::string_view key) const {
  const auto wanted = [](const GgufValue& value) { return holds(value, is_string); };
  const GgufValue* value = find(key, wanted, "an array of strings");
  if (value == nullptr) return std::nullopt;
  GgufCursor cursor(file_, value->offset, order_);
  std::vector<std::string> result;
  for (uint64_t i = 0; i < value->count; ++i) {
    result.push_back(cursor.text(cursor.u64(key), key));
  }
  return result;
}

void GgufFile::fail(std::string_view key, const std::string& what) const {
  const GgufValue* value = find(key);
  const std::string place = value ? fmt::format("byte {}: ", value->offset) : "";
  throw Error(ErrorCode::malformed, fmt::format("{}: {}key \"{}\": {}{}", label(), place,
                                                escaped(key), what, value ? "" : split_hint()));
}

std::string GgufFile::split_hint() const {
  const auto number = [&](std::string_view key) -> std::optional<int64_t> {
    const GgufValue* value = find(key);
    return value && is_integer(value->type) ? integer(key) : std::nullopt;
  };
  const auto count = number("split.count");
  if (!count || *count <= 1) return "";
  return fmt::format(
      ": this is part {} of a model in {} files (*-00001-of-{:05}.gguf has the keys)",
      number("split.no").value_or(0) + 1, *count, *count);
}

Tensor GgufFile::read(std::string_view name) const {
  const std::string where = fmt::format("{}: tensor \"{}\"", label(), escaped(name));
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [other, tensor] : tensors_) names.push_back(other);
    throw Error(ErrorCode::malformed,
                fmt::format("{}: not among the {} in the file{}{}", where, names.size(),
                            did_you_mean(name, names), split_hint()));
  }
  const GgufTensor& tensor = found->second;
  const GgmlType* type = ggml_type(tensor.type);
  if (type == nullptr || !type->dtype) {
    const std::string written =
        type ? std::string(type->name) : fmt::format("{}, which ggml does not use", tensor.type);
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected a type of F32, F16, BF16, F64, I8, I16, I32 or I64, "
                            "found {}",
                            where, written));
  }
  const uint64_t end = tensor.offset + *tensor.size_in_bytes;
  if (end > file_.size_in_bytes()) {
    throw Error(
        ErrorCode::malformed,
        fmt::format("{}: bytes {} to {}, but the file has {} bytes (missing {})", where,
                    tensor.offset, end, file_.size_in_bytes(), end - file_.size_in_bytes()));
  }
  Tensor result = make_tensor(*type->dtype, tensor.shape);
  file_.read(tensor.offset, result.bytes);
  convert_byte_order(result.bytes, type->bytes, order_);
  return result;
}

}  // namespace ropewalk
