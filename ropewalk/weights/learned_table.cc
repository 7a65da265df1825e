#include "ropewalk/weights/learned_table.h"

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/checkpoint.h"
#include "ropewalk/weights/layer_reader.h"

namespace ropewalk {
namespace {

std::string name_of(const Checkpoint& file, const LearnedConfig& config) {
  const std::vector<std::string> prefixes = prefixes_of(file.tensors(), config.tensor);
  if (prefixes.size() == 1) return prefixes.front() + config.tensor;
  const std::string found = prefixes.empty()
                                ? fmt::format("none among {} tensors", file.tensors().size())
                                : fmt::format("one behind each of {}", fmt::join(prefixes, ", "));
  throw Error(ErrorCode::malformed,
              fmt::format("{}: expected one tensor \"...{}\", the learned table, found {}",
                          file.label(), escaped(config.tensor), escaped(found)));
}

// The tables of the axes of a place, and a grid that is stretched, are added in another way.
void check_one_row_each(const LearnedConfig& config) {
  if (config.tables == 1 && config.resampling == Resampling::none) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the learned table \"{}\": expected a row for each position, found {}, which is "
                  "not supported",
                  escaped(config.tensor),
                  config.tables > 1
                      ? fmt::format("{} tables, one for each axis of a place", config.tables)
                      : fmt::format("a grid that is resampled to the picture's ({})",
                                    name(config.resampling))));
}

}  // namespace

Tensor read_learned_table(const std::filesystem::path& path, const LearnedConfig& config) {
  check_one_row_each(config);
  const Checkpoint file(path);
  const std::string name = name_of(file, config);
  Tensor table = converted(file.read(name).view(), DType::f32);
  if (table.shape.size() == 3 && table.shape[0] == 1) {
    table.shape = {table.shape[1], table.shape[2]};
  }
  const bool fits = table.shape.size() == 2 && table.shape[1] == config.d_model &&
                    (config.rows == 0 || table.shape[0] == config.rows);
  if (fits) return table;
  throw Error(
      ErrorCode::malformed,
      fmt::format("{}: tensor \"{}\": expected {} rows of {} numbers, found shape {}", file.label(),
                  escaped(name), config.rows == 0 ? "some" : fmt::to_string(config.rows),
                  config.d_model, to_string(table.shape)));
}

Tensor learned_rows(const LearnedConfig& config, const ConstTensorView& table,
                    std::span<const int64_t> positions) {
  check_one_row_each(config);
  const int64_t width = table.shape[1], last = table.shape[0] - 1 - config.offset;
  Tensor rows = make_tensor(DType::f32, {static_cast<int64_t>(positions.size()), width});
  const size_t bytes = static_cast<size_t>(width) * sizeof(float);
  const auto* numbers = static_cast<const char*>(table.data);
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0 || positions[i] > last) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("position: expected 0..{}, as the learned table has {} rows from {} "
                              "on, found {}",
                              last, table.shape[0], config.offset, positions[i]));
    }
    const auto row = static_cast<size_t>(positions[i] + config.offset);
    std::memcpy(rows.bytes.data() + i * bytes, numbers + row * bytes, bytes);
  }
  return rows;
}

}  // namespace ropewalk
