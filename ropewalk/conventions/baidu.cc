// Baidu's models beside ERNIE. Source: configuration_*.py and modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/layer_tables.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
    {.name = "paddleocr_vl_text",
     .config_class = "PaddleOCRTextConfig",
     .size = {1024, 16, 18},
     .head_dim = 128,
     .kv_heads = 2,
     .max_positions = 131072,
     .rope_theta = 500000,
     .multi_axis = kAxesOfQwen2,
     .attention = kPlainAttention,
     .weights = kSeparate,
     .gguf = gguf_neox("paddleocr")},
    {.name = "paddleocr_vl",
     .architecture = "PaddleOCRVLForConditionalGeneration",
     .config_class = "PaddleOCRVLConfig",
     .part = "text_config",
     .part_type = "paddleocr_vl_text",
     .parts = kGridTower},
    vision_tower({"paddleocr_vl_vision", "PaddleOCRVisionConfig", {1152, 16, 27}}),
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

constinit const Family family::baidu{.name = "baidu", .types = kTypes};

}  // namespace ropewalk
