// Layers of attention among layers of convolution or recurrence, which know the order by
// themselves. Source: configuration_*.py and modeling_*.py of transformers.

#include <array>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/layer_kinds.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"mamba_d_state", "mamba_expand", "full_attn_idxs",
                                              "layers_block_type"};

constexpr LayerKind kFullAndConv[] = {
    {.name = "full_attention"},
    {.name = "conv", .rotates = false, .mixer = Mixer::convolution},
};
constexpr LayerKind kAttentionAndMamba[] = {
    {.name = "attention"},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "full_attention"},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};
constexpr LayerKind kHybridAndMamba[] = {
    {.name = "hybrid"},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
};

// The letters of hybrid_override_pattern are those of the first four; the last two are old names.
constexpr LayerKind kNemotron[] = {
    {.name = "full_attention"},
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "mlp", .rotates = false, .mixer = Mixer::none},
    {.name = "moe", .rotates = false, .mixer = Mixer::none},
    {.name = "attention"},
    {.name = "mamba", .rotates = false, .mixer = Mixer::recurrence},
};
constexpr size_t kNemotronPattern[] = {1, 3, 0, 2};  // the list of NemotronHConfig

// Zamba2Config has one list, of 54 layers.
constexpr std::array<size_t, 54> zamba2_layers() {
  std::array<size_t, 54> kinds{};
  kinds.fill(2);
  for (const size_t hybrid : {6, 12, 18, 24, 30, 36, 42, 47, 51}) kinds[hybrid] = 0;
  return kinds;
}
constexpr std::array<size_t, 54> kZamba2 = zamba2_layers();

// Proportional on the layers that see everything.
constexpr LayerKind kLfm3[] = {
    {.name = "full_attention", .rope_theta = 1000000},
    {.name = "sliding_attention",
     .windowed = true,
     .rope_theta = 10000,
     .takes_rope_scaling = false},
    {.name = "conv", .rotates = false, .mixer = Mixer::convolution},
};
constexpr std::string_view kLfm3Rope =
    R"({"sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
        "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.5,
                           "rope_theta": 1000000.0}})";
constexpr size_t kLfm3Start[] = {2}, kLfm3Pattern[] = {1, 2, 0, 2};
constexpr LayerKind kLara[] = {
    {.name = "linear_attention", .rotates = false, .mixer = Mixer::recurrence},
    {.name = "sliding_attention", .windowed = true},
    {.name = "full_attention", .rotates = false},
};
constexpr size_t kLaraPattern[] = {0, 1, 0, 2, 1};

constexpr KeyAlias kNemotronAliases[] = {{"layer_types", "layers_block_type"}};
constexpr KeyAlias kLfm3Aliases[] = {{"rms_norm_eps", "norm_eps"}};

void read_without_positions(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_heads(config, model, type);
  config.note("encoding", "none", fmt::format("family: the code of {}", type.name));
  std::vector<LayerFacts> facts(model.layers.size());
  const std::vector<size_t> kinds = read_layer_kinds(config, type.layers, facts.size());
  for (size_t i = 0; i < facts.size(); ++i) facts[i].kind = &type.layers.kinds[kinds[i]];
  read_attention(config, model, type, facts);
}

// The attention that layers share sees the hidden state beside the input: heads twice as wide, that
// turn only with use_mem_rope.
void read_zamba2(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  ModelType wide = type;
  const bool rotates = config.boolean("use_mem_rope", "use_mem_rope", {false, default_of(type)});
  if (!config.has("attention_head_dim")) {
    const auto hidden = config.find_integer("hidden_size", kHiddenSize);
    const auto heads = config.find_integer("num_attention_heads", kHeadCount);
    if (hidden && heads) wide.head_dim = 2 * *hidden / *heads;
  }
  if (rotates) return read_declared(config, model, wide);
  std::vector<LayerKind> kinds(type.layers.kinds.begin(), type.layers.kinds.end());
  for (LayerKind& kind : kinds) kind.rotates = false;
  wide.layers.kinds = kinds;
  read_declared(config, model, wide);
}

constexpr ModelType kTypes[] = {
    {.name = "lfm2",
     .architecture = "Lfm2ForCausalLM",
     .config_class = "Lfm2Config",
     .size = {2560, 32, 32},
     .kv_heads = 8,
     .max_positions = 128000,
     .rope_theta = 1000000,
     .layers = {.kinds = kFullAndConv, .indices_key = "full_attn_idxs"},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5},
                               .eps_key = "norm_eps"}},
     .weights = {.form = QkvForm::separate,
                 .o = "out_proj",
                 .q_norm = "q_layernorm",
                 .k_norm = "k_layernorm"},
     .gguf = gguf_neox("lfm2")},
    {.name = "lfm2_moe",
     .architecture = "Lfm2MoeForCausalLM",
     .config_class = "Lfm2MoeConfig",
     .size = {2048, 32, 32},
     .kv_heads = 8,
     .max_positions = 128000,
     .rope_theta = 1000000,
     .layers = {.kinds = kFullAndConv},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5},
                               .eps_key = "norm_eps"}},
     .weights = {.form = QkvForm::separate,
                 .o = "out_proj",
                 .q_norm = "q_layernorm",
                 .k_norm = "k_layernorm"},
     .gguf = gguf_neox("lfm2moe")},
    {.name = "lfm2_vl",
     .architecture = "Lfm2VlForConditionalGeneration",
     .config_class = "Lfm2VlConfig",
     .part = "text_config",
     .part_type = "lfm2"},
    {.name = "bamba",
     .architecture = "BambaForCausalLM",
     .config_class = "BambaConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 262144,
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .rounds_odd_up = true,
     .layers = {.kinds = kAttentionAndMamba,
                .period = 8192,
                .list_key = "layers_block_type",
                .indices_key = "attn_layer_indices"},
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("granitehybrid")},
    {.name = "falcon_h1",
     .architecture = "FalconH1ForCausalLM",
     .config_class = "FalconH1Config",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 8192,
     .attention = {.known = true, .key_multiplier = {"key_multiplier", 1}},
     .weights = kSeparate,
     .gguf = gguf_neox("falcon-h1")},
    {.name = "zamba2",
     .architecture = "Zamba2ForCausalLM",
     .config_class = "Zamba2Config",
     .size = {2560, 32, 54},
     .head_dim_key = "attention_head_dim",
     .max_positions = 4096,
     .layers = {.kinds = kHybridAndMamba, .pattern = kZamba2, .list_key = "layers_block_type"},
     .attention = {.known = true,
                   .scale = {.factor = std::numbers::sqrt2},
                   .not_computed = kHiddenStateBeside},
     .encoding = "RoPE half_split on the whole head with use_mem_rope, else none",
     .read = read_zamba2},
    {.name = "jamba",
     .architecture = "JambaForCausalLM",
     .config_class = "JambaConfig",
     .kv_heads = 8,
     .max_positions = 262144,
     .layers = {.kinds = kFullAndLinear,
                .period = 8,
                .period_key = "attn_layer_period",
                .offset = {"attn_layer_offset", 4}},
     .rotates = false,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .encoding = "none",
     .read = read_without_positions},
    {.name = "nemotron_h",
     .architecture = "NemotronHForCausalLM",
     .config_class = "NemotronHConfig",
     .aliases = kNemotronAliases,
     .kv_heads = 8,
     .max_positions = 4096,
     .layers = {.kinds = kNemotron,
                .pattern = kNemotronPattern,
                .letters_key = "hybrid_override_pattern",
                .letters = "*M-E",
                .list_key = "layers_block_type"},
     .rotates = false,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::separate, .layer = "layers.{}.mixer."},
     .encoding = "none",
     .read = read_without_positions},
    {.name = "lfm3",
     .architecture = "Lfm3ForCausalLM",
     .config_class = "Lfm3Config",
     .aliases = kLfm3Aliases,
     .size = {2048, 16, 24},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 128000,
     .rope_parameters = kLfm3Rope,
     .layers = {.kinds = kLfm3, .pattern = kLfm3Pattern, .start = kLfm3Start},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5}, .eps_key = "norm_eps"},
                   .window = {.key = "sliding_window", .value = 256},
                   .output_gate = OutputGate::per_head,
                   .gate_on = {"use_attention_gate", true}},
     .weights = kSeparate},
    {.name = "lfm3_vl",
     .architecture = "Lfm3VlForConditionalGeneration",
     .config_class = "Lfm3VlConfig",
     .part = "text_config",
     .part_type = "lfm3"},
    {.name = "lara_mini",
     .architecture = "LaraMiniForCausalLM",
     .config_class = "LaraMiniConfig",
     .size = {1024, 16, 34},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 131072,
     .layers = {.kinds = kLara, .pattern = kLaraPattern},
     .attention = {.known = true,
                   .qk_norm = rms_norm(1e-6),
                   .window = {.key = "sliding_window", .value = 512}},
     .weights = kSeparate},
    {.name = "bailing_hybrid",
     .architecture = "BailingHybridForCausalLM",
     .config_class = "BailingHybridConfig",
     .size = {2560, 32, 42},
     .kv_heads = 32,
     .max_positions = 262144,
     .pairing = Pairing::interleaved,
     .rope_theta = 6000000,
     .layers = {.kinds = kFullAndLinear, .period = 6, .period_key = "layer_group_size"},
     .latent = {.nope_dim = 128, .rope_dim = 64, .writes_half_split = true},
     .value_dim = {"v_head_dim", 128},
     .attention = {.known = true, .output_gate = OutputGate::per_head},
     .weights = {.form = QkvForm::latent,
                 .layer = "layers.{}.attention.",
                 .o = "dense",
                 .gate = "g_proj"}},
};

}  // namespace

constinit const Family family::hybrids{
    .name = "hybrids", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
