#include "ropewalk/apply/positional_encoding.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/overlap.h"
#include "ropewalk/kernels/add/add.h"
#include "ropewalk/tables/sinusoidal.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// x and out as [batch, seq, d_model], checked. The row-major index of an element counts in the
// order of the tensor as it was given.
struct Pass {
  ConstTensorView x;
  TensorView out;
  int64_t batch_step, seq_step;  // of the row-major index
};

Pass checked(const ConstTensorView& x, const TensorView& out, SequenceAxis axis, int64_t d_model,
             const char* what) {
  check_view(x, what);
  check_view(out, "out");
  const bool batch_first = axis == SequenceAxis::batch_first;
  if (x.shape.size() != 3 || x.shape[2] != d_model) {
    fail(fmt::format("{}: expected [{}, {}], found {}", what,
                     batch_first ? "batch, seq" : "seq, batch", d_model, to_string(x.shape)));
  }
  if (!(out.shape == x.shape)) {
    fail(fmt::format("out: expected {}, found {}", to_string(x.shape), to_string(out.shape)));
  }
  for (DType dtype : {x.dtype, out.dtype}) {
    if (dtype != DType::f32) {
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} and out: expected f32, found {}", what, name(dtype)));
    }
  }
  if (may_alias_itself(out)) {
    fail(fmt::format("out: strides {} name one address twice", to_string(out.strides)));
  }
  if (!same_view(x, out) && may_overlap(x, out)) {
    fail(fmt::format("out: overlaps {} without being the same view", what));
  }
  if (batch_first) return {x, out, x.shape[1] * d_model, d_model};
  return {permuted(x, {1, 0, 2}), permuted(out, {1, 0, 2}), d_model, x.shape[1] * d_model};
}

ConstFloatRow row_of(const ConstTensorView& view, int64_t batch, int64_t token) {
  return {static_cast<const float*>(view.data) + batch * view.strides[0] + token * view.strides[1],
          view.strides[2]};
}

// A part of the tokens of some sequences.
struct Block {
  int64_t first_token, tokens, first_sequence, sequences;
};

// row(s) is added to each token s of a block, in the order in which they lie in memory.
template <typename Row>
void add_block(const Pass& pass, const Dropout& dropout, const Block& block, const Row& row) {
  const bool tokens_first =
      std::abs(pass.x.strides[1]) <= std::abs(pass.x.strides[0]) || pass.x.shape[0] == 1;
  const int64_t inner = tokens_first ? block.tokens : block.sequences;
  for (int64_t i = 0; i < block.tokens * block.sequences; ++i) {
    const int64_t b = block.first_sequence + (tokens_first ? i / inner : i % inner);
    const int64_t s = block.first_token + (tokens_first ? i % inner : i / inner);
    const ConstFloatRow target = row_of(pass.out, b, s);
    const FloatRow out{const_cast<float*>(target.data), target.stride};
    const auto element = static_cast<uint64_t>(b * pass.batch_step + s * pass.seq_step);
    add_row(row_of(pass.x, b, s), row(s), out, pass.x.shape[2], dropout, element);
  }
}

// Blocks of tokens whose rows stay in a near cache while they are added to one sequence after the
// other. All sequences in one block, unless that leaves threads without work.
template <typename Work>
void for_each_block(const Pass& pass, const Parallel& parallel, const Work& work) {
  const int64_t batch = pass.x.shape[0], length = pass.x.shape[1];
  if (batch == 0 || length == 0) return;
  constexpr int64_t kTokens = 64, kTasksPerThread = 4;
  const int64_t blocks = (length + kTokens - 1) / kTokens;
  const int64_t wanted = thread_count(parallel) == 1 ? 1 : kTasksPerThread * thread_count(parallel);
  const int64_t groups = std::clamp<int64_t>((wanted + blocks - 1) / blocks, 1, batch);
  parallel_for(parallel, blocks * groups, [&](int64_t task) {
    const int64_t token = task / groups * kTokens, group = task % groups;
    const int64_t begin = batch * group / groups, end = batch * (group + 1) / groups;
    work(Block{token, std::min(kTokens, length - token), begin, end - begin});
  });
}

Dropout dropout_of(const PositionalEncoding& module, const DropoutMode& mode) {
  if (!(module.dropout >= 0 && module.dropout <= 1)) {
    fail(fmt::format("dropout: expected a probability in 0..1, found {}", module.dropout));
  }
  return {mode.training ? module.dropout : 0, mode.seed};
}

}  // namespace

void forward(const PositionalEncoding& module, const ConstTensorView& x, const TensorView& out,
             SequenceAxis axis, const DropoutMode& mode, const Parallel& parallel) {
  const Dropout dropout = dropout_of(module, mode);
  const Pass pass = checked(x, out, axis, module.d_model, "x");
  const int64_t length = pass.x.shape[1];
  if (length > module.max_len) {
    fail(fmt::format("x: a sequence of {} tokens is longer than max_len {}", length,
                     module.max_len));
  }
  const SinusoidalConfig config = module.sinusoidal_config();
  const SinusoidalRows rows(config, length);
  const int64_t d_model = module.d_model;
  for_each_block(pass, parallel, [&](const Block& block) {
    std::vector<float> table(static_cast<size_t>(block.tokens * d_model));
    rows.write(block.first_token, block.tokens, table.data());
    add_block(pass, dropout, block, [&](int64_t s) {
      return ConstFloatRow{table.data() + (s - block.first_token) * d_model, 1};
    });
  });
}

void backward(const PositionalEncoding& module, const ConstTensorView& grad_out,
              const TensorView& grad_x, SequenceAxis axis, const DropoutMode& mode,
              const Parallel& parallel) {
  const Dropout dropout = dropout_of(module, mode);
  const Pass pass = checked(grad_out, grad_x, axis, module.d_model, "grad_out");
  for_each_block(pass, parallel, [&](const Block& block) {
    add_block(pass, dropout, block, [](int64_t) { return ConstFloatRow{nullptr, 1}; });
  });
}

void add_rows(const ConstTensorView& x, const ConstTensorView& rows, const TensorView& out,
              SequenceAxis axis, const Parallel& parallel) {
  check_view(rows, "rows");
  if (rows.shape.size() != 2 || rows.dtype != DType::f32) {
    fail(fmt::format("rows: expected f32 [positions, d_model], found {} {}", name(rows.dtype),
                     to_string(rows.shape)));
  }
  const Pass pass = checked(x, out, axis, rows.shape[1], "x");
  if (pass.x.shape[1] > rows.shape[0]) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("x: a sequence of {} tokens, but the table has {} rows",
                            pass.x.shape[1], rows.shape[0]));
  }
  if (may_overlap(rows, out)) fail("out: overlaps rows");
  for_each_block(pass, parallel, [&](const Block& block) {
    add_block(pass, {}, block, [&](int64_t s) {
      return ConstFloatRow{static_cast<const float*>(rows.data) + s * rows.strides[0],
                           rows.strides[1]};
    });
  });
}

}  // namespace ropewalk
