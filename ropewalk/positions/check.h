#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// What the builders of position ids check alike.
namespace ropewalk {

// Far above any context, and small enough that three lists of it can be allocated.
constexpr int64_t kMaxTokens = int64_t{1} << 28;

// Throws invalid_argument for a negative count, resource_limit beyond kMaxTokens.
void check_tokens(int64_t tokens, std::string_view what);

// batch * seq, checked like a count of tokens. Throws invalid_argument unless `found` is the same.
int64_t checked_tokens(int64_t batch, int64_t seq, size_t found, std::string_view what);

// Throws invalid_argument unless the boundaries begin with 0 and never fall.
void check_cu_seqlens(std::span<const int64_t> cu_seqlens);

}  // namespace ropewalk
