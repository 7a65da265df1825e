#include "ropewalk/parallel/ring_block.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/parallel/key_numbers.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

template <typename View>
bool is_given(const View& view) {
  return view.data != nullptr || !view.shape.empty();
}

// [begin, end) of one dimension.
template <typename View>
View part_of(View view, int axis, int64_t begin, int64_t end) {
  const int64_t bytes =
      begin * view.strides[axis] * static_cast<int64_t>(size_in_bytes(view.dtype));
  if (begin < end && bytes != 0) {
    using Byte = std::conditional_t<std::is_same_v<View, TensorView>, char, const char>;
    view.data = static_cast<Byte*>(view.data) + bytes;
  }
  view.shape[axis] = end - begin;
  return view;
}

void check_options(const AttentionOptions& options, int64_t sequences) {
  const std::pair<const char*, bool> given[] = {
      {"query_starts", !options.query_starts.empty()},
      {"key_starts", !options.key_starts.empty()},
      {"first_query", options.first_query.has_value()},
      {"query_tokens", !options.query_tokens.empty()},
      {"key_tokens", !options.key_tokens.empty()},
      {"key_mask", is_given(options.key_mask)},
      {"key_lengths", !options.key_lengths.empty()},
      {"mask", is_given(options.mask)},
      {"rotation", options.rotation.q_rows != nullptr || options.rotation.k_rows != nullptr}};
  for (const auto& [what, there] : given) {
    if (there) fail(fmt::format("{}: expected none for a ring of ranks, found one", what));
  }
  const int64_t prefixes = std::ssize(options.prefix);
  if (prefixes > 1 && prefixes != sequences) {
    fail(fmt::format("prefix: expected one for each of {} sequences, found {}", sequences,
                     prefixes));
  }
}

std::vector<int64_t> shifted(const std::vector<int64_t>& tokens, int64_t begin, int64_t end,
                             int64_t by) {
  std::vector<int64_t> result(tokens.begin() + begin, tokens.begin() + end);
  for (int64_t& token : result) token -= by;
  return result;
}

}  // namespace

void RingMeetings::check_rows(const ConstTensorView& view, const char* what, int64_t rows) const {
  check_view(view, what);
  if (view.shape.size() == 3 && view.shape[0] == rows) return;
  fail(fmt::format("{}: expected [{}, heads, channels], the tokens of rank {}, found {}", what,
                   rows, rank_, to_string(view.shape)));
}

RingMeetings::RingMeetings(const RingHeads& heads, const RingSequences& sequences,
                           const AttentionOptions& options, int64_t rank)
    : heads_(heads),
      sequences_(sequences),
      given_(options),
      options_(options),
      rank_(rank),
      queries_(query_shard(sequences, rank)) {
  check_options(options, sequences.sequences());
  const int64_t queries = std::ssize(queries_.rows),
                keys = std::ssize(key_shard(sequences, rank).rows);
  check_rows(heads.q, "q", queries);
  check_rows(heads.k, "k", keys);
  check_rows(heads.v, "v", keys);
  check_rows(heads.out, "out", queries);
  const Dims of_lse{heads.q.shape[1], queries};
  own_lse_ = make_tensor(DType::f32, of_lse);
  found_lse_ = make_tensor(DType::f32, of_lse);
  found_ = make_tensor(DType::f32, heads.out.shape);
  options_.tensor_layout = TensorLayout::thd;
  options_.prefix = {};
  options_.progress = {};
  if (!is_given(options.lse)) options_.lse = own_lse_.view();
  result_ = {heads.out, options_.lse};
  // Where no key is: zeros, and every fault is found before the first message.
  attend(heads.q, part_of(heads.k, 0, 0, 0), part_of(heads.v, 0, 0, 0), heads.out, options_);
  options_.sinks = {};
  const RingPlan plan = make_ring_plan(sequences, options);
  for (int64_t block = 0; block < plan.ranks; ++block) {
    all_ += static_cast<double>(plan.pairs_of(rank, block) * heads.q.shape[1]);
  }
}

size_t RingMeetings::bytes_of_keys(const ConstTensorView& like, int64_t keys) const {
  return static_cast<size_t>(keys * like.shape[1] * like.shape[2]) * size_in_bytes(like.dtype);
}

RingBlock RingMeetings::own() const {
  const Tensor k = contiguous_copy(heads_.k), v = contiguous_copy(heads_.v);
  RingBlock block{key_shard(sequences_, rank_), k.bytes};
  block.bytes.insert(block.bytes.end(), v.bytes.begin(), v.bytes.end());
  return block;
}

RingBlock RingMeetings::empty(int64_t rank) const {
  RingBlock block{key_shard(sequences_, rank), {}};
  const int64_t keys = std::ssize(block.keys.rows);
  block.bytes.resize(bytes_of_keys(heads_.k, keys) + bytes_of_keys(heads_.v, keys));
  return block;
}

void RingMeetings::meet(const RingBlock& block, const std::function<void()>& poke) {
  for (int64_t s = 0; s < sequences_.sequences(); ++s) meet_sequence(block, s, poke);
}

void RingMeetings::meet_sequence(const RingBlock& block, int64_t s,
                                 const std::function<void()>& poke) {
  const auto at = static_cast<size_t>(s);
  const int64_t q0 = queries_.starts[at], q1 = queries_.starts[at + 1];
  const int64_t k0 = block.keys.starts[at], k1 = block.keys.starts[at + 1];
  if (q0 == q1 || k0 == k1) return;
  const int64_t keys = std::ssize(block.keys.rows);
  const auto of_block = [&](const ConstTensorView& like, size_t begin) {
    const Dims shape{keys, like.shape[1], like.shape[2]};
    const void* data = block.bytes.data() + begin;
    return part_of(make_view(data, like.dtype, shape), 0, k0, k1);
  };
  AttentionOptions options = options_;
  const int64_t shift = first_chunk_token(sequences_, options, s);
  const std::vector<int64_t> query_tokens = shifted(queries_.tokens, q0, q1, shift),
                             key_tokens = shifted(block.keys.tokens, k0, k1, shift);
  options.query_tokens = query_tokens;
  options.key_tokens = key_tokens;
  const int64_t prefix[] = {prefix_of_sequence(given_, s) - shift};
  if (!given_.prefix.empty()) options.prefix = prefix;
  std::vector<float> bias;
  if (counts_keys(options)) {
    bias = key_position_bias(options, key_numbers(sequences_, block.keys, s));
    options.mask = {
        bias.data(), DType::f32, {1, heads_.q.shape[1], q1 - q0, k1 - k0}, {0, k1 - k0, 0, 1}};
    options.alibi_slopes = {};
  }
  double last = 0;
  if (poke || given_.progress) {
    options.progress = [&](double done, double) {
      if (poke) poke();
      done_ += done - last;
      last = done;
      if (given_.progress) given_.progress(done_, all_);
    };
  }
  options.lse = part_of(found_lse_.view(), 1, q0, q1);
  const AttentionParts found{part_of(found_.view(), 0, q0, q1), options.lse};
  attend(part_of(heads_.q, 0, q0, q1), of_block(heads_.k, 0),
         of_block(heads_.v, bytes_of_keys(heads_.k, keys)), found.out, options);
  merge_attention({part_of(result_.out, 0, q0, q1), part_of(result_.lse, 1, q0, q1)}, found,
                  options.parallel);
}

void RingMeetings::finish() {
  if (!given_.sinks.empty()) merge_sinks(result_, given_.sinks);
}

}  // namespace ropewalk
