// ChatGLM-6B, ChatGLM2-6B, ChatGLM3-6B and GLM-4-9B: one model_type for two unlike encodings.
// Source: modeling_chatglm.py and configuration_chatglm.py of THUDM/chatglm-6b, chatglm2-6b,
// chatglm3-6b and glm-4-9b-chat.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {
    "position_encoding_2d",  "inner_hidden_size", "kv_channels", "multi_query_attention",
    "multi_query_group_num", "original_rope",     "rope_ratio",  "seq_length"};

constexpr WeightNames kFirstNames{.form = QkvForm::fused_per_head,
                                  .layer = "layers.{}.attention.",
                                  .q = "query_key_value",
                                  .o = "dense"};
constexpr std::string_view kEncoding =
    "ChatGLM-6B: RoPE half_split, 2-D; later: RoPE interleaved on the first half of the head";

constexpr ModelType kTypes[] = {
    {.name = "chatglm",
     .architecture = "ChatGLMModel",
     .other_architecture = "ChatGLMForConditionalGeneration",
     .config_class = "ChatGLMConfig",
     .pairing = Pairing::interleaved,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused_or_per_head,
                 .layer = "encoder.layers.{}.self_attention.",
                 .q = "query_key_value",
                 .o = "dense"},
     .other_weights = &kFirstNames,
     .gguf = gguf_norm("chatglm"),
     .encoding = kEncoding,
     .special = Special::chatglm},
};

}  // namespace

constinit const Family family::chatglm{
    .name = "chatglm", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
