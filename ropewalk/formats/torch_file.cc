#include "ropewalk/formats/torch_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/formats/byte_order.h"
#include "ropewalk/formats/foreign.h"
#include "ropewalk/formats/torch_pickle.h"
#include "ropewalk/formats/torch_zip.h"

namespace ropewalk {
namespace {

using namespace std::string_view_literals;

constexpr uint64_t kLongestPickle = uint64_t{16} << 20;
constexpr uint64_t kLargestRepeated = uint64_t{1} << 30;
// torch/serialization.py, MAGIC_NUMBER, as a pickle of protocol 2: before PyTorch 1.6.
constexpr std::string_view kOldMagic =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."sv;

[[noreturn]] void fail(const InputFile& file, ErrorCode code, const std::string& what) {
  throw Error(code, fmt::format("{}: {}", file.label(), what));
}

void check_magic(const InputFile& file) {
  std::array<std::byte, 16> storage{};
  const auto start =
      std::span(storage).first(std::min<uint64_t>(storage.size(), file.size_in_bytes()));
  file.read(0, start);
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (text.starts_with("PK\x03\x04")) return;
  if (text.starts_with(kOldMagic)) {
    fail(file, ErrorCode::unsupported,
         "byte 0: expected the zip archive that torch.save writes since PyTorch 1.6, found its "
         "older form; save it again: torch.save(torch.load(file, weights_only=True), 'new.pt')");
  }
  if (const auto foreign = foreign_format(start); !foreign.empty()) {
    fail(file, ErrorCode::unsupported,
         fmt::format("byte 0: expected a file of torch.save (.pt), found {}", foreign));
  }
  fail(file, ErrorCode::malformed,
       fmt::format("byte 0: expected a zip archive, as torch.save writes it, found '{}'",
                   escaped(text.substr(0, 4))));
}

// The folder in the archive that all records are in: "q/", of q.pt.
std::string find_folder(const InputFile& file, const ZipRecords& records) {
  constexpr std::string_view kPickle = "/data.pkl";
  std::string folder;
  for (const auto& [name, record] : records) {
    if (!name.ends_with(kPickle) || std::count(name.begin(), name.end(), '/') != 1) continue;
    if (!folder.empty()) {
      fail(file, ErrorCode::malformed, "zip archive: expected one data.pkl, found two");
    }
    folder = name.substr(0, name.size() - kPickle.size() + 1);
  }
  if (folder.empty()) {
    fail(file, ErrorCode::unsupported,
         fmt::format("zip archive: expected data.pkl, which torch.save writes, found {} others",
                     records.size()));
  }
  return folder;
}

std::string text_of(const InputFile& file, const ZipRecord& record) {
  std::string text(record.size, '\0');
  file.read(record.begin, std::as_writable_bytes(std::span(text)));
  return text;
}

void check_byte_order(const InputFile& file, const ZipRecords& records, const std::string& folder) {
  const auto found = records.find(folder + "byteorder");
  if (found == records.end()) return;  // before PyTorch 2.1
  const std::string order = found->second.size <= 16 ? text_of(file, found->second) : "more text";
  if (order != "little") {
    fail(file, ErrorCode::unsupported,
         fmt::format("{}byteorder: expected little, found {}", escaped(folder), escaped(order)));
  }
}

std::string place(const InputFile& file, std::string_view tensor) {
  return fmt::format("{}: {}", file.label(), tensor_words(tensor));
}

[[noreturn]] void fail_tensor(const InputFile& file, const PickledTensor& tensor,
                              const std::string& what, ErrorCode code = ErrorCode::malformed) {
  throw Error(code, fmt::format("{}: {}", place(file, tensor.name), what));
}

const ZipRecord& storage_of(const InputFile& file, const ZipRecords& records,
                            const std::string& folder, const PickledTensor& tensor) {
  const auto found = records.find(folder + "data/" + tensor.storage);
  if (found == records.end()) {
    fail_tensor(
        file, tensor,
        fmt::format("expected its storage data/{}, found no such record", escaped(tensor.storage)));
  }
  if (found->second.size != static_cast<uint64_t>(tensor.storage_bytes)) {
    fail_tensor(file, tensor,
                fmt::format("expected {} bytes of storage data/{}, found {}", tensor.storage_bytes,
                            escaped(tensor.storage), found->second.size));
  }
  return found->second;
}

// One past the last element that the strides touch; 0 for a tensor without elements.
int64_t extent(const InputFile& file, const PickledTensor& tensor) {
  bool empty = false;
  for (const int64_t dim : tensor.shape) {
    if (dim < 0) {
      fail_tensor(file, tensor, fmt::format("expected sizes that are not negative, found {}", dim));
    }
    empty = empty || dim == 0;
  }
  if (tensor.strides.size() != tensor.shape.size()) {
    fail_tensor(file, tensor,
                fmt::format("expected a stride for each of {} dimensions, found {}",
                            tensor.shape.size(), tensor.strides.size()));
  }
  if (tensor.offset < 0) {
    fail_tensor(file, tensor,
                fmt::format("expected an offset that is not negative, found {}", tensor.offset));
  }
  std::optional<int64_t> last = tensor.offset;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.strides[i] < 0) {
      fail_tensor(
          file, tensor,
          fmt::format("expected strides that are not negative, found {}", tensor.strides[i]));
    }
    const auto span = checked_mul(std::max<int64_t>(tensor.shape[i] - 1, 0), tensor.strides[i]);
    if (last) last = span ? checked_add(*last, *span) : std::nullopt;
  }
  if (empty) return 0;
  if (!last || *last >= tensor.storage_bytes / tensor.type->bytes) {
    fail_tensor(file, tensor,
                fmt::format("shape [{}] with strides [{}] from element {}: expected elements of a "
                            "storage of {} bytes, found some beyond",
                            fmt::join(tensor.shape, ", "), fmt::join(tensor.strides, ", "),
                            tensor.offset, tensor.storage_bytes));
  }
  return *last + 1;
}

// A small storage can stand for a huge tensor where strides are 0.
void check_repeated(const InputFile& file, const PickledTensor& tensor, uint64_t touched) {
  std::optional<uint64_t> bytes = tensor.type->bytes;
  for (const int64_t dim : tensor.shape) {
    if (dim == 0) return;
  }
  for (const int64_t dim : tensor.shape) {
    if (bytes) bytes = checked_mul(*bytes, static_cast<uint64_t>(dim));
  }
  if (!bytes || (*bytes > touched && *bytes > kLargestRepeated)) {
    fail_tensor(file, tensor,
                fmt::format("shape [{}] repeats {} bytes: expected at most {}, found more",
                            fmt::join(tensor.shape, ", "), touched, kLargestRepeated),
                ErrorCode::resource_limit);
  }
}

Dims dims_of(const std::vector<int64_t>& numbers) {
  Dims dims;
  for (const int64_t number : numbers) dims.push_back(number);
  return dims;
}

// Complex numbers as real ones, [..., 2].
void take_as_pairs(PickledTensor& tensor) {
  const TorchType* parts = torch_type_of_parts(*tensor.type);
  if (parts == nullptr) return;
  tensor.type = parts;
  // What overflows belongs to no element: that was checked.
  const auto twice = [](int64_t number) { return checked_mul(number, int64_t{2}).value_or(0); };
  tensor.offset = twice(tensor.offset);
  for (int64_t& stride : tensor.strides) stride = twice(stride);
  tensor.shape.push_back(2);
  tensor.strides.push_back(1);
}

}  // namespace

TorchFile::TorchFile(const std::filesystem::path& path, const TorchOptions& options) : file_(path) {
  check_magic(file_);
  const ZipRecords records = read_zip_records(file_);
  const std::string folder = find_folder(file_, records);
  check_byte_order(file_, records, folder);
  const ZipRecord& pickle = records.find(folder + "data.pkl")->second;
  if (pickle.size > kLongestPickle) {
    fail(file_, ErrorCode::resource_limit,
         fmt::format("data.pkl: expected at most {} bytes, found {}", kLongestPickle, pickle.size));
  }
  const std::string text = text_of(file_, pickle);
  for (PickledTensor& tensor : parse_torch_pickle(text, pickle.begin, file_.label())) {
    const ZipRecord& storage = storage_of(file_, records, folder, tensor);
    extent(file_, tensor);  // within its storage, before its numbers are counted otherwise
    if (options.complex_as_pairs) take_as_pairs(tensor);
    const auto end = static_cast<uint64_t>(extent(file_, tensor));
    if (contains(tensor.name) || unsupported_.contains(tensor.name)) {
      fail_tensor(file_, tensor, "expected one tensor of this name, found two",
                  ErrorCode::unsupported);
    }
    if (!tensor.type->dtype || tensor.shape.size() > kMaxRank) {
      unsupported_.emplace(std::move(tensor.name),
                           tensor.type->dtype ? fmt::format("{} dimensions", tensor.shape.size())
                                              : std::string(tensor.type->name));
      continue;
    }
    const auto bytes = static_cast<uint64_t>(tensor.type->bytes);
    const uint64_t first = end == 0 ? 0 : static_cast<uint64_t>(tensor.offset);
    check_repeated(file_, tensor, (end - first) * bytes);
    entries_.emplace(std::move(tensor.name),
                     TorchEntry{*tensor.type->dtype, dims_of(tensor.shape), dims_of(tensor.strides),
                                storage.begin + first * bytes, storage.begin + end * bytes});
  }
}

Tensor TorchFile::read(std::string_view name) const {
  if (const auto found = entries_.find(name); found != entries_.end()) {
    const TorchEntry& entry = found->second;
    const bool empty = entry.begin == entry.end;
    std::vector<std::byte> touched(entry.end - entry.begin);
    file_.read(entry.begin, touched);
    convert_byte_order(touched, ropewalk::size_in_bytes(entry.dtype), std::endian::little);
    const ConstTensorView view{touched.data(), entry.dtype, entry.shape, entry.strides};
    if (empty) return make_tensor(entry.dtype, entry.shape);
    if (is_contiguous(view)) return {entry.dtype, entry.shape, std::move(touched)};
    return contiguous_copy(view);
  }
  if (const auto found = unsupported_.find(name); found != unsupported_.end()) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: expected at most {} dimensions of {}, found {}",
                            place(file_, name), kMaxRank, supported_torch_types(), found->second));
  }
  std::vector<std::string_view> names;
  for (const auto& [other, entry] : entries_) names.push_back(other);
  const std::string known =
      names.size() <= 8 ? escaped(fmt::format("{}", fmt::join(names, ", ")), 400)
                        : fmt::format("{} others{}", names.size(), did_you_mean(name, names));
  throw Error(ErrorCode::malformed,
              fmt::format("{}: not in the file, which holds {}", place(file_, name),
                          contains("") ? "one tensor without a name" : known));
}

}  // namespace ropewalk
