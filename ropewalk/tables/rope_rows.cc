#include "ropewalk/tables/rope_rows.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/rope/rope_kernel.h"
#include "ropewalk/tables/row_source.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

}  // namespace

RowSource row_source(const Spectrum& spectrum, Direction direction) {
  const double scaling = spectrum.attention_scaling;
  return row_source(spectrum, direction == Direction::inverse ? 1 / scaling : scaling,
                    direction != Direction::forward);
}

RopeRows make_rope_rows(const Spectrum& spectrum, const PositionIds& positions, int64_t batch,
                        int64_t length, Direction direction, const Parallel& parallel) {
  check_spectrum(spectrum);
  if (batch < 0 || length < 0) {
    fail(fmt::format("rows of {} sequences of {} tokens", batch, length));
  }
  RopeJob job;
  job.batch = batch;
  job.length = length;
  job.pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  job.axes = axis_count(spectrum);
  const auto tokens = checked_mul(batch, length);
  const auto numbers = tokens ? checked_mul(*tokens, std::max<int64_t>(2 * job.pairs, 1)) : tokens;
  if (!numbers || *numbers > int64_t{1} << 38) {
    fail(fmt::format(
             "rows of {} sequences of {} tokens with {} pairs would take more than 2^40 bytes",
             batch, length, job.pairs),
         ErrorCode::resource_limit);
  }
  const RowSource source = row_source(spectrum, direction);
  const RowSteps steps = row_steps(source, length);
  const PositionReader reader(positions, batch, length, job.axes);
  job.rows = &source;
  job.steps = &steps;
  job.positions = &reader;
  RopeRows result{batch, length, job.pairs, direction, {}};
  if (job.pairs == 0) return result;
  result.rows.resize(static_cast<size_t>(*numbers));
  constexpr int64_t kTokensPerTask = 512;
  if (*tokens <= kTokensPerTask) {
    rope_token_rows(job, 0, *tokens, result.rows.data());
    return result;
  }
  parallel_for(parallel, (*tokens + kTokensPerTask - 1) / kTokensPerTask, [&](int64_t task) {
    rope_token_rows(job, task * kTokensPerTask, std::min(*tokens, (task + 1) * kTokensPerTask),
                    result.rows.data());
  });
  return result;
}

bool may_be_rows_of(const RopeRows& rows, const Spectrum& spectrum, const PositionIds& positions,
                    int64_t tokens) {
  const size_t pairs = spectrum.inv_freq.size();
  if (rows.batch != 1 || rows.length != tokens || rows.direction != Direction::forward ||
      rows.pairs != static_cast<int64_t>(pairs) ||
      rows.rows.size() != static_cast<size_t>(tokens) * 2 * pairs) {
    return false;
  }
  if (tokens == 0 || pairs == 0) return true;
  const PositionReader reader(positions, 1, tokens, axis_count(spectrum));
  const float* const last = rows.rows.data() + static_cast<size_t>(tokens - 1) * 2 * pairs;
  for (const size_t pair : {size_t{0}, pairs - 1}) {
    const Spectrum one{
        {spectrum.inv_freq[pair]},
        {{spectrum.turns.hi[pair]}, {spectrum.turns.mid[pair]}, {spectrum.turns.lo[pair]}},
        {0},
        spectrum.attention_scaling};
    const RopeRows row =
        make_rope_rows(one, positions_from(reader.at(spectrum.axis[pair], 0, tokens - 1)), 1, 1);
    if (row.rows[0] != last[pair] || row.rows[1] != last[pairs + pair]) return false;
  }
  return true;
}

}  // namespace ropewalk
