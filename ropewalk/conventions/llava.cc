// LLaVA and its kin keep a language model of another type whole. Source: configuration_*.py and
// modeling_*.py of transformers.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {
namespace {

constexpr Part kLlavaOnevisionParts[] = {
    part_model("vision", "vision_config", "siglip_vision_model")};
// Pixtral's turns.
constexpr Part kLlavaParts[] = {kPixtralTower[0],
                                part_model("vision", "vision_config", "clip_vision_model")};
constexpr Part kClipParts[] = {part_model("vision", "vision_config", "clip_vision_model")};

constexpr ModelType kTypes[] = {
    {.name = "llava",
     .architecture = "LlavaForConditionalGeneration",
     .config_class = "LlavaConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kLlavaParts},
    {.name = "llava_next",
     .architecture = "LlavaNextForConditionalGeneration",
     .config_class = "LlavaNextConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kClipParts},
    {.name = "vipllava",
     .architecture = "VipLlavaForConditionalGeneration",
     .config_class = "VipLlavaConfig",
     .part = "text_config",
     .part_type = "llama",
     .parts = kClipParts},
    model_of_parts({.name = "llava_next_video",
                    .architecture = "LlavaNextVideoForConditionalGeneration",
                    .config_class = "LlavaNextVideoConfig",
                    .part = "text_config",
                    .part_type = "llama",
                    .parts = kClipParts}),
    model_of_parts({.name = "llava_onevision",
                    .architecture = "LlavaOnevisionForConditionalGeneration",
                    .config_class = "LlavaOnevisionConfig",
                    .part = "text_config",
                    .part_type = "qwen2",
                    .parts = kLlavaOnevisionParts}),
    model_of_parts({.name = "video_llava",
                    .architecture = "VideoLlavaForConditionalGeneration",
                    .config_class = "VideoLlavaConfig",
                    .part = "text_config",
                    .part_type = "llama",
                    .parts = kClipParts}),
    model_of_parts({"llava_onevision2", "LlavaOnevision2ForConditionalGeneration",
                    "LlavaOnevision2Config", "text_config", "qwen3"}),
    refused("llava_bunny", "", "",
            "its text is a qwen2 or a llama with the keys at the top; --assume reads it as one"),
};

}  // namespace

constinit const Family family::llava{.name = "llava", .types = kTypes};

}  // namespace ropewalk
