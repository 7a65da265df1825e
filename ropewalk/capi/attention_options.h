#pragma once

#include <cstdint>
#include <vector>

#include "ropewalk/attention/attention.h"
#include "ropewalk/capi/attention.h"

namespace ropewalk::capi {

// The options of one call, and the lists that they point to.
class Attention {
 public:
  // For `queries` and `keys` tokens, in a ropewalk_layout, 0: what is given. Throws naming the
  // field.
  Attention(const ropewalk_attention_options* given, int64_t queries, int64_t keys,
            int32_t layout = 0);
  Attention(const Attention&) = delete;
  Attention& operator=(const Attention&) = delete;

  AttentionOptions options;

 private:
  void add_tokens(const ropewalk_attention_options& how, int64_t queries, int64_t keys);
  void add_rotation(const ropewalk_attention_options& how);

  std::vector<int64_t> key_lengths_, prefix_, query_starts_, key_starts_, query_tokens_,
      key_tokens_;
};

// Tokens of q or k in the layout that the options name. Throws for NULL and another rank.
int64_t tokens_of(const ropewalk_tensor* tensor, const ropewalk_attention_options* options,
                  const char* name);

}  // namespace ropewalk::capi
