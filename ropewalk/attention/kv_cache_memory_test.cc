// Memory that runs out at any allocation of a call leaves a cache as it was: the operators of this
// program count, and refuse.
// The sanitizers have operators of their own, so a build with one of them has no such test.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROPEWALK_SANITIZED 1
#endif
#endif
#if !defined(ROPEWALK_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "ropewalk/attention/kv_cache_testing.h"

namespace {
thread_local int64_t allocations = 0;
thread_local int64_t failing = -1;  // the number of the allocation that fails; -1: none

bool may_allocate() { return allocations++ != failing; }
}  // namespace

void* operator new(std::size_t size) {
  void* const memory = may_allocate() ? std::malloc(size > 0 ? size : 1) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, std::align_val_t align) {
  const auto step = static_cast<std::size_t>(align);
  const std::size_t whole = (size + step - 1) / step * step;
  void* const memory =
      may_allocate() ? std::aligned_alloc(step, whole > 0 ? whole : step) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace ropewalk {
namespace {

using testing::filled;
using testing::RandomTokens;
using testing::small_config;

// Lets the allocations of a call fail one after the other, until it works.
template <typename Verb>
void expect_all_or_nothing(const KvCache& cache, Verb verb) {
  KvCache done = cache;
  verb(done);
  for (int64_t last = 0;; ++last) {
    KvCache changed = cache;
    bool failed = false;
    allocations = 0;
    failing = last;
    try {
      verb(changed);
    } catch (const Error& error) {
      failing = -1;
      failed = error.code() == ErrorCode::resource_limit;
      EXPECT_TRUE(failed) << error.what();
    }
    failing = -1;
    if (!failed) {
      EXPECT_GT(last, 0) << "nothing was allocated";
      EXPECT_TRUE(changed == done);
      return;
    }
    EXPECT_TRUE(changed == cache) << "after allocation " << last;
    EXPECT_EQ(changed.size_in_bytes(), cache.size_in_bytes()) << "after allocation " << last;
  }
}

TEST(KvCacheMemory, MemoryThatRunsOutChangesNothing) {
  for (DType dtype : {DType::bf16, DType::i8}) {
    const KvCacheConfig config = small_config(dtype);
    const RandomTokens tokens(config, 14);
    const KvCache cache = filled(config, tokens);
    const KvTokens more = tokens.some(0, 11);
    expect_all_or_nothing(cache, [&](KvCache& c) { c.append(0, positions_from(14), more); });
    expect_all_or_nothing(cache, [&](KvCache& c) { c.append(1, positions_from(0), more); });
    expect_all_or_nothing(cache, [&](KvCache& c) { c.shift(0, {2, 14}, 5); });
    expect_all_or_nothing(cache, [&](KvCache& c) { c.evict(0, {2, 7}); });
    expect_all_or_nothing(cache, [&](KvCache& c) { c.keep_ends(0, 2, 5); });
    const Spectrum spectrum = testing::spectrum_of(900, 6);
    expect_all_or_nothing(cache, [&](KvCache& c) { c.rerotate(0, spectrum); });
    expect_all_or_nothing(cache, [&](KvCache& c) { c.copy(0, 1); });
  }
}

TEST(KvCacheMemory, ATokenWithinAPageAllocatesNothing) {
  const KvCacheConfig config = small_config(DType::bf16, 64);
  const RandomTokens tokens(config, 12, 1, DType::bf16);
  KvCache cache(config);
  cache.append(0, positions_from(0), tokens.some(0, 1));
  const KvTokens next = tokens.some(1, 1);
  const PositionIds position = positions_from(1);
  allocations = 0;
  cache.append(0, position, next);
  EXPECT_EQ(allocations, 0);
}

}  // namespace
}  // namespace ropewalk

#endif
