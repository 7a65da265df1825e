#include "ropewalk/kernels/simd/targets.h"

#include <atomic>

#include <unistd.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ropewalk/kernels/simd/targets.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_ONCE
namespace ropewalk {
namespace {

// AVX512-BF16 is AVX3 with one more instruction: Highway has no target of its own for it.
constexpr std::string_view kWithBf16 = "AVX3_BF16", kWithoutBf16 = "AVX3";

bool machine_converts_to_bf16() {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

std::atomic<bool>& bf16_allowed() {
  static std::atomic<bool> allowed{machine_converts_to_bf16()};
  return allowed;
}

// Of the whole machine, whatever the cap; lower bits are better targets.
std::vector<int64_t> all_targets() {
  static const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  return targets;
}

}  // namespace

std::vector<std::string> available_targets() {
  std::vector<std::string> names;
  for (int64_t target : all_targets()) {
    if (hwy::TargetName(target) == kWithoutBf16 && machine_converts_to_bf16()) {
      names.emplace_back(kWithBf16);
    }
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

bool cap_target(std::string_view target) {
  int64_t allowed = 0;
  const bool with_bf16 = machine_converts_to_bf16() && (target.empty() || target == kWithBf16);
  if (with_bf16 && !target.empty()) target = kWithoutBf16;
  bool found = target.empty();
  for (int64_t candidate : all_targets()) {
    found = found || hwy::TargetName(candidate) == target;
    if (found) allowed |= candidate;
  }
  if (!found) return false;
  bf16_allowed() = with_bf16;
  hwy::SetSupportedTargetsForTest(allowed);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}

bool bf16_conversion_allowed() { return bf16_allowed().load(std::memory_order_relaxed); }

int64_t second_level_cache_in_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const int64_t size = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size > 0) return size;
#endif
  return int64_t{1} << 20;
}

int64_t last_level_cache_in_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  static const int64_t size = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (size > 0) return size;
#endif
  return int64_t{32} << 20;
}

bool prefetch_pays() {
#if HWY_ARCH_X86_64 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  static const bool pays = !__builtin_cpu_is("amd");
  return pays;
#else
  return true;
#endif
}

}  // namespace ropewalk
#endif
