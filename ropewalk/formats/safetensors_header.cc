#include "ropewalk/formats/safetensors_header.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/json_events.h"

namespace ropewalk {
namespace {

constexpr std::string_view kMetadata = "__metadata__";
// Enough to say what is strange about a file.
constexpr size_t kMostWarnings = 16;

class HeaderReader : public JsonEvents {
 public:
  HeaderReader(uint64_t offset, const std::string& label) : offset_(offset), label_(label) {}

  SafetensorsHeader take() {
    sort_by_name();
    return std::move(header_);
  }

  void warn(size_t offset, const std::string& what) {
    if (header_.warnings.size() < kMostWarnings) header_.warnings.push_back(message(offset, what));
  }

  void start_object(size_t offset) override {
    switch (place_) {
      case Place::top:
        place_ = Place::tensors;
        return;
      case Place::tensors:
        start_entry();
        return;
      case Place::unknown:
        ++unknown_depth_;
        return;
      default:
        refuse(offset, "an object");
    }
  }

  void end_object() override {
    switch (place_) {
      case Place::tensor:
        end_tensor();
        break;
      case Place::metadata:
        place_ = Place::tensors;
        break;
      case Place::unknown:
        end_unknown();
        break;
      default:
        break;
    }
  }

  void start_array(size_t offset) override {
    if (place_ == Place::unknown) {
      ++unknown_depth_;
    } else if (place_ == Place::tensor && field_ != Field::dtype) {
      place_ = Place::numbers;
    } else {
      refuse(offset, "an array");
    }
  }

  void end_array() override {
    if (place_ == Place::unknown) return end_unknown();
    place_ = Place::tensor;
    if (field_ != Field::data_offsets) return;
    if (numbers_.size() != 2) {
      fail(field_offset_,
           fmt::format("{}: expected 2 numbers, found {}", where(), numbers_.size()));
    }
    tensor().begin = numbers_[0];
    tensor().end = numbers_[1];
    numbers_.clear();
  }

  void key(std::string&& name, size_t offset) override {
    switch (place_) {
      case Place::tensors:
        entry_name_ = std::move(name);
        entry_offset_ = offset;
        return;
      case Place::tensor:
        start_field(name, offset);
        return;
      case Place::metadata:
        metadata_key_ = std::move(name);
        if (header_.metadata.find(metadata_key_) != header_.metadata.end()) {
          fail(offset, fmt::format("__metadata__: duplicate key \"{}\"", escaped(metadata_key_)));
        }
        return;
      default:
        return;
    }
  }

  void scalar(nlohmann::ordered_json&& value, std::string_view written, size_t offset) override {
    if (place_ == Place::unknown) {
      if (unknown_depth_ == 0) place_ = Place::tensor;
    } else if (place_ == Place::metadata && value.is_string()) {
      header_.metadata.emplace(std::move(metadata_key_), std::move(value.get_ref<std::string&>()));
    } else if (place_ == Place::tensor && field_ == Field::dtype && value.is_string()) {
      tensor().dtype = std::move(value.get_ref<std::string&>());
    } else if (place_ == Place::numbers && value.is_number_unsigned()) {
      add_number(value.get<uint64_t>(), written, offset);
    } else {
      refuse(offset, escaped(written, 40));
    }
  }

  [[noreturn]] void fail(size_t offset, const std::string& what) override {
    throw Error(ErrorCode::malformed, message(offset, what));
  }

 private:
  enum class Place { top, tensors, tensor, numbers, metadata, unknown };
  enum class Field { dtype, shape, data_offsets };

  static std::string_view name_of(Field field) {
    constexpr std::string_view kNames[] = {"dtype", "shape", "data_offsets"};
    return kNames[static_cast<size_t>(field)];
  }

  std::string message(size_t offset, const std::string& what) const {
    return fmt::format("{}: byte {}: {}", label_, offset_ + offset, what);
  }

  SafetensorsHeaderEntry& tensor() { return header_.tensors.back(); }

  std::string where() {
    return fmt::format("tensor \"{}\": {}", escaped(tensor().name), name_of(field_));
  }

  void start_entry() {
    if (entry_name_ == kMetadata) {
      if (seen_metadata_) fail(entry_offset_, "duplicate key \"__metadata__\"");
      seen_metadata_ = true;
      place_ = Place::metadata;
      return;
    }
    header_.tensors.emplace_back();
    tensor().name = std::move(entry_name_);
    tensor().offset = offset_ + entry_offset_;
    std::fill(std::begin(seen_), std::end(seen_), false);
    place_ = Place::tensor;
  }

  void start_field(const std::string& name, size_t offset) {
    for (const Field field : {Field::dtype, Field::shape, Field::data_offsets}) {
      if (name != name_of(field)) continue;
      field_ = field;
      field_offset_ = offset;
      bool& seen = seen_[static_cast<size_t>(field)];
      if (seen) fail(offset, where() + ": duplicate field");
      seen = true;
      return;
    }
    warn(offset,
         fmt::format("tensor \"{}\": unknown field \"{}\"", escaped(tensor().name), escaped(name)));
    place_ = Place::unknown;
    unknown_depth_ = 0;
  }

  void end_tensor() {
    for (const Field field : {Field::dtype, Field::shape, Field::data_offsets}) {
      if (seen_[static_cast<size_t>(field)]) continue;
      throw Error(ErrorCode::malformed,
                  fmt::format("{}: byte {}: tensor \"{}\": expected the field \"{}\", found none",
                              label_, tensor().offset, escaped(tensor().name), name_of(field)));
    }
    place_ = Place::tensors;
  }

  void end_unknown() {
    if (--unknown_depth_ == 0) place_ = Place::tensor;
  }

  void add_number(uint64_t value, std::string_view written, size_t offset) {
    if (field_ == Field::data_offsets) {
      numbers_.push_back(value);
      return;
    }
    if (value > static_cast<uint64_t>(INT64_MAX)) {
      fail(offset, fmt::format("{}: dimension too large: {}", where(), escaped(written, 40)));
    }
    tensor().shape.push_back(value);
  }

  // Something stands where something else must.
  [[noreturn]] void refuse(size_t offset, const std::string& found) {
    switch (place_) {
      case Place::metadata:
        fail(offset,
             fmt::format("__metadata__: \"{}\": expected a string, found {} (no tensor can have "
                         "this name)",
                         escaped(metadata_key_), found));
      case Place::tensors:
        fail(offset, fmt::format("tensor \"{}\": expected an object, found {}",
                                 escaped(entry_name_), found));
      case Place::tensor:
        fail(offset, fmt::format("{}: expected {}, found {}", where(),
                                 field_ == Field::dtype ? "a string" : "an array", found));
      case Place::numbers:
        fail(offset,
             fmt::format("{}: expected integers that are not negative, found {}", where(), found));
      default:
        fail(offset, fmt::format("expected an object, found {}", found));
    }
  }

  void sort_by_name() {
    const auto& tensors = header_.tensors;
    header_.by_name.resize(tensors.size());
    std::iota(header_.by_name.begin(), header_.by_name.end(), size_t{0});
    const auto compare = [&](size_t a, size_t b) {
      return tensors[a].name.compare(tensors[b].name);
    };
    // A merge sort: names come in runs.
    std::stable_sort(header_.by_name.begin(), header_.by_name.end(),
                     [&](size_t a, size_t b) { return compare(a, b) < 0; });
    const auto twin = std::adjacent_find(header_.by_name.begin(), header_.by_name.end(),
                                         [&](size_t a, size_t b) { return compare(a, b) == 0; });
    if (twin == header_.by_name.end()) return;
    throw Error(ErrorCode::malformed,
                fmt::format("{}: duplicate tensor \"{}\" (first at byte {}, again at byte {})",
                            label_, escaped(tensors[*twin].name), tensors[*twin].offset,
                            tensors[*std::next(twin)].offset));
  }

  const uint64_t offset_;
  const std::string& label_;
  SafetensorsHeader header_;

  Place place_ = Place::top;
  std::string entry_name_, metadata_key_;
  size_t entry_offset_ = 0, field_offset_ = 0;
  bool seen_metadata_ = false;
  Field field_ = Field::dtype;
  bool seen_[3] = {};
  std::vector<uint64_t> numbers_;
  int unknown_depth_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t offset,
                                           const std::string& label) {
  HeaderReader reader(offset, label);
  const size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (start == text.size()) reader.fail(0, "expected an object, found an empty header");
  if (text[start] != '{') {
    reader.fail(start,
                fmt::format("expected an object, found '{}'", escaped(text.substr(start), 20)));
  }
  if (start > 0) reader.warn(0, "white space before the header's '{'");
  read_json_events(text, {}, reader);
  return reader.take();
}

}  // namespace ropewalk
