#include <algorithm>
#include <cmath>
#include <limits>

#include "ropewalk/diagnose/dumps/hypothesis.h"

namespace ropewalk {
namespace {

// log |row| of each head at each token: a rotation keeps it.
std::vector<std::vector<double>> lengths(const DumpRows& rows, const std::vector<float>& values,
                                         size_t heads) {
  std::vector<std::vector<double>> result(heads);
  const auto dim = static_cast<size_t>(rows.head_dim);
  for (size_t row = 0; row < rows.places.size(); ++row) {
    double sum = 0;
    for (size_t d = 0; d < dim; ++d) sum += std::pow(values[row * dim + d], 2);
    result[static_cast<size_t>(rows.places[row].h)].push_back(std::log(sum + 1e-300));
  }
  return result;
}

// Of rows that all grew by exp(growth / 2).
double distance(const std::vector<double>& x, const std::vector<double>& y, double growth) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += std::pow(y[i] - x[i] - growth, 2);
  return sum;
}

double mean(const std::vector<std::vector<double>>& values) {
  double sum = 0, count = 0;
  for (const auto& each : values) {
    for (const double value : each) sum += value;
    count += static_cast<double>(each.size());
  }
  return count > 0 ? sum / count : 0;
}

// The head of x whose lengths are nearest to those of each head of y; nothing unless each is taken
// once.
std::vector<int32_t> order_of(const DumpRows& rows) {
  size_t heads = 0;
  for (const DumpRows::Place& at : rows.places)
    heads = std::max(heads, static_cast<size_t>(at.h) + 1);
  const auto x = lengths(rows, rows.x, heads), y = lengths(rows, rows.y, heads);
  const double growth = mean(y) - mean(x);
  std::vector<int32_t> order;
  std::vector<bool> taken(heads, false);
  for (size_t h = 0; h < heads; ++h) {
    double nearest = std::numeric_limits<double>::infinity();
    size_t from = 0;
    for (size_t other = 0; other < heads; ++other) {
      const double far = distance(x[other], y[h], growth);
      if (far >= nearest) continue;
      nearest = far;
      from = other;
    }
    if (taken[from]) return {};
    taken[from] = true;
    order.push_back(static_cast<int32_t>(from));
  }
  return order;
}

void propose(const Turning& from, DumpEvidence& evidence, std::vector<Proposal>& out) {
  if (!from.places.heads.empty() || evidence.rows().heads < 2 || evidence.explains(from.places))
    return;
  const std::vector<int32_t> order = order_of(evidence.rows());
  Turning turning = from;
  turning.places.heads = order;
  Cause cause{"head_order", "permuted"};
  bool same = true;
  for (size_t h = 0; h < order.size(); ++h) {
    same = same && order[h] == static_cast<int32_t>(h);
    cause.name += (h ? " " : "") + std::to_string(order[h]);
  }
  if (!order.empty() && !same) out.push_back({turning, cause});
}

}  // namespace

// Heads in another order after than before.
constinit const Hypothesis hypothesis::head_order{.propose = propose, .moves_places = true};

}  // namespace ropewalk
