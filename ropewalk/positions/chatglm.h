#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropewalk {

// The two position ids of each token for ChatGLM-6B, whose first 64 channels of a head turn with
// the position and last 64 with the block position.
struct ChatGlmPositions {
  std::vector<int64_t> position;        // [S]
  std::vector<int64_t> block_position;  // [S]

  // [2, S], position first: what apply_rope takes.
  std::vector<int64_t> planes() const;

  bool operator==(const ChatGlmPositions&) const = default;
};

// The published code changed once. Both rules are those of a whole sequence given at once, as in
// training and prefill; the March code's own decode steps with a cache put each new token at
// mask_index even with gMASK.
enum class ChatGlmRevision {
  clamped,     // vocabulary 130528, bos 130004: after bos the position stays at the mask token
  continuing,  // March 2023, vocabulary 150528, bos 150004: with gMASK the position goes on
               // counting
};

// ids = [text ..., mask, bos, generated ...]. `context_length` is the index of bos, `mask_index`
// that of gMASK (or of MASK where there is no gMASK, `gmask` false).
//   position: 0 .. context_length - 1, then mask_index for every later token (clamped)
//   block_position: 0 before bos, then 1, 2, 3, ...
// Worked numbers: [tok, tok, gMASK, bos, a, b]: position [0,1,2,2,2,2], block [0,0,0,1,2,3].
struct ChatGlmPrompt {
  int64_t length = 0;          // tokens in all
  int64_t context_length = 0;  // index of bos
  int64_t mask_index = 0;      // index of gMASK or MASK
  bool gmask = true;           // the mask token is gMASK
  ChatGlmRevision revision = ChatGlmRevision::clamped;
};
// Throws invalid_argument unless 0 <= mask_index < context_length < length, resource_limit beyond
// 2^28 tokens. Source: get_position_ids in modeling_chatglm.py of THUDM/chatglm-6b.
ChatGlmPositions chatglm_positions(const ChatGlmPrompt& prompt);

// Finds gMASK (else MASK) and bos in token ids, by the ids of the model's revision, told by bos
// (130004: mask 130000, gMASK 130001; 150004: mask 150000, gMASK 150001).
// Throws invalid_argument naming the token that is missing.
ChatGlmPositions chatglm_positions(std::span<const int64_t> token_ids);

// The tokens of the prompt, which all see one another: those before bos. Throws as above.
int64_t chatglm_prompt_length(std::span<const int64_t> token_ids);

}  // namespace ropewalk
