#include "ropewalk/diagnose/permuted_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/checkpoint_rows.h"
#include "ropewalk/diagnose/row_candidates.h"
#include "ropewalk/diagnose/row_origins.h"

namespace ropewalk {
namespace {

// Of all numbers taken together, from some columns.
double cosine_of(const CheckpointRows& a, const CheckpointRows& b,
                 const std::vector<int64_t>& source) {
  constexpr int64_t kColumns = 256;
  double xy = 0, xx = 0, yy = 0;
  for (int64_t r = 0; r < b.count; ++r) {
    const float* x = a.row(source[static_cast<size_t>(r)]);
    const float* y = b.row(r);
    for (int64_t c = 0; c < std::min(kColumns, b.columns); ++c) {
      const double p = x[c], q = y[c];
      xy += p * q;
      xx += p * p;
      yy += q * q;
    }
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// Says which candidate it is.
void set(PermutedRows& rows, const RowCandidate& candidate) {
  const bool same = !candidate.moved;
  rows.relation = same ? PermutedRows::Relation::same : PermutedRows::Relation::moved;
  rows.to_half_split = candidate.to_half_split;
  rows.heads = same ? 0 : candidate.heads;
  rows.head_dim = same ? 0 : candidate.head_dim;
  rows.wrong_heads = candidate.wrong_heads;
  rows.whole_head = candidate.whole_head;
  rows.expected = candidate.expected;
}

// The order that fits, what is expected first; else the one that fits far better than the others,
// as where one of the two was trained further.
void choose(const CheckpointRows& a, const CheckpointRows& b,
            const std::vector<RowCandidate>& candidates, PermutedRows& rows) {
  for (const bool expected : {true, false}) {
    for (const RowCandidate& candidate : candidates) {
      if (candidate.expected != expected || !fits(a, b, candidate.source)) continue;
      set(rows, candidate);
      return;
    }
  }
  constexpr double kAlike = 0.8, kApart = 0.2;
  rows.exact = false;
  rows.cosine = -1;
  double second = -1;
  const RowCandidate* best = nullptr;
  for (const RowCandidate& candidate : candidates) {
    const double cosine = cosine_of(a, b, candidate.source);
    second = std::max(second, std::min(cosine, rows.cosine));
    if (cosine <= rows.cosine) continue;
    rows.cosine = cosine;
    best = &candidate;
  }
  if (best != nullptr && rows.cosine > kAlike && rows.cosine - second > kApart) {
    set(rows, *best);
    return;
  }
  rows.relation = PermutedRows::Relation::differs;
  rows.expected = false;
}

const RopeConfig* rope_of(const ModelEncoding& model, int64_t layer) {
  if (layer >= std::ssize(model.layers)) return nullptr;
  return std::get_if<RopeConfig>(&model.layers[static_cast<size_t>(layer)].positions);
}

// The two sides of a layer.
struct LayerRows {
  const CheckpointSide &a, &b;
  const AttentionTensor *in_a, *in_b;
  const Layer& layer;
  const RotaryLayout &layout_a, &layout_b;
};

// Whether key head h of B is the key head of its group in A.
bool in_groups(const std::vector<int64_t>& order, int64_t heads_a) {
  const int64_t heads_b = std::ssize(order);
  for (int64_t h = 0; h < heads_b; ++h) {
    if (order[static_cast<size_t>(h)] != h * heads_a / heads_b) return false;
  }
  return true;
}

// Where each row of B comes from, if most come from somewhere.
bool find_origins(const LayerRows& given, const CheckpointRows& own, const CheckpointRows& b,
                  const std::vector<RowCandidate>& candidates, PermutedRows& rows) {
  constexpr int64_t kOneIn = 4;
  const auto dim = static_cast<size_t>(rows.layer_head_dim);
  std::vector<int64_t> channels(dim);
  std::iota(channels.begin(), channels.end(), 0);
  for (const RowCandidate& candidate : candidates) {
    if (candidate.expected)
      channels.assign(candidate.source.begin(), candidate.source.begin() + rows.layer_head_dim);
  }
  CheckpointRows other;
  if (const auto* tensor = given.a.tensor(rows.layer, !rows.keys)) {
    other = given.a.read(*tensor, !rows.keys);
  }
  RowOrigins origins = row_origins(own, other, b, channels);
  if (origins.found * kOneIn < b.count || b.count == 0) return false;
  rows.relation = PermutedRows::Relation::ordered;
  rows.exact = true;
  rows.cosine = 1;
  rows.expected = rows.keys && !origins.head_order.empty() && b.count > own.count &&
                  b.count % own.count == 0 && in_groups(origins.head_order, rows.layer_heads);
  rows.origins = std::move(origins);
  return true;
}

PermutedRows compared(const LayerRows& given, int64_t number, bool keys) {
  const CheckpointRows rows_a = given.a.read(*given.in_a, keys),
                       rows_b = given.b.read(*given.in_b, keys);
  PermutedRows rows{
      .layer = number, .keys = keys, .tensor_a = given.in_a->name, .tensor_b = given.in_b->name};
  rows.layer_head_dim = given.in_a->heads.front().channels;
  rows.layer_heads = rows_a.count / rows.layer_head_dim;
  rows.reads_a = given.layout_a.windows.front().pairing;
  rows.reads_b = given.layout_b.windows.front().pairing;
  const std::vector<RowCandidate> candidates =
      row_candidates(given.layer, keys, rows_a.count, given.layout_a, given.layout_b);
  if (rows_a.columns == rows_b.columns && rows_a.count == rows_b.count) {
    choose(rows_a, rows_b, candidates, rows);
    if (rows.relation == PermutedRows::Relation::differs) {
      find_origins(given, rows_a, rows_b, candidates, rows);
    }
    return rows;
  }
  if (rows_a.columns == rows_b.columns && rows_b.count % rows.layer_head_dim == 0 &&
      find_origins(given, rows_a, rows_b, candidates, rows)) {
    return rows;
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("tensor \"{}\": expected {} rows of {} as \"{}\", found {} of {}",
                          escaped(rows_b.tensor), rows_a.count, rows_a.columns,
                          escaped(rows_a.tensor), rows_b.count, rows_b.columns));
}

}  // namespace

std::string_view name(PermutedRows::Relation relation) {
  switch (relation) {
    case PermutedRows::Relation::same:
      return "same";
    case PermutedRows::Relation::moved:
      return "moved";
    case PermutedRows::Relation::ordered:
      return "ordered";
    case PermutedRows::Relation::differs:
      return "differs";
  }
  return "";
}

std::vector<PermutedRows> compare_rows(const std::filesystem::path& a, const ModelEncoding& model_a,
                                       const std::filesystem::path& b, const ModelEncoding& model_b,
                                       const CompareProgress& progress) {
  const CheckpointSide side_a(a, model_a), side_b(b, model_b);
  std::vector<PermutedRows> all;
  for (int64_t i = 0; i < std::ssize(model_a.layers); ++i) {
    if (progress) progress(i, std::ssize(model_a.layers));
    const RopeConfig *rope_a = rope_of(model_a, i), *rope_b = rope_of(model_b, i);
    if (rope_a == nullptr || rope_b == nullptr) continue;
    if (rope_a->layout.windows.empty() || rope_b->layout.windows.empty()) continue;
    const Layer& layer = model_a.layers[static_cast<size_t>(i)];
    for (const bool keys : {false, true}) {
      const AttentionTensor *in_a = side_a.tensor(i, keys), *in_b = side_b.tensor(i, keys);
      if (in_a == nullptr || in_b == nullptr) continue;
      const LayerRows given{side_a, side_b, in_a, in_b, layer, rope_a->layout, rope_b->layout};
      all.push_back(compared(given, i, keys));
    }
  }
  return all;
}

}  // namespace ropewalk
