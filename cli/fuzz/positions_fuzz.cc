#include <array>
#include <string>
#include <string_view>

#include "cli/arguments.h"
#include "cli/position_kinds.h"
#include "ropewalk/base/checked.h"

namespace {

void require(bool promise) {
  if (!promise) __builtin_trap();
}

}  // namespace

// The words of `ropewalk positions`: a kind, VALUES and its options, parted by zero bytes. What is
// made has as many ids as its shape says; what is refused is one line.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ropewalk;
  using namespace ropewalk::cli;
  if (size == 0) return 0;
  const auto kinds = position_kinds();
  const PositionKind& kind = kinds[data[0] % kinds.size()];
  PositionRequest request{.most = 1 << 16};
  for (const PositionKind& any : kinds) {
    for (const std::string_view option : any.options) request.options[std::string(option)];
  }
  const std::string words(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> parts = items_of(words, '\0');
  request.values = parts[0];
  for (size_t i = 0; i < kind.options.size() && i + 1 < parts.size(); ++i) {
    if (kind.options[i] != "--for") request.options[std::string(kind.options[i])] = parts[i + 1];
  }
  if (request.values.find(".npy") != std::string::npos) return 0;
  try {
    const MadePositions made = kind.make(request);
    require(num_elements(made.array.shape) == std::ssize(made.array.ids));
  } catch (const Error& error) {
    require(error.code() == ErrorCode::invalid_argument ||
            error.code() == ErrorCode::resource_limit);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
