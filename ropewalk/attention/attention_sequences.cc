#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/attention/attention_call.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

// Calls see(b, j) for each key that the mask shows.
template <typename T, typename See>
void for_each_key_as(const ConstTensorView& mask, See see) {
  const auto* bytes = static_cast<const char*>(mask.data);
  for (int64_t b = 0; b < mask.shape[0]; ++b) {
    for (int64_t j = 0; j < mask.shape[1]; ++j) {
      T value;
      std::memcpy(&value, bytes + (b * mask.strides[0] + j * mask.strides[1]) * int64_t{sizeof(T)},
                  sizeof(T));
      if (value == 1) see(b, j);
      if (value == 0 || value == 1) continue;
      fail(fmt::format("key_mask[{}, {}]: expected 0 or 1, found {}", b, j,
                       static_cast<int64_t>(value)));
    }
  }
}

template <typename See>
void for_each_key(const ConstTensorView& mask, See see) {
  if (mask.dtype == DType::i64) return for_each_key_as<int64_t>(mask, see);
  if (mask.dtype == DType::i32) return for_each_key_as<int32_t>(mask, see);
  for_each_key_as<uint8_t>(mask, see);
}

void check_starts(const char* what, std::span<const int64_t> starts, int64_t tokens) {
  bool rising = !starts.empty() && starts.front() == 0 && starts.back() == tokens;
  for (size_t i = 1; i < starts.size(); ++i) rising = rising && starts[i] >= starts[i - 1];
  if (rising) return;
  fail(fmt::format("{}: expected numbers that rise from 0 to {} tokens, found {}{}{}", what, tokens,
                   starts.empty() ? "none" : std::to_string(starts.front()),
                   starts.size() > 1 ? " .. " : "",
                   starts.size() > 1 ? std::to_string(starts.back()) : ""));
}

// Sequences packed in one tensor.
std::vector<AttentionSequence> packed_sequences(const AttentionCall& call) {
  const AttentionOptions& options = call.options;
  if (options.tensor_layout != TensorLayout::thd) {
    fail("query_starts: expected tensor_layout thd, found " +
         std::string(name(options.tensor_layout)));
  }
  check_starts("query_starts", options.query_starts, call.queries);
  check_starts("key_starts", options.key_starts, call.keys);
  if (options.query_starts.size() != options.key_starts.size()) {
    fail(fmt::format("query_starts and key_starts: expected one sequence in both, found {} and {}",
                     options.query_starts.size() - 1, options.key_starts.size() - 1));
  }
  for (const auto& [what, given] : {std::pair{"key_mask", is_given(options.key_mask)},
                                    {"mask", is_given(options.mask)},
                                    {"key_lengths", !options.key_lengths.empty()},
                                    {"query_tokens", !options.query_tokens.empty()},
                                    {"key_tokens", !options.key_tokens.empty()}}) {
    if (given) fail(fmt::format("{}: expected none beside query_starts, found one", what));
  }
  std::vector<AttentionSequence> sequences;
  for (size_t s = 0; s + 1 < options.query_starts.size(); ++s) {
    AttentionSequence sequence;
    sequence.first_query = options.query_starts[s];
    sequence.queries = options.query_starts[s + 1] - options.query_starts[s];
    sequence.first_key = options.key_starts[s];
    sequence.keys = options.key_starts[s + 1] - options.key_starts[s];
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

void cut_to_lengths(std::span<const int64_t> lengths, const AttentionCall& call,
                    std::vector<AttentionSequence>& sequences) {
  if (std::ssize(lengths) != call.batch) {
    fail(fmt::format("key_lengths: expected one for each of {} sequences, found {}", call.batch,
                     lengths.size()));
  }
  for (size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] < 0 || lengths[b] > call.keys) {
      fail(fmt::format("key_lengths[{}]: expected 0..{} keys, found {}", b, call.keys, lengths[b]));
    }
    AttentionSequence& sequence = sequences[b];
    sequence.keys = lengths[b];
    std::erase_if(sequence.order, [&](int64_t key) { return key >= lengths[b]; });
  }
}

}  // namespace

std::vector<AttentionSequence> attention_sequences(const AttentionCall& call) {
  const AttentionOptions& options = call.options;
  if (!options.query_starts.empty() || !options.key_starts.empty()) return packed_sequences(call);
  std::vector<AttentionSequence> sequences(static_cast<size_t>(call.batch));
  for (int64_t b = 0; b < call.batch; ++b) {
    AttentionSequence& sequence = sequences[static_cast<size_t>(b)];
    sequence.batch = b;
    sequence.queries = call.queries;
    sequence.keys = call.keys;
    sequence.ordered = options.key_tokens.empty() && !is_given(options.key_mask);
  }
  if (is_given(options.key_mask)) {
    for_each_key(options.key_mask, [&](int64_t b, int64_t j) {
      sequences[static_cast<size_t>(b)].order.push_back(j);
    });
  } else if (!options.key_tokens.empty()) {
    for (AttentionSequence& sequence : sequences) {
      for (int64_t j = 0; j < call.keys; ++j) sequence.order.push_back(j);
    }
  }
  if (!options.key_lengths.empty()) cut_to_lengths(options.key_lengths, call, sequences);
  if (!options.key_tokens.empty()) {
    for (AttentionSequence& sequence : sequences) {
      std::ranges::stable_sort(sequence.order, {},
                               [&](int64_t key) { return call.key_token(key); });
    }
  }
  return sequences;
}

int64_t AttentionCall::query_token(const AttentionSequence& sequence, int64_t query) const {
  if (!options.query_tokens.empty()) return options.query_tokens[static_cast<size_t>(query)];
  if (options.first_query) return *options.first_query + query;
  // Padding behind the keys counts: it is tokens, too.
  const int64_t all = options.key_starts.empty() ? keys : sequence.keys;
  return query + (all - sequence.queries);
}

// The largest multiple of `step` that is not above x.
static int64_t floored(int64_t x, int64_t step) {
  return (x >= 0 ? x / step : -((step - 1 - x) / step)) * step;
}

AttentionCall::Seen AttentionCall::seen(int64_t sequence_number, int64_t query) const {
  const AttentionSequence& sequence = sequences[static_cast<size_t>(sequence_number)];
  const int64_t token = query_token(sequence, query), count = keys_of(sequence);
  const std::vector<int64_t>& order = sequence.order;
  constexpr int64_t kAll = int64_t{1} << 60;
  int64_t begin = -kAll, end = kAll;  // tokens
  if (options.causal) end = token + 1;
  if (!prefix.empty()) end = std::max(end, prefix[static_cast<size_t>(sequence_number)]);
  if (options.window_right >= 0) end = std::min(end, token + options.window_right + 1);
  if (options.window_left >= 0) begin = token - options.window_left;
  if (options.chunk > 0) {
    const bool padded = !sequence.ordered && count > 0 && is_given(options.key_mask);
    const int64_t start = padded ? key_token(order.front()) : 0;
    const int64_t chunk = start + floored(token - start, options.chunk);
    begin = std::max(begin, chunk);
    end = std::min(end, chunk + options.chunk);
  }
  const auto place = [&](int64_t limit) {
    if (sequence.ordered) return std::clamp<int64_t>(limit, 0, count);
    return static_cast<int64_t>(
        std::ranges::lower_bound(order, limit, {}, [&](int64_t key) { return key_token(key); }) -
        order.begin());
  };
  end = place(end);
  return {std::min(place(begin), end), end};
}

}  // namespace ropewalk
