#include "ropewalk/diagnose/permuted_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/row_candidates.h"
#include "ropewalk/encoding/layout_permutation.h"
#include "ropewalk/formats/checkpoint.h"
#include "ropewalk/formats/gguf.h"
#include "ropewalk/weights/attention_rows.h"

namespace ropewalk {
namespace {

// The rows of q or k, head after head, as float32.
struct Rows {
  std::string tensor;
  DType dtype = DType::f32;
  int64_t count = 0, columns = 0;
  std::vector<float> numbers;

  const float* row(int64_t r) const { return numbers.data() + r * columns; }
};

// The weights of q and k in a checkpoint of either kind.
class Side {
 public:
  Side(const std::filesystem::path& path, const ModelEncoding& model)
      : stored_(read_stored_tensors(path)),
        found_(attention_tensors(stored_, model, escaped(path.string()))) {
    if (stored_.gguf) {
      gguf_.emplace(path);
    } else {
      checkpoint_.emplace(stored_.index.value_or(stored_.files[0]));
    }
    for (const AttentionTensor& tensor : found_.tensors) {
      if (tensor.part != TensorPart::weight) continue;
      for (const bool keys : {false, true}) {
        if (std::any_of(tensor.heads.begin(), tensor.heads.end(),
                        [&](const HeadRows& heads) { return heads.keys == keys; })) {
          tensors_[{tensor.layer, keys}] = &tensor;
        }
      }
    }
  }

  // Null where the layer has none.
  const AttentionTensor* tensor(int64_t layer, bool keys) const {
    const auto found = tensors_.find({layer, keys});
    return found == tensors_.end() ? nullptr : found->second;
  }

  Rows read(const AttentionTensor& tensor, bool keys) const {
    const Tensor stored = gguf_ ? gguf_->read(tensor.name) : checkpoint_->read(tensor.name);
    if (!is_floating(stored.dtype) || stored.dtype < DType::f16) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("tensor \"{}\": expected f32, f16 or bf16 to compare, found {}",
                              escaped(tensor.name), name(stored.dtype)));
    }
    const Tensor wide = converted(stored.view(), DType::f32);
    const auto* numbers = reinterpret_cast<const float*>(wide.bytes.data());
    Rows rows{.tensor = tensor.name, .dtype = stored.dtype};
    rows.columns = num_elements(wide.shape) / tensor.rows;
    for (const HeadRows& heads : tensor.heads) {
      if (heads.keys != keys) continue;
      for (int64_t h = 0; h < heads.count; ++h) {
        const float* first = numbers + (heads.first + h * heads.step) * rows.columns;
        rows.numbers.insert(rows.numbers.end(), first, first + heads.channels * rows.columns);
        rows.count += heads.channels;
      }
    }
    return rows;
  }

  const StoredTensors& stored() const { return stored_; }

 private:
  StoredTensors stored_;
  AttentionTensors found_;
  std::optional<GgufFile> gguf_;
  std::optional<Checkpoint> checkpoint_;
  std::map<std::pair<int64_t, bool>, const AttentionTensor*> tensors_;
};

double rounding(DType dtype) {
  if (dtype == DType::bf16) return 0x1p-8;
  return dtype == DType::f16 ? 0x1p-10 : 0x1p-22;
}

// Whether b is a whose rows moved, as far as the types can tell.
bool fits(const Rows& a, const Rows& b, const std::vector<int64_t>& source) {
  const bool alike = a.dtype == b.dtype;
  const double slack = alike ? 0 : std::max(rounding(a.dtype), rounding(b.dtype));
  const double least = !alike && (a.dtype == DType::f16 || b.dtype == DType::f16) ? 0x1p-24 : 0;
  for (int64_t r = 0; r < b.count; ++r) {
    const float* x = a.row(source[static_cast<size_t>(r)]);
    const float* y = b.row(r);
    for (int64_t c = 0; c < b.columns; ++c) {
      if (x[c] == y[c] || (std::isnan(x[c]) && std::isnan(y[c]))) continue;
      const double p = x[c], q = y[c];
      if (!(std::abs(p - q) <= slack * std::max(std::abs(p), std::abs(q)) + least)) return false;
    }
  }
  return true;
}

// Of all numbers taken together, from some columns.
double cosine_of(const Rows& a, const Rows& b, const std::vector<int64_t>& source) {
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
void choose(const Rows& a, const Rows& b, const std::vector<RowCandidate>& candidates,
            PermutedRows& rows) {
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

}  // namespace

std::string_view name(PermutedRows::Relation relation) {
  switch (relation) {
    case PermutedRows::Relation::same:
      return "same";
    case PermutedRows::Relation::moved:
      return "moved";
    case PermutedRows::Relation::differs:
      return "differs";
  }
  return "";
}

std::vector<PermutedRows> compare_rows(const std::filesystem::path& a, const ModelEncoding& model_a,
                                       const std::filesystem::path& b, const ModelEncoding& model_b,
                                       const CompareProgress& progress) {
  const Side side_a(a, model_a), side_b(b, model_b);
  std::vector<PermutedRows> compared;
  for (int64_t i = 0; i < std::ssize(model_a.layers); ++i) {
    if (progress) progress(i, std::ssize(model_a.layers));
    const RopeConfig *rope_a = rope_of(model_a, i), *rope_b = rope_of(model_b, i);
    if (rope_a == nullptr || rope_b == nullptr) continue;
    if (rope_a->layout.windows.empty() || rope_b->layout.windows.empty()) continue;
    const Layer& layer = model_a.layers[static_cast<size_t>(i)];
    for (const bool keys : {false, true}) {
      const AttentionTensor *in_a = side_a.tensor(i, keys), *in_b = side_b.tensor(i, keys);
      if (in_a == nullptr || in_b == nullptr) continue;
      const Rows rows_a = side_a.read(*in_a, keys), rows_b = side_b.read(*in_b, keys);
      PermutedRows rows{.layer = i, .keys = keys, .tensor_a = in_a->name, .tensor_b = in_b->name};
      if (rows_a.count != rows_b.count || rows_a.columns != rows_b.columns) {
        throw Error(ErrorCode::unsupported,
                    fmt::format("tensor \"{}\": expected {} rows of {} as \"{}\", found {} of {}",
                                escaped(rows_b.tensor), rows_a.count, rows_a.columns,
                                escaped(rows_a.tensor), rows_b.count, rows_b.columns));
      }
      rows.layer_head_dim = in_a->heads.front().channels;
      rows.layer_heads = rows_a.count / rows.layer_head_dim;
      rows.reads_a = rope_a->layout.windows.front().pairing;
      rows.reads_b = rope_b->layout.windows.front().pairing;
      choose(rows_a, rows_b,
             row_candidates(layer, keys, rows_a.count, rope_a->layout, rope_b->layout), rows);
      compared.push_back(std::move(rows));
    }
  }
  return compared;
}

}  // namespace ropewalk
