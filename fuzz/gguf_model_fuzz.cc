#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "fuzz/model_answers.h"
#include "ropewalk/models/gguf_model.h"
#include "ropewalk/testing/gguf_bytes.h"

namespace {

constexpr const char* kArchitectures[] = {
    "llama",   "qwen2",  "qwen2vl", "qwen3moe", "gemma3",  "phi3",
    "gptneox", "falcon", "mpt",     "bloom",    "chatglm", "deepseek2",
    "cohere2", "llama4", "gpt-oss", "olmo2",    "granite", "starcoder2"};
constexpr const char* kKeys[] = {"block_count",
                                 "embedding_length",
                                 "context_length",
                                 "vocab_size",
                                 "attention.head_count",
                                 "attention.head_count_kv",
                                 "attention.key_length",
                                 "attention.value_length",
                                 "attention.key_length_mla",
                                 "attention.kv_lora_rank",
                                 "attention.sliding_window",
                                 "attention.sliding_window_pattern",
                                 "attention.scale",
                                 "attention.clamp_kqv",
                                 "attention.max_alibi_bias",
                                 "attention.layer_norm_rms_epsilon",
                                 "attention.causal",
                                 "attn_logit_softcapping",
                                 "rope.freq_base",
                                 "rope.freq_base_swa",
                                 "rope.dimension_count",
                                 "rope.dimension_sections",
                                 "rope.scaling.type",
                                 "rope.scaling.factor",
                                 "rope.scaling.attn_factor",
                                 "rope.scaling.original_context_length",
                                 "rope.scaling.yarn_log_multiplier",
                                 "rope.scaling.yarn_beta_fast"};
constexpr const char* kTypes[] = {"none", "linear", "yarn", "longrope", "dynamic", "", "su"};
constexpr const char* kTensors[] = {"rope_freqs.weight",         "rope_factors_long.weight",
                                    "rope_factors_short.weight", "blk.0.attn_q_norm.weight",
                                    "blk.0.attn_sinks.weight",   "blk.1.attn_q.weight"};

void add_key(FuzzedDataProvider& in, const std::string& key, ropewalk::GgufBytes& file) {
  switch (in.ConsumeIntegralInRange(0, 6)) {
    case 0:
      file.u32(key, in.ConsumeIntegralInRange<uint32_t>(0, 600));
      break;
    case 1:
      file.u32(key, in.ConsumeIntegral<uint32_t>());
      break;
    case 2:
      file.f32(key, in.ConsumeFloatingPointInRange<float>(0, 1e6f));
      break;
    case 3:
      file.f32(key, in.ConsumeFloatingPoint<float>());
      break;
    case 4:
      file.text(key, in.PickValueInArray(kTypes));
      break;
    case 5: {
      std::vector<int32_t> values(in.ConsumeIntegralInRange<size_t>(0, 8));
      for (int32_t& value : values) value = in.ConsumeIntegralInRange<int32_t>(-4, 300);
      file.array(key, 5, values);
      break;
    }
    default:
      file.boolean(key, in.ConsumeIntegral<uint8_t>());
  }
}

}  // namespace

// A sound GGUF with any of the keys that models have, of any type, to the model and its
// frequencies.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static MemoryFile file;
  FuzzedDataProvider in(data, size);
  ropewalk::GgufBytes bytes;
  const std::string architecture = in.PickValueInArray(kArchitectures);
  bytes.text("general.architecture", architecture);
  // Most files have the sizes; then come keys at random, these among them.
  if (in.ConsumeBool()) {
    bytes.u32(architecture + ".block_count", in.ConsumeIntegralInRange<uint32_t>(1, 6));
    bytes.u32(architecture + ".embedding_length", 64 * in.ConsumeIntegralInRange<uint32_t>(1, 8));
    bytes.u32(architecture + ".context_length", in.ConsumeIntegralInRange<uint32_t>(1, 1 << 20));
    bytes.u32(architecture + ".attention.head_count", in.ConsumeIntegralInRange<uint32_t>(1, 8));
    bytes.f32(architecture + ".attention.layer_norm_rms_epsilon", 1e-6f);
  }
  const auto tensors = in.ConsumeIntegralInRange<size_t>(0, 3);
  std::string numbers;
  for (size_t i = 0; i < tensors; ++i) {
    const auto length = in.ConsumeIntegralInRange<uint64_t>(0, 64);
    bytes.tensor(in.PickValueInArray(kTensors), {length}, 0, numbers.size());
    for (uint64_t n = 0; n < length; ++n) numbers += bytes.bytes(in.ConsumeFloatingPoint<float>());
    numbers.append((32 - numbers.size() % 32) % 32, '\0');
  }
  while (in.remaining_bytes() > 0) {
    add_key(in, architecture + "." + in.PickValueInArray(kKeys), bytes);
  }
  const std::string written = bytes.file(numbers.empty() ? " " : numbers);
  file.assign(reinterpret_cast<const uint8_t*>(written.data()), written.size());
  answer([&] { check_model(ropewalk::read_gguf_model(file.path())); });
  return 0;
}
