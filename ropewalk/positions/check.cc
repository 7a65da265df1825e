#include "ropewalk/positions/check.h"

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::invalid_argument, what); }

}  // namespace

void check_tokens(int64_t tokens, std::string_view what) {
  if (tokens < 0) fail(fmt::format("{}: expected a count, found {}", what, tokens));
  if (tokens > kMaxTokens) {
    throw Error(ErrorCode::resource_limit,
                fmt::format("{}: expected at most {} tokens, found {}", what, kMaxTokens, tokens));
  }
}

int64_t checked_tokens(int64_t batch, int64_t seq, size_t found, std::string_view what) {
  check_tokens(batch, what);
  check_tokens(seq, what);
  const int64_t tokens = batch * seq;
  check_tokens(tokens, what);
  if (static_cast<size_t>(tokens) != found) {
    fail(fmt::format("{}: expected {} x {} values, found {}", what, batch, seq, found));
  }
  return tokens;
}

void check_cu_seqlens(std::span<const int64_t> cu_seqlens) {
  if (cu_seqlens.empty() || cu_seqlens[0] != 0) {
    fail(fmt::format("cu_seqlens: expected 0 first, found {}",
                     cu_seqlens.empty() ? "none" : fmt::format("{}", cu_seqlens[0])));
  }
  for (size_t i = 1; i < cu_seqlens.size(); ++i) {
    if (cu_seqlens[i] >= cu_seqlens[i - 1]) continue;
    fail(fmt::format("cu_seqlens: index {}: expected at least {}, found {}", i, cu_seqlens[i - 1],
                     cu_seqlens[i]));
  }
  check_tokens(cu_seqlens.back(), "cu_seqlens");
}

}  // namespace ropewalk
