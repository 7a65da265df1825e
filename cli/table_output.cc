#include "cli/table_output.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/output.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/formats/safetensors.h"

namespace ropewalk::cli {
namespace {

using nlohmann::ordered_json;

// The numbers of a tensor for print: f64 as it is, others are float32 or shorter.
struct Numbers {
  Numbers(const Tensor& tensor, const TokenTable& table)
      : wide(tensor.dtype == DType::f64),
        complex(table.complex),
        copy(converted(tensor.view(), wide ? DType::f64 : DType::f32)) {
    const size_t rows = table.positions.size();
    const auto count = static_cast<size_t>(num_elements(tensor.shape)) / (complex ? 2 : 1);
    columns = rows == 0 ? 0 : count / rows;
  }

  double at(size_t i) const {
    return wide ? reinterpret_cast<const double*>(copy.bytes.data())[i]
                : static_cast<double>(reinterpret_cast<const float*>(copy.bytes.data())[i]);
  }
  // As few digits as give the number back.
  std::string text(size_t i) const {
    return wide ? fmt::format("{}", at(i)) : fmt::format("{}", static_cast<float>(at(i)));
  }
  ordered_json json(size_t i) const {
    const auto number = [&](size_t k) {
      return wide ? ordered_json(at(k)) : json_number(static_cast<float>(at(k)));
    };
    return complex ? ordered_json::array({number(2 * i), number(2 * i + 1)}) : number(i);
  }
  std::string shown(size_t i) const {
    if (complex) return fmt::format("{:.6f}{:+.6f}i", at(2 * i), at(2 * i + 1));
    return columns == 1 ? fmt::format("{:.9g}", at(i)) : fmt::format("{:.6f}", at(i));
  }

  bool wide, complex;
  Tensor copy;
  size_t columns = 0;
};

std::vector<Numbers> numbers_of(const TokenTable& table) {
  std::vector<Numbers> numbers;
  for (const Tensor& tensor : table.tensors) numbers.emplace_back(tensor, table);
  return numbers;
}

// "cos_0", ..., or "inv_freq" where it is a single one.
std::string column_name(const std::string& name, const Numbers& numbers, size_t column) {
  return numbers.columns == 1 ? name : fmt::format("{}_{}", name, column);
}

std::string fact_text(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Tensors of one shape as one, [count, ...].
Tensor stacked(const std::vector<Tensor>& tensors) {
  Dims shape = {static_cast<int64_t>(tensors.size())};
  for (const int64_t size : tensors.front().shape) shape.push_back(size);
  Tensor all = make_tensor(tensors.front().dtype, shape);
  auto* to = all.bytes.data();
  for (const Tensor& tensor : tensors) {
    to = std::copy(tensor.bytes.begin(), tensor.bytes.end(), to);
  }
  return all;
}

std::string csv_of(const TokenTable& table) {
  const std::vector<Numbers> numbers = numbers_of(table);
  std::string out = fmt::format("{}", fmt::join(table.position_names, ","));
  for (size_t t = 0; t < numbers.size(); ++t) {
    for (size_t c = 0; c < numbers[t].columns; ++c) {
      out += "," + column_name(table.names[t], numbers[t], c);
    }
  }
  out += "\n";
  for (size_t row = 0; row < table.positions.size(); ++row) {
    out += fmt::format("{}", fmt::join(table.positions[row], ","));
    for (const Numbers& each : numbers) {
      for (size_t c = 0; c < each.columns; ++c) out += "," + each.text(row * each.columns + c);
    }
    out += "\n";
  }
  return out;
}

constexpr size_t kLeftOut = SIZE_MAX;

// The columns that are printed: all, or four from each end with a gap between.
std::vector<size_t> columns_shown(size_t columns) {
  constexpr size_t kEnd = 4;
  std::vector<size_t> shown;
  for (size_t c = 0; c < columns; ++c) {
    const bool end = c < kEnd || c + kEnd >= columns;
    if (end || columns <= 2 * kEnd + 1) shown.push_back(c);
    if (!end && c == kEnd && columns > 2 * kEnd + 1) shown.push_back(kLeftOut);
  }
  return shown;
}

}  // namespace

void check_table_file(const std::string& path, DType dtype, bool complex) {
  const bool npy = path.ends_with(".npy"), csv = path.ends_with(".csv");
  if (!npy && !csv && !path.ends_with(".safetensors")) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("-o: expected FILE.npy, FILE.safetensors or FILE.csv, found \"{}\"",
                            escaped(path)));
  }
  if (npy && dtype == DType::bf16) {
    throw Error(ErrorCode::unsupported,
                "--dtype: expected f32 or f16, found bf16, which NumPy's files have not; -o "
                "FILE.safetensors takes it");
  }
  if (csv && complex) {
    throw Error(ErrorCode::unsupported,
                "--form: expected half, doubled or interleaved for a .csv, found complex");
  }
}

void write_token_table(const TokenTable& table, const std::string& path, Overwrite mode) {
  if (path.ends_with(".csv")) {
    const std::string text = csv_of(table);
    const auto part = std::as_bytes(std::span(text));
    return write_file_atomically(path, {&part, 1}, mode);
  }
  if (path.ends_with(".safetensors")) {
    std::vector<std::pair<std::string, ConstTensorView>> tensors;
    for (size_t i = 0; i < table.names.size(); ++i) {
      tensors.emplace_back(table.names[i], table.tensors[i].view());
    }
    std::map<std::string, std::string> metadata;
    for (const auto& [name, value] : table.facts) {
      if (!value.is_null()) metadata[name] = fact_text(value);
    }
    return write_safetensors(path, tensors, metadata, mode);
  }
  if (table.complex) return write_npy_complex(path, table.tensors.front().view(), mode);
  if (table.tensors.size() == 1) return write_npy(path, table.tensors.front().view(), mode);
  const Tensor both = stacked(table.tensors);
  write_npy(path, both.view(), mode);
}

void print_token_table(const TokenTable& table) {
  constexpr size_t kMostRows = 32;
  for (const auto& [name, value] : table.facts) {
    if (!value.is_null()) fmt::print("{}: {}\n", name, escaped(fact_text(value)));
  }
  const std::vector<Numbers> numbers = numbers_of(table);
  const bool several = numbers.size() > 1;
  const std::vector<size_t> columns = columns_shown(numbers.front().columns);
  std::vector<std::vector<std::string>> rows = {table.position_names};
  if (several) rows[0].emplace_back("");
  for (const size_t c : columns) {
    rows[0].push_back(c == kLeftOut                  ? "..."
                      : numbers.front().columns == 1 ? table.names.front()
                                                     : fmt::format("[{}]", c));
  }
  const size_t count = std::min(table.positions.size(), kMostRows);
  for (size_t row = 0; row < count; ++row) {
    for (size_t t = 0; t < numbers.size(); ++t) {
      rows.emplace_back();
      for (const int64_t position : table.positions[row]) {
        rows.back().push_back(t == 0 ? fmt::to_string(position) : "");
      }
      if (several) rows.back().push_back(table.names[t]);
      for (const size_t c : columns) {
        rows.back().push_back(c == kLeftOut ? "..."
                                            : numbers[t].shown(row * numbers[t].columns + c));
      }
    }
  }
  std::vector<bool> right(rows[0].size(), true);
  if (several) right[table.position_names.size()] = false;
  fmt::print("\n{}", ropewalk::table(rows, right));
  if (count < table.positions.size()) {
    fmt::print("... and {} more; -o writes them all\n", table.positions.size() - count);
  }
}

ordered_json token_table_json(const TokenTable& table) {
  ordered_json json;
  for (const auto& [name, value] : table.facts) json[name] = value;
  const std::vector<Numbers> numbers = numbers_of(table);
  json["rows"] = ordered_json::array();
  for (size_t row = 0; row < table.positions.size(); ++row) {
    ordered_json item;
    for (size_t i = 0; i < table.position_names.size(); ++i) {
      item[table.position_names[i]] = table.positions[row][i];
    }
    for (size_t t = 0; t < numbers.size(); ++t) {
      ordered_json values = ordered_json::array();
      const size_t columns = numbers[t].columns;
      for (size_t c = 0; c < columns; ++c) values.push_back(numbers[t].json(row * columns + c));
      item[table.names[t]] = columns == 1 ? values.front() : values;
    }
    json["rows"].push_back(std::move(item));
  }
  return json;
}

}  // namespace ropewalk::cli
