#include "cli/encode_vectors.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/rotary.h"
#include "cli/text.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/base/half.h"
#include "ropewalk/models/models.h"
#include "ropewalk/tables/sinusoidal.h"
#include "ropewalk/weights/learned_table.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

DType parse_dtype(const std::string& text) {
  for (DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    if (text == name(dtype)) return dtype;
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--dtype: \"{}\" is not f32, bf16 or f16", escaped(text)));
}

// Each number is rounded once, from the exact one.
void fill_sinusoidal(Vectors& v, const SinusoidalConfig& config) {
  v.dim = config.d_model;
  if (v.dtype == DType::f32) {
    v.values = sinusoidal(config, v.positions);
    return;
  }
  const auto rows = static_cast<int64_t>(v.positions.size());
  v.halves.resize(static_cast<size_t>(rows * v.dim));
  sinusoidal(config, v.positions,
             make_view(static_cast<void*>(v.halves.data()), v.dtype, {rows, v.dim}));
  for (uint16_t half : v.halves) {
    v.values.push_back(v.dtype == DType::f16 ? float_from_f16(half) : float_from_bf16(half));
  }
}

constexpr int64_t kMostNumbers = int64_t{1} << 28;

void check_size(size_t rows, int64_t dim) {
  const auto numbers = checked_mul(static_cast<int64_t>(rows), dim);
  if (!numbers || *numbers > kMostNumbers) {
    throw Error(
        ErrorCode::resource_limit,
        fmt::format("{} vectors of {} numbers, more than the {} numbers that one call writes", rows,
                    dim, kMostNumbers));
  }
}

// One channel for each position up to the last.
int64_t one_hot_length(const std::vector<int64_t>& positions) {
  int64_t last = 0;
  for (int64_t position : positions) {
    if (position < 0) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("--positions: expected 0 or more, the places of a one-hot vector, found {}",
                      position));
    }
    last = std::max(last, position);
  }
  return last == INT64_MAX ? last : last + 1;  // check_size refuses it anyway
}

SinusoidalConfig sinusoidal_config(const EncodeOptions& options) {
  SinusoidalConfig config{
      .d_model = parse_integer(options.dim, "--dim"),
      .layout = parse_name(options.layout, "--layout", sinusoidal_layout_from_name),
      .base = parse_number(options.base, "--base"),
      .offset = parse_integer(options.offset, "--offset")};
  if (config.d_model < 1 || config.d_model > 1 << 20) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--dim: expected 1..2^20, found {}", config.d_model));
  }
  if (config.base < 1 || config.base > 0x1p60) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--base: expected 1..2^60, found {}", config.base));
  }
  return config;
}

// The tokens of the text, or the positions that are given in its place.
Vectors positions_of(const EncodeOptions& options) {
  Vectors v;
  if (options.text.empty() == options.positions.empty()) {
    fail("give either a TEXT or --positions, as in: ropewalk encode \"我 愛 你\"");
  }
  if (!options.positions.empty()) {
    v.positions = load_position_list(options.positions);
    return v;
  }
  v.tokens = tokens_of(options.text);
  if (v.tokens.empty()) fail("TEXT: expected a token, found spaces only");
  v.positions.resize(v.tokens.size());
  std::iota(v.positions.begin(), v.positions.end(), 0);
  return v;
}

bool is_added(const PositionEncoding& encoding) {
  return std::holds_alternative<SinusoidalConfig>(encoding) ||
         std::holds_alternative<LearnedConfig>(encoding);
}

// What the model adds to its own input, or to that of --part: the first of its encodings that is
// one. What is added to a picture's patches says nothing of tokens.
const PositionEncoding& added_by(const ModelEncoding& model, const std::string& part) {
  if (!part.empty()) {
    const NamedEncoding& chosen = part_option(model, part);
    if (is_added(chosen.encoding)) return chosen.encoding;
    throw Error(ErrorCode::unsupported,
                fmt::format("--part: {}: expected a table that is added, found {}", chosen.name,
                            name(chosen.encoding)));
  }
  for (const NamedEncoding& other : model.others) {
    const bool own = other.name.starts_with("input") || other.name == "decoder";
    if (own && is_added(other.encoding)) return other.encoding;
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: expected a model that adds a table of positions to its input, found "
                          "none of the kind (ropewalk show says what it has)",
                          escaped(model.name)));
}

void fill_learned(Vectors& v, const LearnedConfig& config, const EncodeOptions& options) {
  if (options.weights.empty()) {
    fail("--weights FILE is needed: the positions of this model are weights of its checkpoint");
  }
  if (v.dtype != DType::f32) {
    fail(fmt::format("--dtype: expected f32 for a learned table, found {}", name(v.dtype)));
  }
  v.dim = config.d_model;
  check_size(v.positions.size(), v.dim);
  const Tensor table = read_learned_table(options.weights, config);
  const Tensor rows = learned_rows(config, table.view(), v.positions);
  const auto* numbers = reinterpret_cast<const float*>(rows.bytes.data());
  v.values.assign(numbers, numbers + rows.bytes.size() / sizeof(float));
}

void fill_of_model(Vectors& v, EncodeOptions& options) {
  const ModelEncoding model = load_model(options.model);
  const PositionEncoding& encoding = added_by(model, options.part);
  options.kind = name(encoding);
  if (const auto* learned = std::get_if<LearnedConfig>(&encoding)) {
    return fill_learned(v, *learned, options);
  }
  if (!options.weights.empty()) fail("--weights: this model computes its table, and needs none");
  const auto& config = std::get<SinusoidalConfig>(encoding);
  options.layout = name(config.layout);
  check_size(v.positions.size(), config.d_model);
  fill_sinusoidal(v, config);
}

}  // namespace

Vectors make_vectors(EncodeOptions& options) {
  Vectors v = positions_of(options);
  v.dtype = parse_dtype(options.dtype);
  if (!options.model.empty()) {
    fill_of_model(v, options);
    return v;
  }
  if (!options.weights.empty()) fail("--weights goes with --model");
  if (!options.part.empty()) fail("--part goes with --model");
  if (v.dtype != DType::f32 && options.kind != "sinusoidal") {
    fail(fmt::format("--dtype: {} is for --kind sinusoidal only", name(v.dtype)));
  }
  if (options.kind == "integer") {
    v.dim = 1;
    v.values = integer_encoding(v.positions);
  } else if (options.kind == "one-hot") {
    v.dim = one_hot_length(v.positions);
    check_size(v.positions.size(), v.dim);
    v.values = one_hot_encoding(v.positions, v.dim);
  } else if (options.kind == "sinusoidal") {
    const SinusoidalConfig config = sinusoidal_config(options);
    check_size(v.positions.size(), config.d_model);
    fill_sinusoidal(v, config);
  } else {
    fail(
        fmt::format("--kind: \"{}\" is not sinusoidal, integer or one-hot", escaped(options.kind)));
  }
  return v;
}

}  // namespace ropewalk::cli
