#include "cli/learned_numbers.h"

#include <string>
#include <variant>

#include <fmt/format.h>

#include "cli/output.h"
#include "ropewalk/base/error.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

ConstTensorView view(const std::optional<Tensor>& tensor) {
  return tensor ? tensor->view() : ConstTensorView{};
}

std::span<const float> floats_of(const std::optional<Tensor>& tensor) {
  if (!tensor) return {};
  return {reinterpret_cast<const float*>(tensor->bytes.data()),
          tensor->bytes.size() / sizeof(float)};
}

// "--sinks: ..." for what the layer needs and was not given, or was given and cannot use.
std::optional<Tensor> read_learned(bool needed, const std::string& path, const char* option,
                                   const std::string& why) {
  if (needed && path.empty()) fail(fmt::format("{} FILE is needed: {}", option, why));
  if (!needed && !path.empty()) fail(fmt::format("{}: this layer has no use for it", option));
  if (path.empty()) return std::nullopt;
  return converted(load_tensor(path, option + 2, false).view(), DType::f32);
}

}  // namespace

HeadNorms LearnedNumbers::norms() const {
  return {.q_norm = view(q_norm), .k_norm = view(k_norm), .normed = normed};
}

ScoreWeights LearnedNumbers::scores() const {
  return {.sinks = floats_of(sinks), .bucket_bias = view(bucket_bias)};
}

LearnedNumbers read_learned_numbers(const Layer& layer, const AttendInput& input) {
  const AttentionConfig& config = layer.attention;
  const bool before = config.qk_norm.place == NormPlace::before_rotation;
  if (input.normed && (config.qk_norm.kind == NormKind::none || !before)) {
    fail("--normed: this layer has no norm before the rotation");
  }
  const bool norms =
      config.qk_norm.kind != NormKind::none && config.qk_norm.weights && !input.normed;
  const std::string why =
      fmt::format("the layer norms q and k {} the rotation{}", before ? "before" : "after",
                  before ? "; or --normed, where that was done" : "");
  return {
      read_learned(norms, input.q_norm, "--q-norm", why),
      read_learned(norms, input.k_norm, "--k-norm", why),
      read_learned(config.sinks, input.sinks, "--sinks",
                   "the layer has a learned logit for each head"),
      read_learned(std::holds_alternative<BucketBiasConfig>(layer.positions), input.bucket_bias,
                   "--bucket-bias", "the layer has a table of numbers for buckets of distances"),
      input.normed};
}

}  // namespace ropewalk::cli
