// GGUF files made for one question each; those of published models are in dialects_test.cc.

#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>

#include "ropewalk/models/gguf_testing.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

TEST(GgufModel, DefaultsAreThoseOfLlamaCpp) {
  const ModelEncoding model = read_gguf(sized("llama"));
  const RopeConfig& rope = rope_of(model);
  EXPECT_EQ(rope.rope_theta, 10000);
  EXPECT_EQ(rope.rotary_dim, 16);
  EXPECT_EQ(rope.layout.windows[0].pairing, Pairing::interleaved);
  EXPECT_EQ(source_of(model, "rope_theta"), "default of llama.cpp");
  EXPECT_EQ(model.kv_heads, 4);
  EXPECT_EQ(model.max_positions, 4096);
  EXPECT_EQ(model.family, "llama");
  EXPECT_THAT(model.warnings, testing::Contains(testing::HasSubstr("rows of Q and K were moved")));
}

// ollama/ollama#14412, LostRuins/koboldcpp#487 and llama.cpp's own default: a model whose base is
// another, converted without it.
TEST(GgufModel, AbsentBaseIsNamedWhereTheModelsOwnIsAnother) {
  EXPECT_THAT(read_gguf(sized("gpt-oss")).warnings,
              testing::Contains("gpt-oss.rope.freq_base is absent: llama.cpp takes 10000, the "
                                "model's own default is 150000"));
  const GgufBytes stated = sized("gpt-oss").f32("gpt-oss.rope.freq_base", 150000);
  EXPECT_THAT(read_gguf(stated).warnings,
              testing::Not(testing::Contains(testing::HasSubstr("absent"))));
  EXPECT_THAT(read_gguf(sized("llama")).warnings,
              testing::Not(testing::Contains(testing::HasSubstr("absent"))));
}

// ollama/ollama#2379: a Qwen2 that was converted without its base of 1e6, and answers in newlines
// after a while. The class has another default than its models, so that the source must tell.
TEST(GgufModel, B03_AbsentBaseOfAModelThatStatesIt) {
  const auto angle = [](const GgufBytes& bytes) {
    return 4096 * make_spectrum(rope_of(read_gguf(bytes))).inv_freq.at(63);
  };
  GgufBytes qwen2 = sized("qwen2");
  qwen2.u32("qwen2.attention.key_length", 128);
  EXPECT_EQ(source_of(read_gguf(qwen2), "rope_theta"), "default of llama.cpp");
  EXPECT_NEAR(angle(qwen2), 0.472999, 5e-7);
  const GgufBytes stated = qwen2.f32("qwen2.rope.freq_base", 1000000);
  EXPECT_NEAR(angle(stated), 0.005083, 5e-7);
}

TEST(GgufModel, G16_BadBase) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float base : {infinity, -infinity, std::nanf("")}) {
    EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.freq_base", base), malformed,
                      "key \"llama.rope.freq_base\": expected a finite number");
  }
  for (const float base : {0.0f, -10000.0f, 1e-30f}) {
    EXPECT_GGUF_ERROR(sized("llama").f32("llama.rope.freq_base", base), malformed,
                      "m.gguf: llama.rope.freq_base: expected a number of at least 1");
  }
  EXPECT_GGUF_ERROR(sized("llama").text("llama.rope.freq_base", "10000"), malformed,
                    "llama.rope.freq_base");
}

TEST(GgufModel, G17_BadRotaryDim) {
  for (const uint32_t dim : {0u, 7u, 18u, 1u << 31}) {
    EXPECT_GGUF_ERROR(sized("llama").u32("llama.rope.dimension_count", dim), malformed,
                      "llama.rope.dimension_count");
  }
  GgufBytes latent = sized("deepseek2");
  latent.u32("deepseek2.attention.key_length", 24).u32("deepseek2.rope.dimension_count", 32);
  EXPECT_GGUF_ERROR(latent, malformed,
                    "key \"deepseek2.rope.dimension_count\": expected at most the 24 channels");
  EXPECT_GGUF_ERROR(sized("deepseek2"), malformed, "deepseek2.attention.key_length");
}

TEST(GgufModel, G18_BadHeads) {
  GgufBytes none;
  none.text("general.architecture", "llama");
  none.u32("llama.embedding_length", 64).u32("llama.block_count", 4);
  EXPECT_GGUF_ERROR(none, malformed,
                    "m.gguf: llama.attention.head_count: expected an integer in 1..1048576, found "
                    "no such key");
  EXPECT_GGUF_ERROR(none.u32("llama.attention.head_count", 0), malformed,
                    "llama.attention.head_count: expected an integer in 1..1048576, found 0");
  EXPECT_GGUF_ERROR(sized("llama").u32("llama.attention.head_count_kv", 3), malformed,
                    "llama.attention.head_count_kv");
  EXPECT_GGUF_ERROR(sized("llama").array<int32_t>("llama.attention.head_count_kv", 5, {4, 4}),
                    malformed, "expected 4 numbers, one for each layer, found 2");
}

TEST(GgufModel, G19_HugeLayerCountTakesNoMemory) {
  GgufBytes bytes;
  bytes.text("general.architecture", "llama").u32("llama.embedding_length", 64);
  bytes.u32("llama.attention.head_count", 4).u32("llama.block_count", 1u << 31);
  EXPECT_GGUF_ERROR(bytes, malformed, "llama.block_count: expected an integer in 1..4096");
}

TEST(GgufModel, ChatGlmRowsAreNotMoved) {
  EXPECT_THAT(read_gguf(sized("chatglm")).warnings,
              testing::Not(testing::Contains(testing::HasSubstr("rows of Q and K"))));
}

TEST(GgufModel, Alibi) {
  const ModelEncoding bloom = read_gguf(sized("bloom"));
  EXPECT_EQ(std::get<AlibiConfig>(bloom.layers[0].positions).max_bias, 8);
  const ModelEncoding mpt = read_gguf(sized("mpt").f32("mpt.attention.max_alibi_bias", 16));
  EXPECT_EQ(std::get<AlibiConfig>(mpt.layers[0].positions).max_bias, 16);
  EXPECT_GGUF_ERROR(sized("mpt"), malformed, "mpt.attention.max_alibi_bias");
  EXPECT_EQ(std::get<AlibiConfig>(read_gguf(sized("jina-bert-v2")).layers[0].positions).form,
            AlibiForm::symmetric);
}

TEST(GgufModel, UnknownArchitecture) {
  EXPECT_GGUF_ERROR(sized("lama"), unsupported,
                    "general.architecture: expected one that ropewalk models lists, found "
                    "\"lama\"; did you mean \"llama\"?");
  EXPECT_EQ(read_gguf(sized("lama"), "qwen2").family, "qwen");
  EXPECT_ROPEWALK_ERROR(read_gguf(sized("lama"), "qwen22"), ErrorCode::invalid_argument, "qwen2");
}

TEST(GgufModel, UnusedKeysOfTheRopeAreNamed) {
  EXPECT_THAT(read_gguf(sized("llama").f32("llama.rope.mystery", 1)).warnings,
              testing::Contains("llama.rope.mystery is not used"));
}

// 0.2 s, more under a sanitizer; it once took 23 s.
TEST(GgufModel, G9_ManyUnusedKeysTakeLinearTime) {
  GgufBytes bytes = sized("llama");
  for (int i = 0; i < 100000; ++i) bytes.u32("llama.rope.mystery" + std::to_string(i), 1);
  const TempFolder folder;
  const auto path = folder.file("m.gguf", bytes.file());
  const std::clock_t start = std::clock();
  const ModelEncoding model = read_gguf_model(path);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 15);
  EXPECT_GE(model.warnings.size(), 100000u);
}

TEST(GgufModel, EitherByteOrder) {
  GgufBytes big;
  big.order = std::endian::big;
  big.text("general.architecture", "llama").u32("llama.embedding_length", 64);
  big.u32("llama.block_count", 4).u32("llama.attention.head_count", 4);
  big.f32("llama.rope.freq_base", 500000);
  EXPECT_EQ(rope_of(read_gguf(big)).rope_theta, 500000);
}

// Whatever a byte becomes, and wherever the file ends, there is a model or an error about the file.
TEST(GgufModel, AnyByteChangedAndAnyLength) {
  const TempFolder folder;
  size_t refused = 0;
  const auto answer = [&](const std::string& bytes) {
    try {
      read_gguf_model(folder.file("m.gguf", bytes));
    } catch (const Error& error) {
      ++refused;
      ASSERT_TRUE(error.code() == ErrorCode::malformed || error.code() == ErrorCode::unsupported ||
                  error.code() == ErrorCode::resource_limit)
          << error.what();
      ASSERT_THAT(error.what(), testing::HasSubstr("m.gguf"));
    }
  };
  for (const char* name : {"llama-3.2-1b", "deepseek-v2-lite", "gemma-3-4b", "mpt-7b"}) {
    const std::filesystem::path path =
        std::filesystem::path(ROPEWALK_TESTDATA) / "models" / name / "model.gguf";
    const std::string bytes = file_bytes(path);
    for (size_t at = 0; at < bytes.size(); ++at) {
      SCOPED_TRACE(std::string(name) + " byte " + std::to_string(at));
      for (const char change : {'\1', '\x80', '\xff'}) {
        std::string other = bytes;
        other[at] = static_cast<char>(other[at] ^ change);
        answer(other);
      }
      answer(bytes.substr(0, at));
    }
  }
  EXPECT_GE(refused, 2000u);
}

// A folder of parts, and one of several models.
TEST(GgufModel, Folders) {
  const TempFolder folder;
  const std::string bytes = sized("llama").file();
  folder.file("m-00001-of-00002.gguf", bytes);
  folder.file("m-00002-of-00002.gguf", "not looked at");
  EXPECT_EQ(read_model(folder.path()).family, "llama");
  folder.file("other.gguf", bytes);
  EXPECT_ROPEWALK_ERROR(read_model(folder.path()), ErrorCode::invalid_argument,
                        "expected a config.json or one GGUF, found 2 of them");
  // Whatever its name is.
  EXPECT_EQ(read_model(folder.file("sha256-abc", bytes)).family, "llama");
  EXPECT_ROPEWALK_ERROR(read_model(folder.file("old", "lmgg\1\0\0\0")), ErrorCode::unsupported,
                        "GGUF");
}

}  // namespace
}  // namespace ropewalk
