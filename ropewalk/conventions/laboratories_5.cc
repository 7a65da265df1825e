// Models that transformers does not have, which others run: mlx-lm 0.32.2 and mlx-vlm 0.7.10, vllm
// 0.33.0, llama.cpp of llama-cpp-python 0.3.36. What their layers do beside positions is said where
// it was read.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType with_gguf(ModelType row, GgufForm gguf) {
  row.gguf = gguf;
  return row;
}

constexpr LayerKind kPlamo3[] = {
    {.name = "full_attention"},
    {.name = "sliding_attention",
     .windowed = true,
     .theta_key = "rope_local_theta",
     .rope_theta = 10000},
};
constexpr ModelType kPfn[] = {
    with_gguf(refused("plamo", "PlamoForCausalLM", "PlamoConfig",
                      "n_shared_head query heads share a head of k and v, in an order of its own, "
                      "which is not supported"),
              gguf_neox("plamo")),
    with_gguf(refused("plamo2", "Plamo2ForCausalLM", "Plamo2Config",
                      "which of its layers attend follows from mamba_step and full_attention_idx, "
                      "which is not supported"),
              gguf_neox("plamo2")),
    {.name = "plamo3",
     .architecture = "Plamo3ForCausalLM",
     .config_class = "Plamo3Config",
     .head_dim = 128,
     .kv_heads = 4,
     .rope_theta = 1000000,
     .layers = {.kinds = kPlamo3,
                .pattern = "SSSSSSSF",
                .keys = {{LayerKey::every, "sliding_window_pattern"}}},
     .attention = {.known = true,
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-6, .unit_offset = true}},
                   .window = {.key = "window_size", .value = 2048}},
     .gguf = gguf_neox("plamo3")},
};

constexpr KeyAlias kLilleKeys[] = {{"n_embd", "hidden_size"},
                                   {"n_head", "num_attention_heads"},
                                   {"n_kv_heads", "num_key_value_heads"},
                                   {"n_layer", "num_hidden_layers"},
                                   {"block_size", "max_position_embeddings"}};
constexpr KeyAlias kCodeShellKeys[] = {{"n_embd", "hidden_size"},
                                       {"n_head", "num_attention_heads"},
                                       {"num_query_groups", "num_key_value_heads"},
                                       {"n_layer", "num_hidden_layers"},
                                       {"n_positions", "max_position_embeddings"}};
constexpr KeyAlias kLladaKeys[] = {{"d_model", "hidden_size"},
                                   {"n_heads", "num_attention_heads"},
                                   {"n_kv_heads", "num_key_value_heads"},
                                   {"n_layers", "num_hidden_layers"},
                                   {"max_sequence_length", "max_position_embeddings"}};

// A switch that is off leaves a table in the place of the rotation, or ALiBi. That of the class is
// off, and no file leaves it out: LLaDA-MoE, which has none, rotates.
constexpr ModelType kLlada{
    .name = "llada",
    .architecture = "LLaDAModelLM",
    .config_class = "LLaDAConfig",
    .aliases = kLladaKeys,
    .size = {768, 12, 12},
    .max_positions = 1024,
    .only_if = {.key = "rope",
                .without = true,
                .never = "alibi",
                .never_why =
                    "expected false, found true: the ALiBi of LLaDA's code is not supported"},
    .learned = {.tensor = "wpe.weight"},
    .attention = {.mask = Mask::full},
    .gguf = gguf_norm("llada")};

constexpr KeyAlias kAfm7Keys[] = {{"hidden_dim", "hidden_size"},
                                  {"num_layers", "num_hidden_layers"},
                                  {"num_heads", "num_attention_heads"},
                                  {"num_kv_heads", "num_key_value_heads"}};

constexpr ModelType kMlx[] = {
    {.name = "afm7",
     .config_class = "Afm7Config",
     .aliases = kAfm7Keys,
     .max_positions = 0,
     .rope_theta = 50000,
     .remark = "the norm of q and k comes after the rotation"},
    without_positions("yolo11", "", "", kConvolutionsAlone),
    {.name = "Klear",
     .architecture = "KlearMoeForCausalLM",
     .config_class = "KlearConfig",
     .max_positions = 0,
     .attention = {.known = true, .qk_norm = rms_norm(1e-6)}},
    {.name = "lille-130m",
     .config_class = "LilleConfig",
     .aliases = kLilleKeys,
     .max_positions = 0,
     .pairing = Pairing::interleaved},
    {.name = "iquestloopcoder",
     .architecture = "IQuestLoopCoderForCausalLM",
     .config_class = "IQuestLoopCoderConfig",
     .max_positions = 131072,
     .rope_theta = 500000,
     .remark = "its layers are run twice"},
    {.name = "nanbeige",
     .architecture = "NanbeigeForCausalLM",
     .config_class = "NanbeigeConfig",
     .max_positions = 0,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_norm("nanbeige")},
    {.name = "telechat3",
     .architecture = "TeleChat3ForCausalLM",
     .config_class = "TeleChat3Config",
     .max_positions = 0,
     .attention = kPlainAttention,
     .weights = kSeparate},
    {.name = "talkie",
     .architecture = "TalkieForCausalLM",
     .config_class = "TalkieConfig",
     .head_dim = 128,
     .rope_theta = 1000000,
     .reversed = true,
     .remark = "the norm of q and k comes after the rotation"},
    {.name = "spark2_5",
     .architecture = "Spark2_5ForCausalLM",
     .config_class = "Spark2_5Config",
     .max_positions = 8192,
     .fraction = Fraction::leading,
     .layers = {.kinds = kFullAndSliding, .pattern = "SSSF"},
     .gguf = gguf_neox("spark2_5")},
    with_gguf(refused("openelm", "OpenELMForCausalLM", "OpenELMConfig",
                      "num_query_heads is a list: layers with different heads are not supported"),
              gguf_neox("openelm")),
    refused("limite", "", "",
            "its frequencies are base^(-i/31) of 32 pairs, no base^(-2i/rotary_dim); "
            "spectrum_from_inv_freq takes them"),
    refused("gear", "", "", "its layers of convolution and attention are not supported"),
};

constexpr ModelType kMoondream[] = {
    refused("moondream2", "", "", "its config.json does not state the sizes of its layers"),
    refused("moondream3", "Moondream3ForCausalLM", "Moondream3Config",
            "the first 32 of 64 channels turn in halves, base 1500000; the sizes of its layers are "
            "in an object that is not read"),
};

constexpr ModelType kRwkv[] = {
    with_gguf(without_positions("rwkv6", "Rwkv6ForCausalLM", "Rwkv6Config", kRecurrenceAlone),
              {"rwkv6"}),
    with_gguf(without_positions("rwkv7", "RWKV7ForCausalLM", "RWKV7Config", kRecurrenceAlone),
              {"rwkv7"}),
};

// The text of each is in an object of the file, of the type that it names.
constexpr Part kSiglipParts[] = {part_model("vision", "vision_config", "siglip_vision_model")};
constexpr ModelType kOfParts[] = {
    model_of_parts(
        {"openvla", "OpenVLAForActionPrediction", "OpenVLAConfig", "text_config", "llama"}),
    model_of_parts({"ultravox", "UltravoxModel", "UltravoxConfig", "text_config", "llama"}),
    model_of_parts({"kanana-1.5-v", "KananaVForConditionalGeneration", "KananaVConfig",
                    "text_config", "llama"}),
    model_of_parts({"opencua", "OpenCUAForConditionalGeneration", "OpenCUAConfig", "text_config",
                    "qwen2", kGridTower}),
    model_of_parts(
        {"bee", "BeeForConditionalGeneration", "BeeConfig", "text_config", "qwen3", kSiglipParts}),
    model_of_parts(
        {"R", "RForConditionalGeneration", "RConfig", "text_config", "qwen3", kSiglipParts}),
    model_of_parts({"moss_audio", "MossAudioModel", "MossAudioConfig", "language_config", "qwen3"}),
    model_of_parts({"llmjpvl", "", "LlmJpVlConfig", "text_config", "llama"}),
    model_of_parts({"mage_vl", "", "MageVLConfig", "text_config", "qwen3"}),
};

constexpr ModelType kLlamaCpp[] = {
    {.name = "codeshell",
     .architecture = "CodeShellForCausalLM",
     .config_class = kNotRead,
     .aliases = kCodeShellKeys,
     .max_positions = 8192,
     .fixed_theta = true,
     .gguf = gguf_neox("codeshell")},
    {.name = "cogvlm",
     .architecture = "CogVLMForCausalLM",
     .config_class = "CogVLMConfig",
     .size = {4096, 32, 32},
     .max_positions = 2048,
     .fixed_theta = true,
     .remark = "the tokens of a picture share one position",
     .gguf = gguf_neox("cogvlm")},
    {.name = "Dream",
     .architecture = "DreamModel",
     .config_class = "DreamConfig",
     .size = {4096, 32, 32},
     .kv_heads = 32,
     .max_positions = 32768,
     .attention = {.mask = Mask::full},
     .gguf = gguf_neox("dream")},
    kLlada,
    {.name = "llada_moe",
     .architecture = "LLaDAMoEModelLM",
     .config_class = kNotRead,
     .max_positions = 0,
     .attention = {.mask = Mask::full},
     .gguf = gguf_neox("llada-moe")},
    {.name = "rnd1",
     .architecture = "RND1",
     .config_class = "RND1Config",
     .size = {2048, 32, 48},
     .head_dim = 128,
     .kv_heads = 4,
     .max_positions = 32768,
     .attention = {.mask = Mask::full},
     .gguf = gguf_neox("rnd1")},
    {.name = "grove_moe",
     .architecture = "GroveMoeForCausalLM",
     .config_class = kNotRead,
     .head_dim = 128,
     .max_positions = 0,
     .gguf = gguf_neox("grovemoe")},
    {.name = "llama_bidirec",
     .architecture = "LlamaBidirectionalModel",
     .config_class = "LlamaBidirectionalConfig",
     .attention = {.known = true, .mask = Mask::full},
     .weights = kSeparate,
     .gguf = gguf_norm("llama-embed")},
    {.name = "maple",
     .architecture = "MapleForCausalLM",
     .config_class = "MapleConfig",
     .max_positions = 0,
     .fraction = Fraction::leading,
     .layers = {.kinds = kFullPassesSlidingTurns, .pattern = "F"},
     .gguf = gguf_neox("maple")},
};

}  // namespace

constinit const Family family::mlx{.name = "mlx", .types = kMlx};
constinit const Family family::vllm{.name = "vllm", .types = kOfParts};
constinit const Family family::llama_cpp{.name = "llama_cpp", .types = kLlamaCpp};
constinit const Family family::moondream{.name = "moondream", .types = kMoondream};
constinit const Family family::pfn{.name = "pfn", .types = kPfn};
constinit const Family family::rwkv{.name = "rwkv", .types = kRwkv};

}  // namespace ropewalk
