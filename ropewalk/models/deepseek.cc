// DeepSeek and the models that share its multi-head latent attention: only the last
// qk_rope_head_dim channels of a head turn, and the key has them once for all heads.
// Source: configuration_*.py and modeling_*.py of transformers; modeling_deepseek.py of
// deepseek-ai/deepseek-moe-16b-base.

#include <fmt/format.h>

#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/vision.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"qk_rope_head_dim", "kv_lora_rank", "q_lora_rank",
                                              "index_head_dim"};
// yarn multiplies the softmax scale too.
constexpr std::string_view kYarn = "deepseek_yarn";

// The indexer that chooses what to attend to turns the first channels of heads of its own.
void add_indexer(ConfigReader& config, ModelEncoding& model, Pairing pairing) {
  const auto* rope = std::get_if<RopeConfig>(&model.layers.front().positions);
  if (rope == nullptr) return;
  const int64_t head_dim = config.integer("index_head_dim", {"index_head_dim"}, kHeadDim,
                                          {{128, "default of the family"}});
  if (rope->rotary_dim > head_dim) {
    config.refuse(ErrorCode::malformed, "index_head_dim",
                  fmt::format("expected at least the {} channels that turn, found {}",
                              rope->rotary_dim, head_dim));
  }
  RopeConfig indexer = *rope;
  indexer.layout = {head_dim, {{0, rope->rotary_dim, pairing}}};
  indexer.output_layout.reset();
  if (pairing == Pairing::interleaved) {
    indexer.output_layout = {head_dim, {{0, rope->rotary_dim, Pairing::half_split}}};
  }
  config.note("indexer pairing", std::string(name(pairing)), "family: the code of the indexer");
  model.others.push_back({"indexer", indexer});
}

void add_half_split_indexer(ConfigReader& config, ModelEncoding& model) {
  add_indexer(config, model, Pairing::half_split);
}
void add_interleaved_indexer(ConfigReader& config, ModelEncoding& model) {
  add_indexer(config, model, Pairing::interleaved);
}

constexpr LayerKind kKimiLinear[] = {
    {.name = "full_attention", .rotates = false},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};

constexpr size_t kKimiLinearStart[] = {1}, kKimiLinearPattern[] = {0, 1, 1, 1};
constexpr KeyAlias kGlmLiteAliases[] = {{"head_dim", "qk_rope_head_dim"}};

constexpr LatentHead kV3{.nope_dim = 128,
                         .rope_dim = 64,
                         .writes_half_split = true,
                         .key_decides = true,
                         .q_rank = 1536};
constexpr LatentHead kAlwaysInterleaved{
    .nope_dim = 128, .rope_dim = 64, .writes_half_split = true, .q_rank = 1536};
constexpr LatentHead kLongcat{.nope_dim = 128,
                              .rope_dim = 64,
                              .writes_half_split = true,
                              .q_rank = 1536,
                              .scales_by_rank = true};

constexpr ModelType kTypes[] = {
    {.name = "deepseek_v2",
     .architecture = "DeepseekV2ForCausalLM",
     .config_class = "DeepseekV2Config",
     .size = {4096, 32, 32},
     .pairing = Pairing::interleaved,
     .yarn_type = kYarn,
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
     .yarn_type = kYarn,
     .latent = kV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_norm("deepseek2")},
    {.name = "kimi_k2",
     .config_class = "DeepseekV3Config",
     .kv_heads = 128,
     .max_positions = 4096,
     .pairing = Pairing::interleaved,
     .yarn_type = kYarn,
     .latent = kV3,
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
     .yarn_type = kYarn,
     .latent = kAlwaysInterleaved,
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .not_computed = kSparseIndexer},
     .gguf = gguf_norm("deepseek32"),
     .others = add_half_split_indexer},
    {.name = "glm_moe_dsa",
     .architecture = "GlmMoeDsaForCausalLM",
     .config_class = "GlmMoeDsaConfig",
     .size = {6144, 64, 78},
     .kv_heads = 64,
     .max_positions = 202752,
     .pairing = Pairing::interleaved,
     .yarn_type = kYarn,
     .latent = {.nope_dim = 192, .rope_dim = 64, .writes_half_split = true, .q_rank = 2048},
     .value_dim = {"v_head_dim", 256},
     .attention = {.known = true, .not_computed = kSparseIndexer},
     .gguf = gguf_norm("glm-dsa"),
     .others = add_interleaved_indexer},
    {.name = "glm4_moe_lite",
     .architecture = "Glm4MoeLiteForCausalLM",
     .config_class = "Glm4MoeLiteConfig",
     .aliases = kGlmLiteAliases,
     .size = {2048, 20, 47},
     .kv_heads = 20,
     .max_positions = 202752,
     .pairing = Pairing::interleaved,
     .yarn_type = kYarn,
     .latent = {.nope_dim = 192,
                .rope_dim = 64,
                .writes_half_split = true,
                .key_decides = true,
                .q_rank = 768},
     .value_dim = {"v_head_dim", 256},
     .attention = kPlainAttention,
     .weights = kLatent,
     .gguf = gguf_norm("deepseek2")},
    {.name = "youtu",
     .architecture = "YoutuForCausalLM",
     .config_class = "YoutuConfig",
     .size = {2048, 16, 32},
     .kv_heads = 16,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .yarn_type = kYarn,
     .latent = kV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent},
    {.name = "axk1",
     .architecture = "AXK1ForCausalLM",
     .config_class = "AXK1Config",
     .size = {7168, 64, 61},
     .kv_heads = 64,
     .max_positions = 32768,
     .pairing = Pairing::interleaved,
     .yarn_type = kYarn,
     .latent = kV3,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent},
    {.name = "longcat_flash",
     .architecture = "LongcatFlashForCausalLM",
     .config_class = "LongcatFlashConfig",
     .size = {6144, 64, 56},
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .rope_theta = 10000000,
     .latent = kLongcat,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::latent, .layer = "layers.{}.self_attn.0."}},
    // DeepSeek-MoE, the first: ordinary heads.
    {.name = "deepseek",
     .architecture = "DeepseekForCausalLM",
     .config_class = "DeepseekConfig",
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("deepseek")},
    {.name = "kimi_linear",
     .architecture = "KimiLinearForCausalLM",
     .config_class = "KimiLinearConfig",
     .layers = {.kinds = kKimiLinear,
                .pattern = kKimiLinearPattern,
                .start = kKimiLinearStart,
                .from_one = "linear_attn_config/full_attn_layers"},
     .latent = {.nope_dim = 128, .rope_dim = 64},
     .rotates = false,
     .value_dim = {"v_head_dim", 128},
     .attention = kPlainAttention,
     .weights = kLatent,
     .encoding = "none: linear attention, and latent attention without rotation"},
    {.name = "kimi_k25",
     .architecture = "Kimi_K25ForConditionalGeneration",
     .config_class = "Kimi_K25Config",
     .part = "text_config",
     .part_type = "deepseek_v3",
     .others = add_vision<kKimiVision>},
    {.name = "deepseek_ocr2_text",
     .config_class = "DeepseekOcr2TextConfig",
     .size = {4096, 32, 32},
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "deepseek_ocr2",
     .architecture = "DeepseekOcr2ForConditionalGeneration",
     .config_class = "DeepseekOcr2Config",
     .part = "text_config",
     .part_type = "deepseek_ocr2_text"},
    {.name = "axk2",
     .architecture = "AXK2ForCausalLM",
     .config_class = "AXK2Config",
     .size = {2048, 32, 48},
     .kv_heads = 32,
     .max_positions = 131072,
     .pairing = Pairing::interleaved,
     .latent =
         {.nope_dim = 64, .rope_dim = 32, .writes_half_split = true, .q_rank = 384, .kv_rank = 128},
     .value_dim = {"v_head_dim", 64},
     .attention = {.known = true, .not_computed = kSparseIndexer},
     .others = add_half_split_indexer},
    {.name = "unlimited_ocr_text",
     .config_class = "UnlimitedOcrTextConfig",
     .size = {1280, 10, 12},
     .head_dim = 128,
     .kv_heads = 10,
     .max_positions = 32768,
     .attention = {.known = true, .not_computed = kPromptWindow}},
    {.name = "unlimited_ocr",
     .architecture = "UnlimitedOcrForConditionalGeneration",
     .config_class = "UnlimitedOcrConfig",
     .part = "text_config",
     .part_type = "unlimited_ocr_text"},
};

}  // namespace

constinit const Family family::deepseek{
    .name = "deepseek", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
