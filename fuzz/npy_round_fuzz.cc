#include <filesystem>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>
#include <unistd.h>

#include "fuzz/memory_file.h"
#include "ropewalk/base/tensor.h"
#include "ropewalk/formats/npy.h"

// An array of any type, shape and strides is read as it was written.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ropewalk;
  static const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                            ("ropewalk-fuzz-" + std::to_string(getpid()) + ".npy");
  FuzzedDataProvider in(data, size);
  constexpr DType kTypes[] = {DType::f32, DType::f64, DType::bf16, DType::f16,
                              DType::i32, DType::i64, DType::u8,   DType::boolean};
  ConstTensorView view{nullptr, in.PickValueInArray(kTypes), {}, {}};
  const int rank = in.ConsumeIntegralInRange(0, kMaxRank);
  int64_t low = 0, high = 0;  // of the elements that it reaches
  for (int i = 0; i < rank; ++i) {
    view.shape.push_back(in.ConsumeIntegralInRange<int64_t>(0, 5));
    view.strides.push_back(in.ConsumeIntegralInRange<int64_t>(-40, 40));
    const int64_t reach = view.strides[i] * std::max<int64_t>(view.shape[i] - 1, 0);
    (reach < 0 ? low : high) += reach;
  }
  const auto bytes = static_cast<int64_t>(size_in_bytes(view.dtype));
  std::vector<uint8_t> memory(static_cast<size_t>((high - low + 1) * bytes));
  for (uint8_t& byte : memory) {
    byte = in.ConsumeIntegral<uint8_t>();
    if (view.dtype == DType::boolean) byte &= 1;
  }
  view.data = memory.data() - low * bytes;
  write_npy(path, view, Overwrite::replace);
  const Tensor read = read_npy(path, {.bf16_as_v2 = true});
  require(read.dtype == view.dtype && read.shape == view.shape);
  require(read.bytes == contiguous_copy(view).bytes);
  return 0;
}
