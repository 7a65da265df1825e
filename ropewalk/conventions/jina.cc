// Jina AI; its first models have the model_type of BERT (google.cc), XLM-RoBERTa (meta.cc). Source:
// configuration_*.py and modeling_*.py of transformers; modeling_bert.py of
// jinaai/jina-bert-implementation.

#include "ropewalk/conventions/family.h"

namespace ropewalk {
namespace {

constexpr ModelType kTypes[] = {
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
};

}  // namespace

constinit const Family family::jina{.name = "jina", .types = kTypes};

}  // namespace ropewalk
