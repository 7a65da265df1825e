// StepFun's Step 3.5 and 3.7: a base and a rotated part of the head for each layer, which agree in
// all layers of one kind.
// Source: configuration_step3p7.py and modeling_step3p7.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"partial_rotary_factors", "num_attention_groups",
                                              "yarn_only_types"};

constexpr Part kGotOcr2Parts[] = {part_model("vision", "vision_config", "got_ocr2_vision")};

constexpr KeyAlias kStep3Keys[] = {{"num_attention_groups", "num_key_value_heads"},
                                   {"max_position_embedding", "max_position_embeddings"}};

constexpr ModelType kTypes[] = {
    {.name = "step3p5",
     .architecture = "Step3p5ForCausalLM",
     .config_class = "Step3p7TextConfig",
     .size = {4096, 64, 45},
     .head_dim = 128,
     .kv_heads = 8,
     .max_positions = 128000,
     .attention = {.known = true,
                   .scale = {.key = "query_pre_attn_scalar", .value = 128, .inverse_root = true},
                   .qk_norm = {.norm = {.kind = NormKind::rms, .eps = 1e-5, .unit_offset = true}},
                   .window = {.key = "sliding_window", .value = 0},
                   .output_gate = OutputGate::per_head,
                   .gate_on = {"gating", true}},
     .weights = {.form = QkvForm::separate, .gate = "g_proj"},
     .gguf = gguf_neox("step35"),
     .encoding = "RoPE half_split, a base and a part of the head for each kind of layer",
     .special = Special::step},
    {.name = "step3p7",
     .architecture = "Step3p7ForConditionalGeneration",
     .config_class = "Step3p7Config",
     .part = "text_config",
     .part_type = "step3p5"},
    model_of_parts({.name = "got_ocr2",
                    .architecture = "GotOcr2ForConditionalGeneration",
                    .config_class = "GotOcr2Config",
                    .part = "text_config",
                    .part_type = "qwen2",
                    .parts = kGotOcr2Parts}),
    relative_terms({.name = "got_ocr2_vision",
                    .architecture = "GotOcr2VisionEncoder",
                    .config_class = "GotOcr2VisionConfig",
                    .size = {768, 12, 12},
                    .learned = {.tensor = "pos_embed", .picture = {.image = 1024, .patch = 16}},
                    .relative = {.form = RelativeForm::decomposed}}),
    refused("step3p5_vision", "Step3p7VisionModel", "Step3p7VisionConfig",
            "columns come before rows beside a learned grid, which is not supported"),
    {.name = "step3_text",
     .architecture = "Step3TextForCausalLM",
     .config_class = "Step3TextConfig",
     .aliases = kStep3Keys,
     .head_dim = 256,
     .kv_heads = 1,
     .max_positions = 65536,
     .rope_theta = 500000},
    model_of_parts({"step3_vl", "Step3VLForConditionalGeneration", "Step3VLConfig", "text_config",
                    "step3_text"}),
    refused("step1", "Step1ForCausalLM", "Step1Config",
            "its ALiBi is of the square roots of distances, which is read of a step alone"),
    refused("step5", "Step5ForCausalLM", "Step5Config",
            "each of its layers may have a base of its own, which is not supported"),
    model_of_parts(
        {"step_vl", "StepVLForConditionalGeneration", "StepVLConfig", "text_config", "qwen3"}),
};

}  // namespace

constinit const Family family::step{
    .name = "step", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
