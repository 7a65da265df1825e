// Models whose positions were learned, as a table of vectors or of biases: named, so that the
// answer is a clear one. A few of them have a choice. Source: configuration_*.py of transformers,
// and modeling_bert.py of jinaai/jina-bert-implementation.

#include "ropewalk/conventions/family.h"
#include "ropewalk/conventions/rows.h"

namespace ropewalk {

namespace {

constexpr ModelType kTypes[] = {
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
    learned_table("gpt2", "GPT2LMHeadModel"),
    learned_table("gpt_bigcode", "GPTBigCodeForCausalLM"),
    learned_table("gpt_neo", "GPTNeoForCausalLM"),
    learned_table("openai-gpt", "OpenAIGPTLMHeadModel"),
    learned_table("opt", "OPTForCausalLM"),
    learned_table("biogpt", "BioGptForCausalLM"),
    learned_table("bart", "BartForConditionalGeneration"),
    learned_table("mbart", "MBartForConditionalGeneration"),
    learned_table("roberta", "RobertaModel"),
    learned_table("camembert", "CamembertModel"),
    learned_table("electra", "ElectraModel"),
    learned_table("albert", "AlbertModel"),
    learned_table("mpnet", "MPNetModel"),
    learned_table("deberta-v2", "DebertaV2Model"),
    learned_table("t5", "T5ForConditionalGeneration"),
    learned_table("mt5", "MT5ForConditionalGeneration"),
    learned_table("clip", "CLIPModel"),
    learned_table("vit", "ViTModel"),
};

}  // namespace

constinit const Family family::learned{.name = "learned", .types = kTypes};

}  // namespace ropewalk
