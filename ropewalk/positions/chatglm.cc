#include "ropewalk/positions/chatglm.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/positions/check.h"

namespace ropewalk {
namespace {

// The special tokens of one revision's vocabulary.
struct SpecialTokens {
  ChatGlmRevision revision;
  int64_t mask, gmask, bos;
};
constexpr SpecialTokens kRevisions[] = {
    {ChatGlmRevision::clamped, 130000, 130001, 130004},
    {ChatGlmRevision::continuing, 150000, 150001, 150004},
};

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorCode::invalid_argument, "chatglm positions: " + why);
}

void check(const ChatGlmPrompt& prompt) {
  if (prompt.length < 1) {
    fail(fmt::format("length: expected at least 1 token, found {}", prompt.length));
  }
  check_tokens(prompt.length, "chatglm positions: length");
  if (prompt.context_length < 1 || prompt.context_length >= prompt.length) {
    fail(fmt::format(
        "context_length: expected the index of bos, in 1..{} (a mask token comes before it), "
        "found {}",
        prompt.length - 1, prompt.context_length));
  }
  if (prompt.mask_index < 0 || prompt.mask_index >= prompt.context_length) {
    fail(fmt::format("mask_index: expected an index before bos, in 0..{}, found {}",
                     prompt.context_length - 1, prompt.mask_index));
  }
}

std::optional<int64_t> index_of(std::span<const int64_t> ids, int64_t token) {
  const auto found = std::find(ids.begin(), ids.end(), token);
  if (found == ids.end()) return std::nullopt;
  return found - ids.begin();
}

}  // namespace

std::vector<int64_t> ChatGlmPositions::planes() const {
  std::vector<int64_t> both = position;
  both.insert(both.end(), block_position.begin(), block_position.end());
  return both;
}

ChatGlmPositions chatglm_positions(const ChatGlmPrompt& prompt) {
  check(prompt);
  const bool goes_on = prompt.gmask && prompt.revision == ChatGlmRevision::continuing;
  ChatGlmPositions result;
  result.position.reserve(static_cast<size_t>(prompt.length));
  result.block_position.reserve(static_cast<size_t>(prompt.length));
  for (int64_t i = 0; i < prompt.length; ++i) {
    const bool generated = i >= prompt.context_length;
    result.position.push_back(generated && !goes_on ? prompt.mask_index : i);
    result.block_position.push_back(generated ? i - prompt.context_length + 1 : 0);
  }
  return result;
}

namespace {

ChatGlmPrompt prompt_of(std::span<const int64_t> token_ids) {
  for (const SpecialTokens& special : kRevisions) {
    const std::optional<int64_t> bos = index_of(token_ids, special.bos);
    if (!bos) continue;
    const auto context = token_ids.first(static_cast<size_t>(*bos));
    const std::optional<int64_t> gmask = index_of(context, special.gmask);
    const std::optional<int64_t> mask = gmask ? gmask : index_of(context, special.mask);
    if (!mask) {
      fail(
          fmt::format("expected gMASK ({}) or MASK ({}) before bos ({}) at index {}, found neither",
                      special.gmask, special.mask, special.bos, *bos));
    }
    const ChatGlmPrompt prompt{.length = static_cast<int64_t>(token_ids.size()),
                               .context_length = *bos,
                               .mask_index = *mask,
                               .gmask = gmask.has_value(),
                               .revision = special.revision};
    check(prompt);
    return prompt;
  }
  fail(
      fmt::format("expected bos (130004, or 150004 in the vocabulary of March 2023), found none in "
                  "{} tokens",
                  token_ids.size()));
}

}  // namespace

ChatGlmPositions chatglm_positions(std::span<const int64_t> token_ids) {
  return chatglm_positions(prompt_of(token_ids));
}

int64_t chatglm_prompt_length(std::span<const int64_t> token_ids) {
  return prompt_of(token_ids).context_length;
}

}  // namespace ropewalk
