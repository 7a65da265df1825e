// The rows C14 to C22 of bad config files: a scaling, a share of the head or an axis that cannot
// be.

#include <ctime>

#include <fmt/format.h>

#include "ropewalk/models/configs_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;
using testing::Contains;
using testing::IsEmpty;

// A model with heads of 128 channels, 8192 positions, and this block.
ordered_json with_block(std::string_view block, std::string_view model_type = "llama") {
  return small_config(
      model_type, fmt::format(R"({{"max_position_embeddings": 8192, "rope_scaling": {}}})", block));
}

void expect_refused(const ordered_json& config, const std::string& text,
                    ErrorCode code = ErrorCode::malformed) {
  EXPECT_ROPEWALK_ERROR(read(config), code, "config.json: /" + text);
}

std::string numbers(size_t count, const char* value) {
  return fmt::format("[{}]", fmt::join(std::vector<std::string>(count, value), ", "));
}

TEST(BadScaling, C14_ShareThatGivesAnOddNumber) {
  for (const auto& [share, channels] : {std::pair(0.1, 12), std::pair(0.25, 32)}) {
    ordered_json config = with_block("null", "phi");
    config["partial_rotary_factor"] = share;
    EXPECT_EQ(rope_of(read(config)).rotary_dim, channels);
  }
  ordered_json config = with_block("null", "phi");
  config["partial_rotary_factor"] = 0.2;  // 25.6
  expect_refused(config,
                 "partial_rotary_factor: expected an even number of rotated channels in 2..128, "
                 "found 25",
                 ErrorCode::unsupported);
  config["partial_rotary_factor"] = 0.01;
  expect_refused(config, "partial_rotary_factor: expected an even number of rotated channels",
                 ErrorCode::unsupported);
}

// As transformers has it, and said aloud.
TEST(BadScaling, C17_YarnWithoutItsOriginalLength) {
  const ordered_json stated =
      with_block(R"({"type": "yarn", "factor": 4, "original_max_position_embeddings": 8192})");
  const ordered_json absent = with_block(R"({"type": "yarn", "factor": 4})");
  EXPECT_THAT(read(stated).warnings, IsEmpty());
  EXPECT_EQ(without_words(read(absent)), without_words(read(stated)));
  EXPECT_THAT(read(absent).warnings,
              Contains("/rope_scaling/original_max_position_embeddings is stated nowhere: the "
                       "context of 8192 stands for it"));
  EXPECT_EQ(source_of(read(absent), "original_max_position_embeddings"),
            "default: max_position_embeddings");
}

// Someone wrote llama.cpp's scale of the positions, 0.25, in the place of the factor, 4.
TEST(BadScaling, C18_FactorBelowOne) {
  for (const char* type : {"linear", "dynamic", "yarn"}) {
    expect_refused(with_block(fmt::format(R"({{"type": "{}", "factor": 0.25}})", type)),
                   "rope_scaling/factor: expected at least 1, the growth of the context "
                   "(llama.cpp's rope scale is 1 / factor), found 0.25");
    for (const char* bad : {"0", "-4", "NaN", "Infinity", "\"4\"", "true", "[4]"}) {
      const std::string block = fmt::format(R"({{"type": "{}", "factor": "MARK"}})", type);
      std::string text = with_block(block).dump();
      text.replace(text.find("\"MARK\""), 6, bad);
      EXPECT_ROPEWALK_ERROR(read_model_config(text, "config.json"), ErrorCode::malformed,
                            "config.json: /rope_scaling/factor: expected ");
    }
  }
}

TEST(BadScaling, C18_FactorThatStopsAPair) {
  for (const char* type : {"linear", "yarn"}) {
    expect_refused(with_block(fmt::format(R"({{"type": "{}", "factor": 1e300}})", type)),
                   fmt::format("rope_scaling: rope_type \"{}\": expected a frequency above 0 for "
                               "each pair, found 0 for pair ",
                               type));
  }
}

TEST(BadScaling, C18_BandsInTheWrongOrder) {
  expect_refused(
      with_block(R"({"type": "yarn", "factor": 4, "beta_fast": 1, "beta_slow": 32})"),
      "rope_scaling: rope_type \"yarn\": beta_fast: expected at least beta_slow 32, found 1");
  expect_refused(with_block(R"({"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
                     "high_freq_factor": 1, "original_max_position_embeddings": 8192})"),
                 "rope_scaling: rope_type \"llama3\": high_freq_factor: expected at least "
                 "low_freq_factor 4");
  // Equal ones are Llama-4-Scout's.
  EXPECT_NO_THROW(read(with_block(R"({"rope_type": "llama3", "factor": 8, "low_freq_factor": 1,
                          "high_freq_factor": 1, "original_max_position_embeddings": 8192})")));
}

TEST(BadScaling, C19_FactorsOfLongrope) {
  const auto block = [](const std::string& short_factor, const std::string& long_factor) {
    return with_block(fmt::format(R"({{"type": "longrope", "short_factor": {}, "long_factor": {},
                                       "original_max_position_embeddings": 4096}})",
                                  short_factor, long_factor));
  };
  EXPECT_NO_THROW(read(block(numbers(64, "1.5"), numbers(64, "2"))));
  expect_refused(block(numbers(63, "1"), numbers(64, "2")),
                 "rope_scaling: rope_type \"longrope\": short_factor: expected 64 numbers, one for "
                 "each pair, found 63");
  expect_refused(block(numbers(64, "1"), numbers(128, "2")),
                 "rope_scaling: rope_type \"longrope\": long_factor: expected 64 numbers, one for "
                 "each pair, found 128");
  for (const char* bad : {"0", "-1", "\"1\"", "null"}) {
    std::string list = numbers(64, "1");
    list.replace(list.size() - 2, 1, bad);
    expect_refused(block(list, numbers(64, "2")),
                   "rope_scaling/short_factor: expected a positive number at [63], found ");
  }
  expect_refused(block("[]", numbers(64, "2")), "rope_scaling");
  expect_refused(block("1.5", numbers(64, "2")), "rope_scaling/short_factor: expected ");
}

TEST(BadScaling, C20_SectionsThatDoNotMakeTheHead) {
  const auto block = [](const char* section) {
    return with_block(fmt::format(R"({{"type": "mrope", "mrope_section": {}}})", section),
                      "qwen2_vl_text");
  };
  EXPECT_NO_THROW(read(block("[16, 24, 24]")));
  expect_refused(block("[16, 24, 25]"),
                 "rope_scaling: expected a mrope_section of 3 numbers whose sum is the 64 pairs, "
                 "found 3 whose sum is 65");
  expect_refused(block("[32, 32]"), "rope_scaling: expected a mrope_section of 3 numbers");
  expect_refused(block("[16, 24, 12, 12]"), "rope_scaling: expected a mrope_section of 3 numbers");
  for (const char* bad : {"[16, -24, 72]", "[16, 24.5, 23.5]", "[\"16\", 24, 24]", "24"}) {
    expect_refused(block(bad), "rope_scaling/mrope_section");
  }
  // Every third pair of Qwen3-VL is one of the height: there are but 21 of them.
  expect_refused(with_block(R"({"mrope_section": [20, 24, 20]})", "qwen3_vl_text"),
                 "rope_scaling: ");
}

TEST(BadScaling, ManyUnusedKeysTakeLinearTime) {
  ordered_json config = with_block(R"({"type": "linear", "factor": 2})");
  std::string text = config.dump();
  std::string keys;
  for (int i = 0; i < 100000; ++i) keys += fmt::format("\"mystery{}\": 1, ", i);
  text.insert(text.find("\"type\""), keys);
  const std::clock_t start = std::clock();
  const ModelEncoding model = read_model_config(text, "config.json");
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 15);
  EXPECT_EQ(model.warnings.size(), 100000u);
}

TEST(BadScaling, C22_KeysOfNestedObjectsAreNamedByTheirPointer) {
  ordered_json config = {{"model_type", "gemma3"},
                         {"text_config", with_block(R"({"type": "linear", "factor": -8})")}};
  config["text_config"]["model_type"] = "gemma3_text";
  expect_refused(config, "text_config/rope_scaling/factor: expected a positive number, found -8");
  config = with_block("null", "gemma3_text");
  config["rope_parameters"] = ordered_json::parse(R"({"full_attention": {"rope_type": "linear"}})");
  expect_refused(config, "rope_parameters/full_attention/factor: rope_type linear needs ");
  config["rope_parameters"]["full_attention"]["factor"] = 8;
  EXPECT_EQ(source_of(read(config), "full_attention factor"),
            "config.json: /rope_parameters/full_attention/factor");
}

// What other software computes and ropewalk does not.
TEST(BadScaling, WhatIsNotComputedIsRefusedByName) {
  expect_refused(with_block(R"({"rope_type": "default", "use_fope": true})"),
                 "rope_scaling/use_fope: expected false, found true: the frequencies are mixed by "
                 "learned coefficients",
                 ErrorCode::unsupported);
  EXPECT_NO_THROW(read(with_block(R"({"rope_type": "default", "use_fope": false})")));
  // Qwen2.5-7B-Instruct-1M
  const ModelEncoding chunked = read(small_config(
      "qwen2", R"({"dual_chunk_attention_config": {"chunk_size": 262144, "local_size": 8192}})"));
  EXPECT_THAT(chunked.layers[0].attention.not_computed, Contains(NotComputed::dual_chunk));
  EXPECT_EQ(source_of(chunked, "dual_chunk"), "config.json: /dual_chunk_attention_config");
}

TEST(Mpt, WithoutAlibiItsTableCounts) {
  const auto mpt = [](const char* more) {
    return read(ordered_json::parse(fmt::format(
        R"({{"model_type": "mpt", "d_model": 64, "n_heads": 4, "n_layers": 2, "max_seq_len": 128, {}}})",
        more)));
  };
  EXPECT_TRUE(std::holds_alternative<LearnedConfig>(
      mpt(R"("attn_config": {"alibi": false})").others.at(0).encoding));
  EXPECT_THAT(mpt(R"("learned_pos_emb": false, "attn_config": {"alibi": false})").others,
              IsEmpty());
  EXPECT_ROPEWALK_ERROR(mpt(R"("attn_config": {"alibi": false, "rope": true})"),
                        ErrorCode::unsupported, "/attn_config/rope: expected false, found true");
}

}  // namespace
}  // namespace ropewalk
