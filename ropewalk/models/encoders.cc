// Encoders of text and of proteins that rotate.
// Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/models/family.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/learned.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"global_rope_theta", "local_rope_theta",
                                              "rotary_emb_fraction"};

constexpr LayerKind kGlobalAndLocal[] = {
    {.name = "full_attention", .theta_key = "global_rope_theta", .rope_theta = 160000},
    {.name = "sliding_attention",
     .windowed = true,
     .theta_key = "local_rope_theta",
     .rope_theta = 10000},
};
constexpr LayerKind kUltra[] = {
    {.name = "full_attention", .rope_theta = 2560000},
    {.name = "sliding_attention", .windowed = true, .rope_theta = 10000},
};
constexpr LayerRule kModernBert{
    .kinds = kGlobalAndLocal, .period = 3, .shift = 0, .period_key = "global_attn_every_n_layers"};

// Rotary positions are one of the choices of these classes, and not the default.
void read_esm(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto stated = config.find_text("position_embedding_type");
  if (stated == "rotary") return read_declared(config, model, type);
  refuse_learned_positions(config, type.name, "position_embedding_type");
}

constexpr ModelType kTypes[] = {
    {.name = "modernbert",
     .architecture = "ModernBertModel",
     .config_class = "ModernBertConfig",
     .size = {768, 12, 22},
     .max_positions = 8192,
     .layers = kModernBert,
     .attention = {.known = true,
                   .mask = Mask::full,
                   .window = {.key = "local_attention", .value = 128, .divisor = 2}},
     .weights = {.form = QkvForm::fused, .layer = "layers.{}.attn.", .q = "Wqkv", .o = "Wo"},
     .gguf = gguf_neox("modern-bert")},
    {.name = "modernbert-decoder",
     .architecture = "ModernBertDecoderForCausalLM",
     .config_class = "ModernBertDecoderConfig",
     .size = {768, 12, 22},
     .max_positions = 8192,
     .layers = kModernBert,
     .attention = {.known = true, .window = {.key = "local_attention", .value = 128, .divisor = 2}},
     .weights = {.form = QkvForm::separate, .layer = "layers.{}.attn.", .o = "Wo"}},
    {.name = "ultrabert",
     .architecture = "UltrabertModel",
     .config_class = "UltrabertConfig",
     .size = {4096, 32, 32},
     .max_positions = 32768,
     .layers = {.kinds = kUltra, .period = 3},
     .attention = {.known = true,
                   .mask = Mask::full,
                   .window = {.key = "sliding_window", .value = 128}},
     .weights = kSeparate},
    {.name = "eurobert",
     .architecture = "EuroBertModel",
     .config_class = "EuroBertConfig",
     .size = {768, 12, 12},
     .max_positions = 8192,
     .attention = {.known = true, .mask = Mask::full},
     .weights = kSeparate,
     .gguf = gguf_neox("eurobert")},
    {.name = "nomic_bert",
     .architecture = "NomicBertModel",
     .config_class = "NomicBertConfig",
     .size = {768, 12, 12},
     .rope_theta = 1000,
     .theta_key = "rotary_emb_base",
     .fraction = Fraction::leading,
     .fraction_key = "rotary_emb_fraction",
     .dynamic = {"rotary_scaling_factor", "max_trained_positions"},
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::fused, .layer = "layers.{}.attn.", .q = "Wqkv", .o = "out_proj"},
     .gguf = gguf_neox("nomic-bert")},
    {.name = "gte",
     .architecture = "GteModel",
     .config_class = "GteConfig",
     .size = {768, 12, 12},
     .max_positions = 8192,
     .rope_theta = 160000,
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::fused, .layer = "layer.{}.attention.", .q = "qkv_proj"}},
    {.name = "new",
     .architecture = "NewModel",
     .config_class = "NewConfig of Alibaba-NLP/new-impl",
     .max_positions = 8192,
     .attention = {.known = true, .mask = Mask::full}},
    {.name = "jina_embeddings_v3",
     .architecture = "JinaEmbeddingsV3Model",
     .config_class = "JinaEmbeddingsV3Config",
     .size = {1024, 16, 24},
     .max_positions = 8194,
     .rope_theta = 20000,
     .theta_key = "rotary_emb_base",
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::fused, .layer = "layers.{}.mixer.", .q = "Wqkv", .o = "out_proj"},
     .gguf = gguf_neox("jina-bert-v3")},
    {.name = "esm",
     .architecture = "EsmModel",
     .config_class = "EsmConfig",
     .max_positions = 1026,
     .fixed_theta = true,
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::separate,
                 .layer = "layer.{}.attention.",
                 .q = "self.query",
                 .k = "self.key",
                 .v = "self.value",
                 .o = "output.dense"},
     .encoding = "RoPE half_split with position_embedding_type rotary, else a learned table",
     .read = read_esm},
    {.name = "esmc",
     .architecture = "EsmcModel",
     .config_class = "EsmcConfig",
     .size = {2560, 40, 80},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::layer,
                                        .extent = NormExtent::all_heads,
                                        .eps = 1e-5},
                               .eps_key = {}},
                   .mask = Mask::full},
     .weights = kSeparate},
    // From the description of its code (precompute_freqs_cis, complex numbers), not run beside it.
    {.name = "neobert",
     .architecture = "NeoBERT",
     .config_class = "NeoBERTConfig of chandar-lab/NeoBERT",
     .max_positions = 1024,
     .max_positions_key = "max_length",
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .attention = {.known = true, .mask = Mask::full},
     .gguf = gguf_norm("neo-bert")},
    {.name = "roformer",
     .architecture = "RoFormerModel",
     .config_class = "RoFormerConfig",
     .max_positions = 1536,
     .pairing = Pairing::interleaved,
     .fixed_theta = true,
     .attention = {.known = true, .mask = Mask::full},
     .weights = {.form = QkvForm::separate,
                 .layer = "layer.{}.attention.",
                 .q = "self.query",
                 .k = "self.key",
                 .v = "self.value",
                 .o = "output.dense"}},
};

}  // namespace

constinit const Family family::encoders{
    .name = "encoders", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
