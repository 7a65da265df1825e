// DeepSeek. Since V2 its attention is latent: only the last qk_rope_head_dim channels of a head
// turn, and the key has them once for all heads. Source: configuration_*.py and modeling_*.py of
// transformers; modeling_deepseek.py of deepseek-ai/deepseek-moe-16b-base.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {
    "qk_rope_head_dim",    "kv_lora_rank",    "q_lora_rank",   "index_head_dim",
    "compress_rope_theta", "compress_ratios", "compress_rates"};

constexpr LatentHead kAlwaysInterleaved{
    .nope_dim = 128, .rope_dim = 64, .writes_half_split = true, .q_rank = 1536};

constexpr Part kDeepseekOcr2VisionParts[] = {
    part_model("encoder", "encoder_config", "deepseek_ocr2_encoder")};
constexpr Part kDeepseekVlParts[] = {part_model("vision", "vision_config", "siglip_vision_model")};
constexpr Part kDeepseekVlHybridParts[] = {
    part_model("vision", "vision_config", "siglip_vision_model"),
    part_model("high_res_vision", "high_res_vision_config", "sam_vision_model")};
constexpr Part kJanusParts[] = {part_model("vision", "vision_config", "janus_vision_model"),
                                part_model("vq", "vq_config", "janus_vqgan")};

constexpr Part kDeepseekOcr2Parts[] = {
    part_model("vision", "vision_config", "deepseek_ocr2_vision")};

constexpr ModelType kTypes[] = {
    {.name = "deepseek_v2",
     .architecture = "DeepseekV2ForCausalLM",
     .config_class = "DeepseekV2Config",
     .size = {4096, 32, 32},
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = {.nope_dim = 128, .rope_dim = 64, .q_rank = 1536},
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_norm("deepseek2")},
    {.name = "deepseek_v3",
     .architecture = "DeepseekV3ForCausalLM",
     .config_class = "DeepseekV3Config",
     .size = {7168, 128, 61},
     .kv_heads = 128,
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = kLatentOfDeepseekV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_norm("deepseek2")},
    {.name = "deepseek_v32",
     .architecture = "DeepseekV32ForCausalLM",
     .config_class = "DeepseekV32Config",
     .size = {7168, 128, 61},
     .kv_heads = 128,
     .max_positions = 163840,
     .pairing = Pairing::interleaved,
     .yarn_type = kDeepseekYarn,
     .latent = kAlwaysInterleaved,
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .not_computed = kSparseIndexer},
     .gguf = gguf_norm("deepseek32"),
     .parts = kHalfSplitIndexer},
    {.name = "deepseek_v4",
     .architecture = "DeepseekV4ForCausalLM",
     .config_class = "DeepseekV4Config",
     .size = {4096, 64, 43},
     .head_dim = 512,
     .kv_heads = 1,
     .max_positions = 1048576,
     .pairing = Pairing::interleaved,
     .attention = {.known = true, .not_computed = kCompressedKeys},
     .encoding = "RoPE interleaved on the last 64 of 512 channels, two bases",
     .special = Special::deepseek_v4},
    // DeepSeek-MoE, the first: ordinary heads.
    {.name = "deepseek",
     .architecture = "DeepseekForCausalLM",
     .config_class = "DeepseekConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("deepseek")},
    {.name = "deepseek_ocr2_text",
     .config_class = "DeepseekOcr2TextConfig",
     .size = {4096, 32, 32},
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "deepseek_ocr2",
     .architecture = "DeepseekOcr2ForConditionalGeneration",
     .config_class = "DeepseekOcr2Config",
     .part = "text_config",
     .part_type = "deepseek_ocr2_text",
     .parts = kDeepseekOcr2Parts},
    relative_terms({.name = "deepseek_ocr2_sam_vision_model",
                    .architecture = "DeepseekOcr2SamVisionEncoder",
                    .config_class = "DeepseekOcr2SamVisionConfig",
                    .size = {768, 12, 12},
                    .learned = {.tensor = "pos_embed", .picture = {.image = 1024, .patch = 16}},
                    .relative = {.form = RelativeForm::decomposed}}),
    model_of_parts({.name = "deepseek_ocr2_vision",
                    .architecture = "DeepseekOcr2VisionModel",
                    .config_class = "DeepseekOcr2VisionConfig",
                    .part = "sam_config",
                    .part_type = "deepseek_ocr2_sam_vision_model",
                    .parts = kDeepseekOcr2VisionParts}),
    model_of_parts({.name = "deepseek_vl",
                    .architecture = "DeepseekVLForConditionalGeneration",
                    .config_class = "DeepseekVLConfig",
                    .part = "text_config",
                    .part_type = "llama",
                    .parts = kDeepseekVlParts}),
    model_of_parts({.name = "deepseek_vl_hybrid",
                    .architecture = "DeepseekVLHybridForConditionalGeneration",
                    .config_class = "DeepseekVLHybridConfig",
                    .part = "text_config",
                    .part_type = "llama",
                    .parts = kDeepseekVlHybridParts}),
    model_of_parts({.name = "janus",
                    .architecture = "JanusForConditionalGeneration",
                    .config_class = "JanusConfig",
                    .part = "text_config",
                    .part_type = "llama",
                    .parts = kJanusParts}),
    learned_table({.name = "janus_vision_model",
                   .architecture = "JanusVisionModel",
                   .config_class = "JanusVisionConfig",
                   .size = {1024, 16, 24},
                   .learned = {.tensor = "embeddings.position_embedding.weight",
                               .picture = {.image = 384, .patch = 16}}}),
    without_positions("janus_vqgan", "JanusVQVAE", "JanusVQVAEConfig", kConvolutionsAlone),
    {.name = "deepseek_ocr2_encoder",
     .architecture = "DeepseekOcr2VisionEncoder",
     .config_class = "DeepseekOcr2VisionEncoderConfig",
     .size = {4096, 32, 32},
     .max_positions = 32768},
    model_of_parts({"deepseek_vl_v2", "DeepseekVLV2ForCausalLM", "DeepseekVLV2Config",
                    "language_config", "deepseek_v2", kDeepseekVlParts}),
    model_of_parts({"multi_modality", "MultiModalityCausalLM", "MultiModalityConfig",
                    "language_config", "llama"}),
    refused("deepseekocr", "DeepseekOCRForCausalLM", "DeepseekOCRConfig",
            "its language_config is a deepseek_v2 with ordinary heads, use_mla false, which is not "
            "supported"),
    refused("deepseek_v41", "DeepseekV41ForCausalLM", "DeepseekV41Config",
            "which of its layers are compressed, and so have another base, is not read from it"),
};

}  // namespace

constinit const Family family::deepseek{
    .name = "deepseek", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
