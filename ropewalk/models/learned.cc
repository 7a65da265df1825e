// Models whose positions were learned, as a table of vectors or of biases: named, so that the
// answer is a clear one. A few of them have a choice. Source: configuration_*.py of transformers,
// and modeling_bert.py of jinaai/jina-bert-implementation.

#include "ropewalk/models/learned.h"

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"

namespace ropewalk {

void refuse_learned_positions(const ConfigReader& config, std::string_view model_type,
                              std::string_view key) {
  config.refuse(ErrorCode::unsupported, key,
                fmt::format("expected a model that computes its positions, found a {}, whose "
                            "positions are learned: they are weights of its "
                            "checkpoint and no formula",
                            model_type));
}

namespace {

void read_learned(ConfigReader& config, ModelEncoding&, const ModelType& type) {
  refuse_learned_positions(config, type.name, "model_type");
}

// BERT's class, with another encoding under the same model_type: jina-bert-v2.
void read_bert(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto stated = config.find_text("position_embedding_type");
  if (stated != "alibi") refuse_learned_positions(config, type.name, "position_embedding_type");
  read_heads(config, model, type);
  config.note("encoding", "alibi", config.source("position_embedding_type"));
  config.note("alibi form", "symmetric", "family: modeling_bert.py of jina-bert-v2");
  set_positions(model, AlibiConfig{.heads = model.heads, .form = AlibiForm::symmetric});
  read_attention(config, model, type);
}

// XLM-RoBERTa's class: jina-embeddings-v3.
void read_xlm_roberta(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const auto stated = config.find_text("position_embedding_type");
  if (stated != "rotary") {
    refuse_learned_positions(config, type.name, "position_embedding_type");
  }
  read_declared(config, model, type);
}

constexpr std::string_view kLearned = "a learned table (refused)";

constexpr ModelType learned(std::string_view name, std::string_view architecture) {
  ModelType type{};
  type.name = name;
  type.architecture = architecture;
  type.encoding = kLearned;
  type.rotates = false;
  type.read = read_learned;
  return type;
}

constexpr ModelType kTypes[] = {
    {.name = "bert",
     .architecture = "BertModel",
     .config_class = "BertConfig",
     .max_positions = 512,
     .rotates = false,
     .attention = {.known = true, .mask = Mask::full},
     .gguf = {"jina-bert-v2"},
     .encoding = "ALiBi with position_embedding_type alibi (jina-bert-v2), else learned (refused)",
     .read = read_bert},
    {.name = "xlm-roberta",
     .architecture = "XLMRobertaModel",
     .config_class = "XLMRobertaFlashConfig",
     .max_positions = 8194,
     .rope_theta = 10000,
     .theta_key = "rotary_emb_base",
     .attention = {.known = true, .mask = Mask::full},
     .gguf = {"jina-bert-v3"},
     .encoding = "RoPE half_split with position_embedding_type rotary (jina-embeddings-v3), else "
                 "learned (refused)",
     .read = read_xlm_roberta},
    learned("gpt2", "GPT2LMHeadModel"),
    learned("gpt_bigcode", "GPTBigCodeForCausalLM"),
    learned("gpt_neo", "GPTNeoForCausalLM"),
    learned("openai-gpt", "OpenAIGPTLMHeadModel"),
    learned("opt", "OPTForCausalLM"),
    learned("biogpt", "BioGptForCausalLM"),
    learned("bart", "BartForConditionalGeneration"),
    learned("mbart", "MBartForConditionalGeneration"),
    learned("roberta", "RobertaModel"),
    learned("camembert", "CamembertModel"),
    learned("electra", "ElectraModel"),
    learned("albert", "AlbertModel"),
    learned("mpnet", "MPNetModel"),
    learned("deberta-v2", "DebertaV2Model"),
    learned("t5", "T5ForConditionalGeneration"),
    learned("mt5", "MT5ForConditionalGeneration"),
    learned("clip", "CLIPModel"),
    learned("vit", "ViTModel"),
};

}  // namespace

constinit const Family family::learned{.name = "learned", .types = kTypes};

}  // namespace ropewalk
