#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/apply/rope_call.h"
#include "ropewalk/attention/attention_call.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

void check_key_mask(const ConstTensorView& mask, const AttentionCall& call) {
  check_view(mask, "key_mask");
  switch (mask.dtype) {
    case DType::boolean:
    case DType::u8:
    case DType::i32:
    case DType::i64:
      break;
    default:
      fail(fmt::format("key_mask: expected dtype bool, u8, i32 or i64, found {}", name(mask.dtype)),
           ErrorCode::unsupported);
  }
  const Dims expected{call.batch, call.keys};
  if (!(mask.shape == expected)) {
    fail(fmt::format("key_mask: expected shape [batch, keys] = {} as k of shape {}, found {}",
                     to_string(expected), to_string(call.k.shape), to_string(mask.shape)));
  }
}

void check_mask(const ConstTensorView& mask, const AttentionCall& call) {
  check_view(mask, "mask");
  switch (mask.dtype) {
    case DType::boolean:
    case DType::u8:
    case DType::f32:
    case DType::bf16:
    case DType::f16:
      break;
    default:
      fail(fmt::format("mask: expected dtype bool, u8, f32, bf16 or f16, found {}",
                       name(mask.dtype)),
           ErrorCode::unsupported);
  }
  const Dims& shape = mask.shape;
  const bool fits = shape.size() == 4 && (shape[0] == call.batch || shape[0] == 1) &&
                    (shape[1] == call.heads || shape[1] == 1) && shape[2] == call.queries &&
                    shape[3] == call.keys;
  if (fits) return;
  fail(fmt::format("mask: expected shape [{} or 1, {} or 1, {}, {}], found {}", call.batch,
                   call.heads, call.queries, call.keys, to_string(shape)));
}

void check_numbers(const AttentionOptions& options) {
  const std::tuple<const char*, int64_t, int64_t> counts[] = {
      {"window_left", options.window_left, -1},
      {"window_right", options.window_right, -1},
      {"chunk", options.chunk, 0}};
  constexpr int64_t kMost = int64_t{1} << 53;
  for (const auto& [what, count, least] : counts) {
    if (count >= least && count < kMost) continue;
    fail(fmt::format("{}: expected {} or a number of keys below 2^53, found {}", what, least,
                     count));
  }
  // One too small for a float would be no cap at all.
  const auto cap = static_cast<float>(options.softcap);
  if (!(options.softcap >= 0) || !std::isfinite(cap) || (cap == 0) != (options.softcap == 0)) {
    fail(fmt::format("softcap: expected 0 or a positive float32, found {}", options.softcap));
  }
  if (!std::isfinite(static_cast<float>(options.alibi_scale))) {
    fail(fmt::format("alibi_scale: expected a finite number, found {}", options.alibi_scale));
  }
}

void check_distance_bias(const AttentionOptions& options, int64_t heads) {
  if (options.distance_bias.empty()) return;
  if (options.bias_reach < 0 || options.bias_reach > int64_t{1} << 24) {
    fail(fmt::format("bias_reach: expected 0..2^24 tokens, found {}", options.bias_reach));
  }
  const int64_t columns = 2 * options.bias_reach + 1;
  if (std::ssize(options.distance_bias) == heads * columns) return;
  fail(fmt::format("distance_bias: expected {} heads of {} numbers, found {} numbers", heads,
                   columns, options.distance_bias.size()));
}

void check_of_heads(const char* what, std::span<const float> list, const AttentionCall& call) {
  if (list.empty() || std::ssize(list) == call.heads) return;
  fail(fmt::format("{}: expected one for each of the {} heads of q {}, found {}", what, call.heads,
                   to_string(call.q.shape), list.size()));
}

void check_tokens(const char* what, std::span<const int64_t> tokens, int64_t count) {
  if (tokens.empty()) return;
  if (std::ssize(tokens) != count) {
    fail(fmt::format("{}: expected one for each of {} tokens, found {}", what, count,
                     tokens.size()));
  }
  constexpr int64_t kMost = int64_t{1} << 30;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] > -kMost && tokens[i] < kMost) continue;
    fail(fmt::format("{}[{}]: expected a token between -2^30 and 2^30, found {}", what, i,
                     tokens[i]));
  }
}

void check_rows(const char* what, const RopeRows& rows, const ConstTensorView& x) {
  if (rows.length == x.shape[1] && (rows.batch == x.shape[0] || rows.batch == 1) &&
      rows.direction == Direction::forward &&
      rows.rows.size() == static_cast<size_t>(rows.batch * rows.length * 2 * rows.pairs)) {
    return;
  }
  fail(
      fmt::format("{}: expected forward rows of {} sequences of {} tokens, found {} of {}, {} "
                  "numbers",
                  what, x.shape[0], x.shape[1], rows.batch, rows.length, rows.rows.size()));
}

void check_rotation(const AttentionRotation& rotation, const AttentionCall& call) {
  if ((rotation.q_rows == nullptr) != (rotation.k_rows == nullptr)) {
    fail("rotation: expected rows of q and of k, found one of them");
  }
  if (rotation.q_rows == nullptr) return;
  check_rows("rotation.q_rows", *rotation.q_rows, call.q);
  check_rows("rotation.k_rows", *rotation.k_rows, call.k);
  // Of no token: layout, pairs and types alone.
  for (const auto& [x, rows] : {std::pair{&call.q, rotation.q_rows}, {&call.k, rotation.k_rows}}) {
    const Dims none{1, 0, x->shape[2], x->shape[3]};
    const TensorView to = make_view(static_cast<void*>(nullptr), x->dtype, none);
    RopeJob job;
    fill_rope_job(job, rotation.layout, rows->pairs, {to, to}, std::nullopt, {});
  }
}

void check_first_query(const AttentionOptions& options) {
  if (!options.first_query) return;
  if (!options.query_tokens.empty()) {
    fail("first_query: expected none beside query_tokens, found both");
  }
  constexpr int64_t kMost = int64_t{1} << 30;
  if (*options.first_query > -kMost && *options.first_query < kMost) return;
  fail(fmt::format("first_query: expected a token between -2^30 and 2^30, found {}",
                   *options.first_query));
}

}  // namespace

void check_attention_options(const AttentionCall& call, const AttentionOptions& options) {
  check_of_heads("alibi_slopes", options.alibi_slopes, call);
  check_of_heads("sinks", options.sinks, call);
  check_distance_bias(options, call.heads);
  check_numbers(options);
  check_first_query(options);
  check_tokens("query_tokens", options.query_tokens, call.queries);
  check_tokens("key_tokens", options.key_tokens, call.keys);
  if (is_given(options.key_mask)) check_key_mask(options.key_mask, call);
  if (is_given(options.mask)) check_mask(options.mask, call);
  check_rotation(options.rotation, call);
}

}  // namespace ropewalk
