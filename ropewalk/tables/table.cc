#include "ropewalk/tables/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/rows/rows.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(ErrorCode code, const std::string& why) {
  throw Error(code, "table: " + why);
}

// The numbers of cos, and of sin.
size_t checked_size(const Spectrum& spectrum, int64_t first, int64_t rows) {
  check_spectrum(spectrum);
  if (axis_count(spectrum) != 1) {
    fail(ErrorCode::unsupported,
         "the spectrum has pairs on more than one position axis, which no table by position can "
         "hold");
  }
  if (rows < 0 || !checked_add(first, std::max<int64_t>(rows - 1, 0))) {
    fail(ErrorCode::invalid_argument, fmt::format("{} rows from position {}", rows, first));
  }
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  const auto numbers = checked_mul(rows, std::max<int64_t>(pairs, 1));
  if (!numbers || *numbers > int64_t{1} << 37) {
    fail(ErrorCode::resource_limit,
         fmt::format("{} rows of {} pairs would take more than 2^40 bytes", rows, pairs));
  }
  return static_cast<size_t>(rows * pairs);
}

// run(source, steps, first, rows, cos, sin) for parts of a table whose memory is there.
template <class Table, class Run>
void fill(Table& table, const Spectrum& spectrum, const Parallel& parallel, const Run& run) {
  const RowSource source = row_source(spectrum, spectrum.attention_scaling, false);
  constexpr int64_t kRowsPerTask = 512;
  const RowSteps steps = row_steps(source, std::min(table.rows, kRowsPerTask));
  parallel_for(parallel, (table.rows + kRowsPerTask - 1) / kRowsPerTask, [&](int64_t task) {
    const int64_t begin = task * kRowsPerTask, count = std::min(table.rows - begin, kRowsPerTask);
    run(source, steps, table.first + begin, count, table.cos.data() + begin * table.pairs,
        table.sin.data() + begin * table.pairs);
  });
}

template <class Table>
TableView view_of_numbers(const Table& table, DType dtype) {
  const Dims shape = {table.rows, table.pairs};
  return {make_view(static_cast<const void*>(table.cos.data()), dtype, shape),
          make_view(static_cast<const void*>(table.sin.data()), dtype, shape), table.first};
}

}  // namespace

TableView view_of(const CosSinTable& table) { return view_of_numbers(table, DType::f32); }

TableView view_of(const HalfCosSinTable& table) { return view_of_numbers(table, table.dtype); }

CosSinTable make_table(const Spectrum& spectrum, int64_t first, int64_t rows,
                       const Parallel& parallel) {
  const size_t size = checked_size(spectrum, first, rows);
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  CosSinTable table{rows, pairs, std::vector<float>(size), std::vector<float>(size), first};
  fill(table, spectrum, parallel,
       [&](const RowSource& source, const RowSteps& steps, int64_t from, int64_t count, float* cos,
           float* sin) { cos_sin_run(source, steps, from, count, pairs, cos, sin); });
  return table;
}

HalfCosSinTable make_half_table(const Spectrum& spectrum, DType dtype, int64_t first, int64_t rows,
                                const Parallel& parallel) {
  if (dtype != DType::bf16 && dtype != DType::f16) {
    fail(ErrorCode::unsupported, fmt::format("expected dtype bf16 or f16, found {}", name(dtype)));
  }
  const size_t size = checked_size(spectrum, first, rows);
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  HalfCosSinTable table{
      dtype, rows, pairs, std::vector<uint16_t>(size), std::vector<uint16_t>(size), first};
  fill(table, spectrum, parallel,
       [&](const RowSource& source, const RowSteps& steps, int64_t from, int64_t count,
           uint16_t* cos, uint16_t* sin) {
         cos_sin_half_run(source, steps, dtype, from, count, pairs, cos, sin);
       });
  return table;
}

}  // namespace ropewalk
