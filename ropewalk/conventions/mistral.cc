// Mistral, Mixtral, Ministral, and what Mistral AI built on them.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"num_local_experts", "llama_4_scaling"};

constexpr DefaultRope::Parameter kMinistral3RopeParameters[] = {
    {"factor", 16}, {"beta_fast", 32},     {"beta_slow", 1},
    {"mscale", 1},  {"mscale_all_dim", 1}, {"original_max_position_embeddings", 16384}};
constexpr DefaultRope kMinistral3Rope[] = {{.rope_type = "yarn",
                                            .parameters = kMinistral3RopeParameters,
                                            .rope_theta = 1000000,
                                            .query_beta = 0.1}};
constexpr DefaultRope::Parameter kMistral4RopeParameters[] = {
    {"factor", 128}, {"beta_fast", 32},     {"beta_slow", 1},
    {"mscale", 1},   {"mscale_all_dim", 1}, {"original_max_position_embeddings", 8192}};
constexpr DefaultRope kMistral4Rope[] = {{.rope_type = "yarn",
                                          .parameters = kMistral4RopeParameters,
                                          .rope_theta = 10000,
                                          .query_beta = 0.1}};
constexpr DefaultRope::Parameter kMistralLarge4TextRopeParameters[] = {
    {"factor", 2048},
    {"beta_fast", 32},
    {"beta_slow", 1},
    {"attention_factor", 1},
    {"original_max_position_embeddings", 512}};
constexpr DefaultRope kMistralLarge4TextRope[] = {
    {.rope_type = "yarn", .parameters = kMistralLarge4TextRopeParameters, .rope_theta = 10000}};

constexpr ModelType kMistral{
    .name = "mistral",
    .architecture = "MistralForCausalLM",
    .config_class = "MistralConfig",
    .size = {4096, 32, 32},
    .kv_heads = 8,
    .max_positions = 131072,
    .attention = {.known = true,
                  .window = {.key = "sliding_window", .value = 4096, .all_layers = true}},
    .weights = kSeparate,
    .gguf = gguf_norm("llama")};

constexpr Part kVoxtralParts[] = {part_model("audio", "audio_config", "voxtral_encoder")};

constexpr Part kVoxtralRealtimeParts[] = {
    part_model("audio", "audio_config", "voxtral_realtime_encoder")};

constexpr ModelType kTypes[] = {
    kMistral,
    like(kMistral, {.name = "mixtral",
                    .architecture = "MixtralForCausalLM",
                    .config_class = "MixtralConfig",
                    .window = 0,
                    .rope_theta = 1000000,
                    .gguf = gguf_norm("llama")}),
    like(kMistral, {.name = "ministral",
                    .architecture = "MinistralForCausalLM",
                    .config_class = "MinistralConfig",
                    .layers = LayerRule{.kinds = kSlidingAndFull},
                    .attention = AttentionRule{.known = true,
                                               .window = {.key = "sliding_window", .value = 4096}},
                    .gguf = gguf_norm("llama")}),
    {.name = "ministral3",
     .architecture = "Ministral3ForCausalLM",
     .config_class = "Ministral3Config",
     .size = {4096, 32, 34},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 262144,
     .rope_theta = 1000000,
     .default_rope = kMinistral3Rope,
     .attention = {.known = true,
                   .window = {.key = "sliding_window", .value = 0, .all_layers = true},
                   .query_scale = QueryScaleFrom::mistral},
     .weights = kSeparate,
     .gguf = gguf_norm("mistral3")},
    {.name = "mistral4",
     .architecture = "Mistral4ForCausalLM",
     .config_class = "Mistral4Config",
     .size = {4096, 32, 36},
     .kv_heads = 32,
     .max_positions = 1048576,
     .pairing = Pairing::interleaved,
     .default_rope = kMistral4Rope,
     .yarn_type = "deepseek_yarn",
     .latent = {.nope_dim = 64,
                .rope_dim = 64,
                .writes_half_split = true,
                .key_decides = true,
                .q_rank = 1024,
                .kv_rank = 256},
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .query_scale = QueryScaleFrom::mistral},
     .weights = kLatent,
     .gguf = gguf_norm("mistral4")},
    {.name = "mistral3",
     .architecture = "Mistral3ForConditionalGeneration",
     .config_class = "Mistral3Config",
     .part = "text_config",
     .part_type = "mistral",
     .parts = kPixtralTower},
    {.name = "voxtral",
     .architecture = "VoxtralForConditionalGeneration",
     .config_class = "VoxtralConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kVoxtralParts},
    like(kMistral, {.name = "voxtral_realtime_text",
                    .config_class = "VoxtralRealtimeTextConfig",
                    .window = 8192}),
    {.name = "voxtral_realtime_encoder",
     .config_class = "VoxtralRealtimeEncoderConfig",
     .size = {1280, 32, 32},
     .head_dim = 64,
     .max_positions = 1500},
    {.name = "voxtral_realtime",
     .architecture = "VoxtralRealtimeForConditionalGeneration",
     .config_class = "VoxtralRealtimeConfig",
     .part = "text_config",
     .part_type = "voxtral_realtime_text",
     .parts = kVoxtralRealtimeParts},
    {.name = "mistral_large4_text",
     .config_class = "MistralLarge4TextConfig",
     .size = {6144, 64, 72},
     .kv_heads = 64,
     .max_positions = 1048576,
     .pairing = Pairing::interleaved,
     .default_rope = kMistralLarge4TextRope,
     .latent = {.nope_dim = 64, .rope_dim = 64, .writes_half_split = true},
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .not_computed = kSparseIndexer}},
    {.name = "mistral_large4",
     .architecture = "MistralLarge4ForConditionalGeneration",
     .config_class = "MistralLarge4Config",
     .part = "text_config",
     .part_type = "mistral_large4_text",
     .parts = kPixtralTower},
    vision_tower({"pixtral",
                  "PixtralVisionConfig",
                  {1024, 16, 24},
                  &kPixtralVision,
                  "RoPE half_split, rows on even frequencies, columns on odd ones"}),
    learned_table({.name = "voxtral_encoder",
                   .architecture = "VoxtralEncoder",
                   .config_class = "VoxtralEncoderConfig",
                   .size = {1280, 20, 32},
                   .max_positions = 1500,
                   .learned = {.tensor = "embed_positions.weight"},
                   .max_positions_key = "max_source_positions"}),
};

}  // namespace

constinit const Family family::mistral{
    .name = "mistral", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
