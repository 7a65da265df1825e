#include "ropewalk/models/presets.h"

namespace ropewalk {
namespace {

constexpr Preset kPresets[] = {
    // meta-llama/Llama-2-7b-hf
    {"llama-2-7b", R"({
  "architectures": ["LlamaForCausalLM"],
  "hidden_size": 4096,
  "max_position_embeddings": 4096,
  "model_type": "llama",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 32,
  "rope_scaling": null
})"},
    // meta-llama/Meta-Llama-3-8B
    {"llama-3-8b", R"({
  "architectures": ["LlamaForCausalLM"],
  "hidden_size": 4096,
  "max_position_embeddings": 8192,
  "model_type": "llama",
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "rope_scaling": null,
  "rope_theta": 500000.0
})"},
    // baichuan-inc/Baichuan-7B
    {"baichuan-7b", R"({
  "architectures": ["BaiChuanForCausalLM"],
  "hidden_size": 4096,
  "max_position_embeddings": 4096,
  "model_type": "baichuan",
  "num_attention_heads": 32,
  "num_hidden_layers": 32
})"},
    // baichuan-inc/Baichuan-13B-Chat
    {"baichuan-13b", R"({
  "architectures": ["BaichuanForCausalLM"],
  "hidden_size": 5120,
  "model_max_length": 4096,
  "model_type": "baichuan",
  "num_attention_heads": 40,
  "num_hidden_layers": 40
})"},
    // THUDM/chatglm-6b
    {"chatglm-6b", R"({
  "architectures": ["ChatGLMModel"],
  "bos_token_id": 130004,
  "gmask_token_id": 130001,
  "hidden_size": 4096,
  "inner_hidden_size": 16384,
  "mask_token_id": 130000,
  "max_sequence_length": 2048,
  "model_type": "chatglm",
  "num_attention_heads": 32,
  "num_layers": 28,
  "position_encoding_2d": true,
  "torch_dtype": "float16",
  "vocab_size": 130528
})"},
    // THUDM/chatglm2-6b
    {"chatglm2-6b", R"({
  "_name_or_path": "THUDM/chatglm2-6b",
  "model_type": "chatglm",
  "architectures": ["ChatGLMModel"],
  "hidden_size": 4096,
  "kv_channels": 128,
  "multi_query_attention": true,
  "multi_query_group_num": 2,
  "num_attention_heads": 32,
  "num_layers": 28,
  "original_rope": true,
  "seq_length": 32768,
  "torch_dtype": "float16"
})"},
    // THUDM/chatglm3-6b
    {"chatglm3-6b", R"({
  "_name_or_path": "THUDM/chatglm3-6b",
  "model_type": "chatglm",
  "architectures": ["ChatGLMModel"],
  "hidden_size": 4096,
  "kv_channels": 128,
  "multi_query_attention": true,
  "multi_query_group_num": 2,
  "num_attention_heads": 32,
  "num_layers": 28,
  "original_rope": true,
  "seq_length": 8192,
  "torch_dtype": "float16"
})"},
    // THUDM/glm-4-9b-chat
    {"glm-4-9b-chat", R"({
  "_name_or_path": "THUDM/glm-4-9b-chat",
  "model_type": "chatglm",
  "architectures": ["ChatGLMModel"],
  "hidden_size": 4096,
  "kv_channels": 128,
  "multi_query_attention": true,
  "multi_query_group_num": 2,
  "num_attention_heads": 32,
  "num_hidden_layers": 40,
  "num_layers": 40,
  "rope_ratio": 500,
  "original_rope": true,
  "seq_length": 131072,
  "torch_dtype": "bfloat16"
})"},
};

}  // namespace

std::span<const Preset> presets() { return kPresets; }

}  // namespace ropewalk
