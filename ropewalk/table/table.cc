#include "ropewalk/table/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/rows/rows.h"

namespace ropewalk {

CosSinTable make_table(const Spectrum& spectrum, int64_t first, int64_t rows,
                       const Parallel& parallel) {
  check_spectrum(spectrum);
  const auto fail = [](ErrorCode code, const std::string& why) {
    throw Error(code, "table: " + why);
  };
  if (axis_count(spectrum) != 1) {
    fail(ErrorCode::unsupported,
         "the spectrum has pairs on more than one position axis, which no table by position can "
         "hold");
  }
  if (rows < 0 || !checked_add(first, std::max<int64_t>(rows - 1, 0)))
    fail(ErrorCode::invalid_argument, fmt::format("{} rows from position {}", rows, first));
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  const auto numbers = checked_mul(rows, std::max<int64_t>(pairs, 1));
  if (!numbers || *numbers > int64_t{1} << 37) {
    fail(ErrorCode::resource_limit,
         fmt::format("{} rows of {} pairs would take more than 2^40 bytes", rows, pairs));
  }
  CosSinTable table{rows, pairs, {}, {}, first};
  table.cos.resize(static_cast<size_t>(rows * pairs));
  table.sin.resize(static_cast<size_t>(rows * pairs));
  const RowSource source = row_source(spectrum, spectrum.attention_scaling, false);
  constexpr int64_t kRowsPerTask = 512;
  parallel_for(parallel, (rows + kRowsPerTask - 1) / kRowsPerTask, [&](int64_t task) {
    const int64_t begin = task * kRowsPerTask, count = std::min(rows - begin, kRowsPerTask);
    cos_sin_rows(source, first + begin, count, pairs, table.cos.data() + begin * pairs,
                 table.sin.data() + begin * pairs);
  });
  return table;
}

}  // namespace ropewalk
