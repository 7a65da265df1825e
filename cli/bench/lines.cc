#include "cli/bench/lines.h"

#include <cmath>
#include <map>
#include <tuple>

namespace ropewalk::cli {
namespace {

using Series = std::vector<const Measured*>;

// Least squares of (fixed + each n - t) / t.
Line fitted(const Series& series) {
  double w = 0, n = 0, nn = 0, t = 0, nt = 0;
  for (const Measured* row : series) {
    const double units = static_cast<double>(row->units), seconds = row->work.least;
    const double weight = 1 / (seconds * seconds);
    w += weight;
    n += weight * units;
    nn += weight * units * units;
    t += weight * seconds;
    nt += weight * units * seconds;
  }
  const Measured& one = *series.front();
  Line line{one.unit, one.dtype, one.threads, one.units, series.back()->units};
  line.each = (w * nt - n * t) / (w * nn - n * n);
  line.fixed = (t - line.each * n) / w;
  for (const Measured* row : series) {
    const double expected = line.fixed + line.each * static_cast<double>(row->units);
    const double off = row->work.least / expected - 1;
    if (std::fabs(off) > std::fabs(line.worst)) line.worst = off;
  }
  return line;
}

}  // namespace

std::vector<Line> straight_lines(const std::vector<Measured>& rows) {
  std::map<std::tuple<int, std::string, std::string>, Series> all;
  for (const Measured& row : rows) {
    if (!row.unit.empty()) all[{row.threads, row.unit, row.dtype}].push_back(&row);
  }
  std::vector<Line> lines;
  for (const auto& [key, series] : all) {
    if (series.size() > 2) lines.push_back(fitted(series));
  }
  return lines;
}

}  // namespace ropewalk::cli
