// Microsoft's Phi 1 to 4. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"qk_layernorm", "embd_pdrop",
                                              "original_max_position_embeddings"};

constexpr ModelType kPhi3{
    .name = "phi3",
    .architecture = "Phi3ForCausalLM",
    .config_class = "Phi3Config",
    .size = {3072, 32, 32},
    .max_positions = 4096,
    .fraction = Fraction::leading,
    .rounds_odd_up = true,
    .yarn_type = "longrope",
    .attention = {.known = true,
                  .window = {.key = "sliding_window", .value = 0, .all_layers = true}},
    .weights = {.form = QkvForm::fused, .q = "qkv_proj"},
    .gguf = gguf_neox("phi3")};
constexpr ModelType kPhi3V{
    .name = "phi3_v",
    .architecture = "Phi3VForCausalLM",
    .config_class = "Phi3VConfig",
    .max_positions = 4096,
    .fraction = Fraction::leading,
    .yarn_type = "longrope",
    .attention = {.known = true,
                  .window = {.key = "sliding_window", .value = 0, .all_layers = true}},
    .weights = {.form = QkvForm::fused, .q = "qkv_proj"},
    .gguf = gguf_neox("phi3")};

constexpr ModelType kTypes[] = {
    {.name = "phi",
     .architecture = "PhiForCausalLM",
     .config_class = "PhiConfig",
     .size = {2048, 32, 24},
     .fraction = Fraction::leading,
     .rotary_fraction = 0.5,
     .attention = {.known = true, .qk_norm = layer_norm_if("qk_layernorm", false)},
     .weights = {.form = QkvForm::separate,
                 .o = "dense",
                 .q_norm = "q_layernorm",
                 .k_norm = "k_layernorm"},
     .gguf = gguf_neox("phi2")},
    // The first files of Phi 1.5 and 2, with their own code.
    {.name = "phi-msft",
     .architecture = "PhiForCausalLM",
     .config_class = "PhiConfig of microsoft/phi-2",
     .rotary_dim_key = "rotary_dim",
     .rotary_dim = 32,
     .attention = kPlainAttention,
     .weights = {.form = QkvForm::fused, .layer = "h.{}.mixer.", .q = "Wqkv", .o = "out_proj"},
     .gguf = gguf_neox("phi2")},
    kPhi3,
    kPhi3V,
    like(kPhi3, {.name = "phi4_multimodal",
                 .architecture = "Phi4MultimodalForCausalLM",
                 .config_class = "Phi4MultimodalConfig",
                 .kv_heads = 8,
                 .max_positions = 131072,
                 .gguf = gguf_neox("phi3")}),
    like(kPhi3V, {.name = "phi4mm",
                  .architecture = "Phi4MMForCausalLM",
                  .config_class = "Phi4MMConfig",
                  .max_positions = 131072,
                  .gguf = gguf_neox("phi3")}),
    {.name = "phimoe",
     .architecture = "PhimoeForCausalLM",
     .config_class = "PhimoeConfig",
     .size = {4096, 32, 32},
     .kv_heads = 8,
     .max_positions = 131072,
     .rope_theta = 1000000,
     .attention = {.known = true,
                   .window = {.key = "sliding_window", .value = 0, .all_layers = true}},
     .weights = kSeparate,
     .gguf = gguf_neox("phimoe")},
    refused("phi3small", "Phi3SmallForCausalLM", "Phi3SmallConfig",
            "its blocks of sparse attention and rope_position_scale are not supported"),
};

}  // namespace

constinit const Family family::phi{.name = "phi", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
