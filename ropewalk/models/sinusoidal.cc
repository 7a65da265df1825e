// Models that add the sines and cosines of "Attention Is All You Need" to their input, in one of
// the orders they were written down in since. Source: configuration_*.py and modeling_*.py of
// transformers.

#include <fmt/format.h>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/learned.h"

namespace ropewalk {
namespace {

constexpr std::string_view kTelltaleKeys[] = {"sinusoidal_pos_embds", "sinusoidal_embeddings",
                                              "max_source_positions", "scale_embedding"};

// How a table is laid out, and which of its rows token 0 takes.
struct Table {
  std::string_view model_type;
  std::string_view part;  // whose input it is added to
  SinusoidalLayout layout;
  enum { zero, two, after_padding } first_row = zero;
  std::string_view condition = {};  // the key that must be true for it
  std::string_view remark = {};
};

constexpr std::string_view kEncoderAndDecoder = "input of encoder and decoder";
constexpr Table kTables[] = {
    {"marian", kEncoderAndDecoder, SinusoidalLayout::sin_cos},
    {"pegasus", kEncoderAndDecoder, SinusoidalLayout::sin_cos},
    {"ctrl", "input", SinusoidalLayout::sin_cos},
    {"m2m_100", kEncoderAndDecoder, SinusoidalLayout::fairseq, Table::after_padding},
    {"nllb-moe", kEncoderAndDecoder, SinusoidalLayout::fairseq, Table::after_padding},
    {"fsmt", kEncoderAndDecoder, SinusoidalLayout::fairseq, Table::after_padding},
    {"speech_to_text", kEncoderAndDecoder, SinusoidalLayout::fairseq, Table::after_padding},
    {"xglm", "input", SinusoidalLayout::fairseq, Table::two},
    {"whisper", "input of encoder", SinusoidalLayout::fairseq, Table::zero, "",
     "the positions of the decoder are learned"},
    {"musicgen_decoder", "input", SinusoidalLayout::cos_sin},
    {"distilbert", "input", SinusoidalLayout::interleaved, Table::zero, "sinusoidal_pos_embds"},
    {"xlm", "input", SinusoidalLayout::interleaved, Table::zero, "sinusoidal_embeddings"},
};

const Table& table_of(std::string_view model_type) {
  for (const Table& table : kTables) {
    if (table.model_type == model_type) return table;
  }
  throw Error(ErrorCode::unsupported, fmt::format("no table of {}", model_type));
}

int64_t padding_token(ConfigReader& config, const ModelType& type) {
  return config.integer("pad_token_id", {"pad_token_id"}, {0}, {{1, default_of(type)}});
}

void read(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const Table& table = table_of(type.name);
  if (!table.condition.empty() &&
      !config.boolean(table.condition, table.condition, {false, default_of(type)})) {
    refuse_learned_positions(config, type.name, table.condition);
  }
  read_heads(config, model, type);
  SinusoidalConfig encoding{.d_model = model.hidden_size, .layout = table.layout};
  const bool fairseq = table.first_row != Table::zero;
  if (fairseq) {
    encoding.padding_position = padding_token(config, type);
    encoding.offset = table.first_row == Table::two ? 2 : encoding.padding_position + 1;
    config.note("offset", fmt::to_string(encoding.offset),
                table.first_row == Table::two ? "family: the first two rows are not used"
                                              : "derived: pad_token_id + 1");
  }
  config.note("encoding", "sinusoidal", fmt::format("family: the code of {}", type.name));
  config.note("layout", std::string(name(encoding.layout)),
              fmt::format("family: the code of {}", type.name));
  if (!table.remark.empty()) {
    config.note("remark", std::string(table.remark),
                fmt::format("family: the code of {}", type.name));
  }
  read_attention(config, model, type);
  model.others.push_back({std::string(table.part), encoding});
}

constexpr ModelType declared(std::string_view name, std::string_view architecture,
                             std::string_view config_class, int64_t max_positions,
                             std::string_view encoding) {
  ModelType type{};
  type.name = name;
  type.architecture = architecture;
  type.config_class = config_class;
  type.max_positions = max_positions;
  type.encoding = encoding;
  type.rotates = false;
  type.read = read;
  return type;
}

constexpr std::string_view kSinCos = "sinusoidal sin_cos, added to the input";
constexpr std::string_view kFairseq = "sinusoidal fairseq, added to the input";
constexpr std::string_view kChoice = "sinusoidal interleaved by a key, else learned (refused)";

constexpr ModelType kTypes[] = {
    declared("marian", "MarianMTModel", "MarianConfig", 1024, kSinCos),
    declared("pegasus", "PegasusForConditionalGeneration", "PegasusConfig", 1024, kSinCos),
    declared("ctrl", "CTRLLMHeadModel", "CTRLConfig", 256, kSinCos),
    declared("m2m_100", "M2M100ForConditionalGeneration", "M2M100Config", 1024, kFairseq),
    declared("nllb-moe", "NllbMoeForConditionalGeneration", "NllbMoeConfig", 1024, kFairseq),
    declared("fsmt", "FSMTForConditionalGeneration", "FSMTConfig", 1024, kFairseq),
    declared("speech_to_text", "Speech2TextForConditionalGeneration", "Speech2TextConfig", 6000,
             kFairseq),
    declared("xglm", "XGLMForCausalLM", "XGLMConfig", 2048, kFairseq),
    declared("whisper", "WhisperForConditionalGeneration", "WhisperConfig", 1500,
             "sinusoidal fairseq, added to the input of the encoder"),
    declared("musicgen_decoder", "MusicgenForCausalLM", "MusicgenDecoderConfig", 2048,
             "sinusoidal cos_sin, added to the input"),
    {.name = "musicgen",
     .architecture = "MusicgenForConditionalGeneration",
     .config_class = "MusicgenConfig",
     .part = "decoder",
     .part_type = "musicgen_decoder"},
    declared("distilbert", "DistilBertModel", "DistilBertConfig", 512, kChoice),
    declared("xlm", "XLMModel", "XLMConfig", 512, kChoice),
};

}  // namespace

constinit const Family family::sinusoidal{
    .name = "sinusoidal", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
