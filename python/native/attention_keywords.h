#pragma once

#include <deque>
#include <string>
#include <vector>

#include "python/native/rope.h"
#include "ropewalk/attention/attention.h"

namespace ropewalk::python {

// What a function takes beside the keywords of every call of attention, summed.
enum AttentionKeywordGroup : int {
  kOneCall = 0,
  kLayout = 1,    // layout
  kPacked = 2,    // cu_seqlens, cu_seqlens_q, cu_seqlens_k
  kRotation = 4,  // q_rows, k_rows
  kResult = 8,    // out, return_lse
};

// The keywords of one call of attention, and the memory that its options point to.
class AttentionKeywords {
 public:
  // `function` is its name and the sum of the groups that it takes. Throws Python's TypeError for a
  // keyword that it does not know, and Error naming the keyword for a wrong value.
  struct Function {
    const char* name;
    int groups;
  };
  AttentionKeywords(const Function& function, const nb::kwargs& given, AttentionOptions options);
  AttentionKeywords(const AttentionKeywords&) = delete;
  AttentionKeywords& operator=(const AttentionKeywords&) = delete;

  // attn_mask as [batch, heads, queries, keys] of this call, by NumPy's rules of broadcasting.
  struct Extent {
    int64_t batch, heads, queries, keys;
  };
  void broadcast_mask(const Extent& extent);

  AttentionOptions options;
  const Rows* q_rows = nullptr;  // in options, too
  bool return_lse = false;
  nb::object out;  // none: a new one

 private:
  friend struct AttentionKeyword;

  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<int64_t>> integers_;
  std::deque<Array> arrays_;
  std::deque<nb::object> made_;                      // arrays of lists
  bool named_queries_ = false, named_keys_ = false;  // by a list, which may be empty
};

// A message of the library in the words of the keywords.
std::string in_keywords(std::string message);

}  // namespace ropewalk::python
