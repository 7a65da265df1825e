#include "ropewalk/formats/npy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/byte_order.h"
#include "ropewalk/formats/file_errors.h"
#include "ropewalk/formats/foreign.h"
#include "ropewalk/formats/npy_header.h"

namespace ropewalk {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kLongestHeader = 65536;

struct TypeName {
  std::string_view name;  // of NumPy, without the byte order
  DType dtype;
};

constexpr TypeName kTypeNames[] = {
    {"b1", DType::boolean}, {"u1", DType::u8},  {"i1", DType::i8},  {"u2", DType::u16},
    {"i2", DType::i16},     {"u4", DType::u32}, {"i4", DType::i32}, {"u8", DType::u64},
    {"i8", DType::i64},     {"f2", DType::f16}, {"f4", DType::f32}, {"f8", DType::f64},
};

struct ElementType {
  DType dtype;
  std::endian order = std::endian::little;
};

[[noreturn]] void fail(const InputFile& file, ErrorCode code, uint64_t offset,
                       const std::string& what) {
  throw Error(code, fmt::format("{}: byte {}: {}", file.label(), offset, what));
}

// The text of the header and where it and the data begin.
struct Frame {
  std::string header;
  uint64_t header_begin = 0, data_begin = 0;
};

Frame read_frame(const InputFile& file) {
  std::array<std::byte, 12> storage{};
  const auto start = std::span(storage).first(std::min<uint64_t>(12, file.size_in_bytes()));
  file.read(0, start);
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (!text.starts_with(kMagic)) {
    if (const auto foreign = foreign_format(start); !foreign.empty()) {
      fail(file, ErrorCode::unsupported, 0,
           fmt::format("expected a NumPy array file (.npy), found {}", foreign));
    }
    fail(
        file, ErrorCode::malformed, 0,
        fmt::format("expected the magic bytes \\x93NUMPY, found '{}'", escaped(text.substr(0, 6))));
  }
  if (start.size() < 8) fail(file, ErrorCode::malformed, 6, "the file ends before the version");
  const int major = std::to_integer<int>(start[6]), minor = std::to_integer<int>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(file, ErrorCode::unsupported, 6,
         fmt::format("expected version 1.0, 2.0 or 3.0, found {}.{}", major, minor));
  }
  const size_t length_size = major == 1 ? 2 : 4;
  if (start.size() < 8 + length_size) {
    fail(file, ErrorCode::malformed, 8, "the file ends before the length of the header");
  }
  Frame frame;
  const uint64_t length = little_endian(start.subspan(8, length_size));
  frame.header_begin = 8 + length_size;
  frame.data_begin = frame.header_begin + length;
  if (frame.data_begin > file.size_in_bytes()) {
    fail(
        file, ErrorCode::malformed, 8,
        fmt::format("header of {} bytes, but the file has {} bytes", length, file.size_in_bytes()));
  }
  if (length > kLongestHeader) {
    fail(file, ErrorCode::resource_limit, 8,
         fmt::format("header of {} bytes, larger than the limit of {}", length, kLongestHeader));
  }
  frame.header.resize(length);
  file.read(frame.header_begin, std::as_writable_bytes(std::span(frame.header)));
  return frame;
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const TypeName& row : kTypeNames) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

// "<c8": the header of its parts, "<f4" with a last dimension of 2.
NpyHeader parts_of(NpyHeader header, const std::string& label) {
  const std::string_view type =
      std::string_view(header.descr).substr(std::min<size_t>(1, header.descr.size()));
  if (type != "c8" && type != "c16") return header;
  if (header.fortran_order && header.shape.size() > 1) {
    throw Error(ErrorCode::unsupported,
                label + ": NumPy header: expected complex numbers in C order, found Fortran order");
  }
  header.descr = header.descr.substr(0, 1) + (type == "c8" ? "f4" : "f8");
  header.fortran_order = false;
  header.shape.push_back(2);
  return header;
}

ElementType element_type(const std::string& descr, const std::string& label, bool bf16_as_v2) {
  const auto refuse = [&](std::string_view expected, std::string_view more = "") {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: NumPy header: 'descr': expected {}, found '{}'{}", label, expected,
                            escaped(descr), more));
  };
  if (descr == "|V2" || descr == "<V2") {
    if (bf16_as_v2) return {DType::bf16};
    refuse(
        "a type",
        ", two bytes without one, as ml_dtypes saves bfloat16; --bf16 (bf16_as_v2) reads them so");
  }
  if (descr.find('O') != std::string::npos) {
    refuse("numbers", "; an array of Python objects is a pickle, refused");
  }
  const char order = descr.empty() ? '\0' : descr[0];
  const auto dtype = dtype_named(std::string_view(descr).substr(descr.empty() ? 0 : 1));
  const bool has_order = order == '<' || order == '>';
  if (!dtype || !(has_order || (order == '|' && size_in_bytes(*dtype) == 1))) {
    refuse("'<' or '>' and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8");
  }
  return {*dtype, order == '>' ? std::endian::big : std::endian::little};
}

// The shape as Dims, after its size in bytes is known to fit what the file holds.
Dims checked_shape(const InputFile& file, const Frame& frame, const NpyHeader& header, DType dtype,
                   bool allow_trailing) {
  const bool empty = std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  std::optional<uint64_t> bytes = empty ? 0 : size_in_bytes(dtype);
  for (const uint64_t dim : header.shape) {
    if (bytes) bytes = checked_mul(*bytes, dim);
  }
  const std::string shape =
      fmt::format("shape ({}) of {}", fmt::join(header.shape, ", "), name(dtype));
  const uint64_t held = file.size_in_bytes() - frame.data_begin;
  if (!bytes) {
    fail(file, ErrorCode::malformed, frame.header_begin, shape + ": the size overflows 64 bits");
  }
  if (*bytes > held) {
    fail(file, ErrorCode::malformed, frame.data_begin,
         fmt::format("{}: expected {} bytes, found {} (missing {})", shape, *bytes, held,
                     *bytes - held));
  }
  if (*bytes < held && !allow_trailing) {
    fail(file, ErrorCode::malformed, frame.data_begin + *bytes,
         fmt::format("{}: expected {} bytes, found {}", shape, *bytes, held));
  }
  if (header.shape.size() > kMaxRank) {
    fail(file, ErrorCode::unsupported, frame.header_begin,
         fmt::format("expected at most {} dimensions, found {}", kMaxRank, header.shape.size()));
  }
  Dims dims;
  for (const uint64_t dim : header.shape) dims.push_back(static_cast<int64_t>(dim));
  return dims;
}

Dims reversed(const Dims& dims) {
  Dims result;
  for (int i = dims.size() - 1; i >= 0; --i) result.push_back(dims[i]);
  return result;
}

std::string descr_of(DType dtype, const std::string& label) {
  if (dtype == DType::bf16) return "|V2";
  for (const TypeName& row : kTypeNames) {
    if (row.dtype == dtype) {
      return fmt::format("{}{}", size_in_bytes(dtype) == 1 ? '|' : '<', row.name);
    }
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: NumPy has no type for {}", label, name(dtype)));
}

// Byte for byte what numpy.save writes (it leaves room for the first dimension to grow in place).
std::string header_text(const std::string& descr, const Dims& shape) {
  std::string dims = fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", "));
  if (shape.size() == 1) dims += ',';
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
  if (!shape.empty()) dictionary.append(21 - fmt::formatted_size("{}", shape[0]), ' ');
  constexpr size_t kPrefix = 10, kAlignment = 64;
  dictionary.append(kAlignment - (kPrefix + dictionary.size() + 1) % kAlignment, ' ');
  dictionary += '\n';
  std::string text(kMagic);
  text += {'\x01', '\x00', static_cast<char>(dictionary.size() & 0xFF),
           static_cast<char>(dictionary.size() >> 8)};
  return text + dictionary;
}

// The header as it is, then the numbers of the tensor.
void write_array(const std::filesystem::path& path, const std::string& header,
                 const ConstTensorView& tensor, Overwrite overwrite) {
  Tensor copy;
  std::span<const std::byte> data;
  const size_t size = size_in_bytes(tensor.dtype);
  if (is_contiguous(tensor) && std::endian::native == std::endian::little) {
    data = {static_cast<const std::byte*>(tensor.data),
            static_cast<size_t>(num_elements(tensor.shape)) * size};
  } else {
    copy = contiguous_copy(tensor);
    convert_byte_order(copy.bytes, size, std::endian::little);
    data = copy.bytes;
  }
  const std::span<const std::byte> parts[] = {std::as_bytes(std::span(header)), data};
  write_file_atomically(path, parts, overwrite);
}

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path, const NpyOptions& options) : file_(path) {
  const Frame frame = read_frame(file_);
  NpyHeader header = parse_npy_header(frame.header, frame.header_begin, file_.label());
  if (options.complex_as_pairs) header = parts_of(std::move(header), file_.label());
  const ElementType type = element_type(header.descr, file_.label(), options.bf16_as_v2);
  dtype_ = type.dtype;
  swapped_ = type.order != std::endian::native;
  shape_ = checked_shape(file_, frame, header, type.dtype, options.allow_trailing);
  row_major_ = !header.fortran_order;
  data_begin_ = frame.data_begin;
}

void NpyFile::read_part(int64_t first, std::span<std::byte> out) const {
  const size_t size = size_in_bytes(dtype_);
  file_.read(data_begin_ + static_cast<uint64_t>(first) * size, out);
  if (swapped_) swap_byte_order(out, size);
}

Tensor read_npy(const std::filesystem::path& path, const NpyOptions& options) {
  const NpyFile file(path, options);
  const Dims& shape = file.shape();
  Tensor tensor = make_tensor(file.dtype(), file.row_major() ? shape : reversed(shape));
  file.read_part(0, tensor.bytes);
  if (file.row_major()) return tensor;
  Dims order;
  for (int i = shape.size() - 1; i >= 0; --i) order.push_back(i);
  return contiguous_copy(permuted(std::as_const(tensor).view(), order));
}

void write_npy(const std::filesystem::path& path, const ConstTensorView& tensor,
               Overwrite overwrite) {
  check_view(tensor, "tensor");
  const std::string header = header_text(descr_of(tensor.dtype, file_label(path)), tensor.shape);
  write_array(path, header, tensor, overwrite);
}

void write_npy_complex(const std::filesystem::path& path, const ConstTensorView& parts,
                       Overwrite overwrite) {
  check_view(parts, "tensor");
  if (parts.dtype != DType::f32) {
    throw Error(ErrorCode::unsupported, fmt::format("{}: expected parts of complex numbers in f32, "
                                                    "found {}",
                                                    file_label(path), name(parts.dtype)));
  }
  const Dims& shape = parts.shape;
  if (shape.empty() || shape.back() != 2) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected real and imaginary parts [..., 2], found {}",
                            file_label(path), to_string(shape)));
  }
  Dims numbers;
  for (int i = 0; i + 1 < shape.size(); ++i) numbers.push_back(shape[i]);
  write_array(path, header_text("<c8", numbers), parts, overwrite);
}

}  // namespace ropewalk
