#include "cli/arguments.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/encoding/position_ids.h"
#include "ropewalk/formats/npy.h"

namespace ropewalk::cli {
namespace {

constexpr size_t kMostPositions = size_t{1} << 28;

[[noreturn]] void fail(const std::string& option, const std::string& text,
                       const std::string& expected) {
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{}: \"{}\" is not {}", option, escaped(text), expected));
}

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Run {
  int64_t first = 0;
  uint64_t count = 1;
};

Run run_of(const std::string& token, const std::string& option) {
  if (token.empty()) fail(option, token, "a position: one is missing beside a comma");
  const size_t dots = token.find("..");
  if (dots == std::string::npos) return {parse_integer(token, option)};
  const auto first = integer_of(token.substr(0, dots)), end = integer_of(token.substr(dots + 2));
  if (!first || !end) fail(option, token, "a range FIRST..END of two integers of 64 bits");
  if (*end <= *first) {
    fail(option, token, "a range with a first position below its end (the end is not included)");
  }
  return {*first, static_cast<uint64_t>(*end) - static_cast<uint64_t>(*first)};
}

// Positions are whole numbers; a file of floats says which element is not even a number.
[[noreturn]] void refuse_floats(const std::string& path, const Tensor& ids) {
  const Tensor numbers = converted(ids.view(), DType::f64);
  for (size_t i = 0; i < numbers.bytes.size() / sizeof(double); ++i) {
    double value;
    std::memcpy(&value, numbers.bytes.data() + i * sizeof(double), sizeof(double));
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::malformed,
                  fmt::format("{}: element {}: expected an integer position, found {}",
                              escaped(path), i, value));
    }
  }
  throw Error(ErrorCode::malformed,
              fmt::format("{}: positions: expected i4 or i8 integers, found {}", escaped(path),
                          name(ids.dtype)));
}

}  // namespace

int64_t parse_integer(const std::string& text, const std::string& option) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) fail(option, text, "an integer of 64 bits");
  if (error != std::errc{} || end != text.data() + text.size()) fail(option, text, "an integer");
  return value;
}

double parse_number(const std::string& text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    fail(option, text, "a finite decimal number");
  }
  return value;
}

std::vector<int64_t> parse_positions(const std::string& text, const std::string& option) {
  std::vector<Run> runs;
  uint64_t count = 0;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    runs.push_back(run_of(text.substr(begin, comma - begin), option));
    if (runs.back().count > kMostPositions - count) {
      throw Error(ErrorCode::resource_limit, fmt::format("{}: \"{}\" has more than {} positions",
                                                         option, escaped(text), kMostPositions));
    }
    count += runs.back().count;
    begin = comma + 1;
  }
  std::vector<int64_t> positions;
  positions.reserve(count);
  for (const Run& run : runs) {
    for (uint64_t i = 0; i < run.count; ++i) {
      positions.push_back(run.first + static_cast<int64_t>(i));
    }
  }
  return positions;
}

Tensor load_positions(const std::string& text) {
  if (text.ends_with(".npy")) {
    Tensor ids = read_npy(text);
    if (is_floating(ids.dtype)) refuse_floats(text, ids);
    if (ids.dtype != DType::i32 && ids.dtype != DType::i64) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{}: positions: expected i4 or i8 integers, found {}", escaped(text),
                              name(ids.dtype)));
    }
    return ids;
  }
  const std::vector<int64_t> positions = parse_positions(text);
  Tensor ids = make_tensor(DType::i64, {static_cast<int64_t>(positions.size())});
  std::memcpy(ids.bytes.data(), positions.data(), ids.bytes.size());
  return ids;
}

std::vector<int64_t> integers_of(const Tensor& tensor) {
  const int64_t count = num_elements(tensor.shape);
  const ConstTensorView row =
      make_view(static_cast<const void*>(tensor.bytes.data()), tensor.dtype, {count});
  const PositionReader reader(positions_of(row), 1, count, 1);
  std::vector<int64_t> values;
  values.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) values.push_back(reader.at(0, 0, i));
  return values;
}

std::vector<int64_t> load_position_list(const std::string& text) {
  if (!text.ends_with(".npy")) return parse_positions(text);
  const Tensor ids = load_positions(text);
  if (ids.shape.size() == 1 || (ids.shape.size() == 2 && ids.shape[0] == 1)) {
    return integers_of(ids);
  }
  throw Error(ErrorCode::malformed, fmt::format("{}: positions: expected [S] or [1, S], found {}",
                                                escaped(text), to_string(ids.shape)));
}

CLI::Option* add_text_option(CLI::App& app, const std::string& name, std::string& value,
                             const std::string& help, const std::string& type) {
  return app.add_option(name, value, help)->type_name(type);
}

CLI::Option* add_choice_option(CLI::App& app, const std::string& name, std::string& value,
                               const std::vector<std::string>& words, const std::string& help) {
  return add_text_option(app, name, value, help, fmt::format("{}", fmt::join(words, "|")));
}

}  // namespace ropewalk::cli
