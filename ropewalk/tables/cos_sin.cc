#include "ropewalk/tables/cos_sin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/kernels/rows/rows.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/float_angles.h"
#include "ropewalk/tables/rope_rows.h"

namespace ropewalk {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 3> kForms = {"half", "doubled", "interleaved"};

// The positions of tokens [B, S], and the shape of what follows from them.
struct Tokens {
  PositionIds ids;
  int64_t batch = 1, length = 0, axes = 1;
  Dims shape;  // [S] or [B, S]

  PositionReader reader() const { return {ids, batch, length, axes}; }
  int64_t count() const { return batch * length; }
};

Tokens tokens_of(const ConstTensorView& ids, int64_t axes) {
  Tokens tokens{.ids = positions_of(ids), .axes = axes};
  const int rank = ids.shape.size();
  if (rank < 1 || rank > 3) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("position ids: expected [S], [B, S] or [axes, B, S], found {}",
                            to_string(ids.shape)));
  }
  tokens.length = ids.shape[rank - 1];
  if (rank > 1) tokens.batch = ids.shape[rank - 2];
  if (rank > 1) tokens.shape.push_back(tokens.batch);
  tokens.shape.push_back(tokens.length);
  return tokens;
}

// cos and sin of the pairs, [tokens, P] each.
CosSin make_pairs(const Tokens& tokens, int64_t pairs, DType dtype) {
  const auto numbers = checked_mul(tokens.count(), std::max<int64_t>(pairs, 1));
  if (!numbers || *numbers > int64_t{1} << 36) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("cos and sin of {} tokens with {} pairs would take more than 2^40 "
                            "bytes",
                            tokens.count(), pairs));
  }
  const Dims shape = {tokens.count(), pairs};
  return {make_tensor(dtype, shape), make_tensor(dtype, shape)};
}

template <typename T>
T* row_of(Tensor& rows, int64_t token) {
  return reinterpret_cast<T*>(rows.bytes.data()) + token * rows.shape[1];
}

// run(token) for each token, by several threads.
template <typename Run>
void for_each_token(const Tokens& tokens, const Parallel& parallel, const Run& run) {
  constexpr int64_t kTokensPerTask = 256;
  parallel_for(parallel, (tokens.count() + kTokensPerTask - 1) / kTokensPerTask, [&](int64_t task) {
    const int64_t end = std::min(tokens.count(), (task + 1) * kTokensPerTask);
    for (int64_t token = task * kTokensPerTask; token < end; ++token) run(token);
  });
}

CosSin exact_pairs(const Spectrum& spectrum, const Tokens& tokens, const Parallel& parallel) {
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  CosSin result = make_pairs(tokens, pairs, DType::f32);
  const RopeRows rows = make_rope_rows(spectrum, tokens.ids, tokens.batch, tokens.length,
                                       Direction::forward, parallel);
  const auto size = static_cast<size_t>(pairs) * sizeof(float);
  for (int64_t token = 0; token < tokens.count() && size > 0; ++token) {
    const float* const row = rows.rows.data() + 2 * token * pairs;
    std::memcpy(row_of<float>(result.cos, token), row, size);
    std::memcpy(row_of<float>(result.sin, token), row + pairs, size);
  }
  return result;
}

// The 16-bit rows know one axis: each axis in turn, and the pairs that it drives.
CosSin exact_half_pairs(const Spectrum& spectrum, const Tokens& tokens, DType dtype,
                        const Parallel& parallel) {
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  CosSin result = make_pairs(tokens, pairs, dtype);
  RowSource source = row_source(spectrum, spectrum.attention_scaling, false);
  source.axis = nullptr;
  const PositionReader reader = tokens.reader();
  for_each_token(tokens, parallel, [&](int64_t token) {
    std::vector<uint16_t> cos(static_cast<size_t>(pairs)), sin(cos.size());
    for (int32_t axis = 0; axis < tokens.axes; ++axis) {
      const int64_t position = reader.at(axis, token / tokens.length, token % tokens.length);
      cos_sin_half_run(source, {}, dtype, position, 1, pairs, cos.data(), sin.data());
      for (size_t i = 0; i < cos.size(); ++i) {
        if (spectrum.axis[i] != axis) continue;
        row_of<uint16_t>(result.cos, token)[i] = cos[i];
        row_of<uint16_t>(result.sin, token)[i] = sin[i];
      }
    }
  });
  return result;
}

CosSin float_pairs(const FloatAngles& source, const Tokens& tokens, const Parallel& parallel) {
  const size_t pairs = source.inv_freq.size();
  CosSin result = make_pairs(tokens, static_cast<int64_t>(pairs), DType::f32);
  const PositionReader reader = tokens.reader();
  for_each_token(tokens, parallel, [&](int64_t token) {
    std::vector<int64_t> positions;
    for (int64_t axis = 0; axis < tokens.axes; ++axis) {
      positions.push_back(reader.at(axis, token / tokens.length, token % tokens.length));
    }
    std::vector<float> angles(pairs);
    write_angles(source, positions.data(), angles);
    write_cos_sin(angles, source.amplitude, row_of<float>(result.cos, token),
                  row_of<float>(result.sin, token));
  });
  return result;
}

// The pair whose number stands at each place of a row.
std::vector<int64_t> places(const RopeConfig& config, int64_t pairs, RowForm form) {
  std::vector<int64_t> pair_of;
  if (form == RowForm::doubled) {
    int64_t first = 0;
    for (const RotaryWindow& window : config.layout.windows) {
      for (int64_t i = 0; i < window.dim; ++i) pair_of.push_back(first + i % (window.dim / 2));
      first += window.dim / 2;
    }
    return pair_of;
  }
  const int64_t times = form == RowForm::interleaved ? 2 : 1;
  for (int64_t i = 0; i < times * pairs; ++i) pair_of.push_back(i / times);
  return pair_of;
}

template <typename T>
void gather(const Tensor& from, const std::vector<int64_t>& places, Tensor& to) {
  const auto* in = reinterpret_cast<const T*>(from.bytes.data());
  auto* out = reinterpret_cast<T*>(to.bytes.data());
  for (int64_t row = 0; row < from.shape[0]; ++row, in += from.shape[1]) {
    for (const int64_t place : places) *out++ = in[place];
  }
}

Tensor arranged(Tensor pairs, const std::vector<int64_t>& places, const Tokens& tokens) {
  Dims shape = tokens.shape;
  shape.push_back(static_cast<int64_t>(places.size()));
  if (pairs.shape[1] == shape.back()) {
    pairs.shape = shape;
    return pairs;
  }
  Tensor result = make_tensor(pairs.dtype, shape);
  if (pairs.dtype == DType::f32) {
    gather<float>(pairs, places, result);
  } else {
    gather<uint16_t>(pairs, places, result);
  }
  return result;
}

CosSin pairs_of(const RopeConfig& config, const Tokens& tokens, const CosSinOptions& options) {
  const AngleMode mode = options.mode;
  if (mode == AngleMode::exact || mode == AngleMode::ideal) {
    const Spectrum spectrum =
        mode == AngleMode::exact ? make_spectrum(config, options.seq_len) : ideal_spectrum(config);
    if (options.dtype == DType::f32) return exact_pairs(spectrum, tokens, options.parallel);
    return exact_half_pairs(spectrum, tokens, options.dtype, options.parallel);
  }
  CosSin pairs =
      float_pairs(prepare_angles(config, mode, options.seq_len), tokens, options.parallel);
  if (options.dtype == DType::f32) return pairs;
  return {converted(pairs.cos.view(), options.dtype), converted(pairs.sin.view(), options.dtype)};
}

}  // namespace

std::string_view name(RowForm form) { return kForms[static_cast<size_t>(form)]; }

RowForm row_form_from_name(std::string_view text) {
  for (size_t i = 0; i < kForms.size(); ++i) {
    if (text == kForms[i]) return static_cast<RowForm>(i);
  }
  throw Error(ErrorCode::invalid_argument, fmt::format("expected one of the forms {}, found \"{}\"",
                                                       fmt::join(kForms, ", "), escaped(text)));
}

CosSin cos_sin(const RopeConfig& config, const ConstTensorView& position_ids,
               const CosSinOptions& options) {
  if (options.dtype != DType::f32 && options.dtype != DType::bf16 && options.dtype != DType::f16) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("cos and sin: expected dtype f32, bf16 or f16, found {}", name(options.dtype)));
  }
  const Spectrum spectrum = make_spectrum(config, options.seq_len);
  const Tokens tokens = tokens_of(position_ids, axis_count(spectrum));
  tokens.reader();  // checks the ids
  CosSin pairs = pairs_of(config, tokens, options);
  const std::vector<int64_t> order = places(config, pairs.cos.shape[1], options.form);
  return {arranged(std::move(pairs.cos), order, tokens),
          arranged(std::move(pairs.sin), order, tokens)};
}

Tensor as_complex(const CosSin& rows) {
  Dims shape = rows.cos.shape;
  shape.push_back(2);
  Tensor result = make_tensor(rows.cos.dtype, shape);
  const size_t size = size_in_bytes(rows.cos.dtype);
  for (size_t i = 0; i < rows.cos.bytes.size(); i += size) {
    std::memcpy(result.bytes.data() + 2 * i, rows.cos.bytes.data() + i, size);
    std::memcpy(result.bytes.data() + 2 * i + size, rows.sin.bytes.data() + i, size);
  }
  return result;
}

}  // namespace ropewalk
