// Jina AI, also under the model_type of the class that its models grew from. Source:
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
    {.name = "bert",
     .architecture = "BertModel",
     .config_class = "BertConfig",
     .max_positions = 512,
     .positions = Positions::alibi,
     .only_if = {.key = "position_embedding_type", .value = "alibi"},
     .alibi = {.form = AlibiForm::symmetric},
     .attention = {.known = true, .mask = Mask::full},
     .gguf = {"jina-bert-v2"},
     .encoding = "ALiBi with position_embedding_type alibi (jina-bert-v2), else learned (refused)"},
    {.name = "xlm-roberta",
     .architecture = "XLMRobertaModel",
     .config_class = "XLMRobertaFlashConfig",
     .max_positions = 8194,
     .rope_theta = 10000,
     .theta_key = "rotary_emb_base",
     .only_if = {.key = "position_embedding_type", .value = "rotary"},
     .attention = {.known = true, .mask = Mask::full},
     .gguf = {"jina-bert-v3"},
     .encoding = "RoPE half_split with position_embedding_type rotary (jina-embeddings-v3), else "
                 "learned (refused)"},
};

}  // namespace

constinit const Family family::jina{.name = "jina", .types = kTypes};

}  // namespace ropewalk
