#include "ropewalk/tables/cos_sin.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/scalings_testing.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/table.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/fixture.h"
#include "ropewalk/testing/property.h"

namespace ropewalk {
namespace {

using testing::Fixture;

const RopeConfig kPlain = scaled_config("default", 1e4, 32);

RopeConfig llama3_config() {
  return scaled_config("llama3", 5e5, 32,
                       {{"factor", 8},
                        {"low_freq_factor", 1},
                        {"high_freq_factor", 4},
                        {"original_max_position_embeddings", 8192}});
}

RopeConfig longrope_config() {
  RopeConfig config = scaled_config(
      "longrope", 1e4, 32,
      {{"original_max_position_embeddings", 4096}, {"max_position_embeddings", 131072}});
  for (int i = 0; i < 16; ++i) {
    config.lists["short_factor"].push_back(1 + i / 64.0);
    config.lists["long_factor"].push_back(1 + i / 4.0);
  }
  return config;
}

RopeConfig qwen3_vl_config() {
  RopeConfig config = kPlain;
  config.position_axes = 3;
  config.mrope_section = {6, 5, 5};
  config.mrope_order = MropeOrder::interleaved;
  return config;
}

Tensor ids_of(const std::vector<int64_t>& numbers, const Dims& shape) {
  Tensor ids = make_tensor(DType::i64, shape);
  std::memcpy(ids.bytes.data(), numbers.data(), ids.bytes.size());
  return ids;
}

std::vector<float> floats(const Tensor& tensor) {
  const Tensor wide = converted(tensor.view(), DType::f32);
  std::vector<float> numbers(wide.bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), wide.bytes.data(), wide.bytes.size());
  return numbers;
}

// torch's cos and sin are within an ULP of the angle's.
void expect_near(const Tensor& found, const Fixture& fixture, const std::string& key,
                 double amplitude) {
  const std::vector<float> numbers = floats(found);
  const std::span<const float> expected = fixture.f32(key);
  EXPECT_EQ(found.shape, fixture.view(key).shape) << key;
  ASSERT_EQ(numbers.size(), expected.size()) << key;
  for (size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_NEAR(numbers[i], expected[i], 0x1p-23 * amplitude) << key << " " << i;
  }
}

struct Case {
  const char* name;
  RopeConfig config;
  RowForm form;
  const char* positions = "positions";
  int64_t seq_len = 0;
};

TEST(CosSinReference, TablesOfTransformers) {
  const Fixture fixture("tables");
  const RopeConfig yarn =
      scaled_config("yarn", 1e4, 32, {{"factor", 4}, {"original_max_position_embeddings", 4096}});
  for (const Case& each :
       {Case{"llama3", llama3_config(), RowForm::doubled}, Case{"yarn", yarn, RowForm::doubled},
        Case{"cohere", kPlain, RowForm::interleaved},
        Case{"gpt_neox", scaled_config("default", 1e4, 8), RowForm::doubled},
        Case{"longrope_short", longrope_config(), RowForm::doubled, "short", 4096},
        Case{"longrope_long", longrope_config(), RowForm::doubled, "long", 4097},
        Case{"qwen3_vl", qwen3_vl_config(), RowForm::doubled, "axes"}}) {
    const CosSin rows =
        cos_sin(each.config, fixture.view(each.positions),
                {.mode = AngleMode::hf_float32, .form = each.form, .seq_len = each.seq_len});
    const double amplitude = make_spectrum(each.config, each.seq_len).attention_scaling;
    expect_near(rows.cos, fixture, std::string(each.name) + "_cos", amplitude);
    expect_near(rows.sin, fixture, std::string(each.name) + "_sin", amplitude);
  }
}

TEST(CosSinReference, ComplexNumbersOfLlama4) {
  const Fixture fixture("tables");
  const CosSin rows =
      cos_sin(llama3_config(), fixture.view("positions"), {.mode = AngleMode::hf_float32});
  expect_near(as_complex(rows), fixture, "llama4_cis", 1);
}

// cos.to(bfloat16): the same number but where torch's last bit lies on the other side of a tie.
TEST(CosSinReference, Bf16TablesOfTransformers) {
  const Fixture fixture("tables");
  const CosSin rows =
      cos_sin(llama3_config(), fixture.view("positions"),
              {.mode = AngleMode::hf_float32, .form = RowForm::doubled, .dtype = DType::bf16});
  int others = 0;
  for (const auto& [tensor, key] :
       {std::pair(&rows.cos, "llama3_bf16_cos"), std::pair(&rows.sin, "llama3_bf16_sin")}) {
    const std::vector<float> numbers = floats(*tensor);
    const std::span<const float> expected = fixture.f32(key);
    ASSERT_EQ(numbers.size(), expected.size());
    for (size_t i = 0; i < numbers.size(); ++i) others += numbers[i] != expected[i];
  }
  EXPECT_LE(others, 4);
}

TEST(CosSin, WorkedNumber) {
  const Tensor ids = ids_of({1}, {1});
  const CosSin rows =
      cos_sin(scaled_config("default", 1e4, 4), ids.view(), {.form = RowForm::doubled});
  EXPECT_EQ(rows.cos.shape, (Dims{1, 4}));
  EXPECT_EQ(floats(rows.cos), (std::vector<float>{0.5403023f, 0.99995f, 0.5403023f, 0.99995f}));
}

TEST(CosSin, FormsSayWhereANumberStands) {
  RopeConfig two_windows = scaled_config("default", 1e4, 4);
  two_windows.position_axes = 2;
  two_windows.layout = {8, {{0, 4, Pairing::half_split}, {4, 4, Pairing::half_split}}};
  const Tensor ids = ids_of({3, 5, 7, 11}, {2, 1, 2});
  const std::vector<float> half = floats(cos_sin(two_windows, ids.view()).cos);
  ASSERT_EQ(half.size(), 8u);  // two tokens, two pairs on each of two axes
  const auto doubled = floats(cos_sin(two_windows, ids.view(), {.form = RowForm::doubled}).cos);
  const auto twice = floats(cos_sin(two_windows, ids.view(), {.form = RowForm::interleaved}).cos);
  for (size_t token = 0; token < 2; ++token) {
    const float* const c = half.data() + 4 * token;
    for (const auto& [i, place] : {std::pair(0, 0), {1, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 7}}) {
      EXPECT_EQ(doubled[8 * token + static_cast<size_t>(place)], c[i]);
    }
    for (size_t place = 0; place < 8; ++place) EXPECT_EQ(twice[8 * token + place], c[place / 2]);
  }
  EXPECT_EQ(half[2], std::cos(7.0f));
}

TEST(CosSin, NamesGoBothWays) {
  for (RowForm form : {RowForm::half, RowForm::doubled, RowForm::interleaved}) {
    EXPECT_EQ(row_form_from_name(name(form)), form);
  }
  EXPECT_ROPEWALK_ERROR(row_form_from_name("full"), ErrorCode::invalid_argument,
                        "expected one of the forms half, doubled, interleaved, found \"full\"");
}

// A run of positions is the table that engines keep; and a table of 16 bits the one that is rounded
// once, on several axes too.
ROPEWALK_PROPERTY(CosSin, RowsAreThoseOfTables, [] {
  const int64_t first = *rc::gen::inRange<int64_t>(-1000000, 1000000);
  const int64_t count = *rc::gen::inRange<int64_t>(0, 9);
  const DType dtype = *rc::gen::element(DType::f32, DType::bf16, DType::f16);
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(first + i);
  const Tensor ids = ids_of(numbers, {count});
  const Spectrum spectrum = make_spectrum(kPlain);
  const CosSin rows = cos_sin(kPlain, ids.view(), {.dtype = dtype});
  std::vector<std::byte> cos;
  if (dtype == DType::f32) {
    const CosSinTable table = make_table(spectrum, first, count);
    const auto bytes = std::as_bytes(std::span(table.cos));
    cos.assign(bytes.begin(), bytes.end());
  } else {
    const HalfCosSinTable table = make_half_table(spectrum, dtype, first, count);
    const auto bytes = std::as_bytes(std::span(table.cos));
    cos.assign(bytes.begin(), bytes.end());
  }
  RC_ASSERT(rows.cos.bytes == cos);
  // Text: one position on every axis.
  const CosSin text = cos_sin(qwen3_vl_config(), ids.view(), {.dtype = dtype});
  RC_ASSERT(text.cos.bytes == rows.cos.bytes);
  RC_ASSERT(text.sin.bytes == rows.sin.bytes);
});

TEST(CosSin, ManyThreadsGiveTheSameBytes) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 1000; ++i) numbers.push_back(i * i * 7919);
  const Tensor ids = ids_of(numbers, {2, 500});
  for (const AngleMode mode : {AngleMode::exact, AngleMode::hf_float32}) {
    for (const DType dtype : {DType::f32, DType::f16}) {
      CosSinOptions options{.mode = mode, .dtype = dtype};
      const CosSin one = cos_sin(kPlain, ids.view(), options);
      options.parallel.threads = 4;
      EXPECT_EQ(cos_sin(kPlain, ids.view(), options).sin.bytes, one.sin.bytes);
    }
  }
}

TEST(CosSin, ErrorsSayWhatIsWrong) {
  const Tensor ids = ids_of({0, 1, 2, 3}, {2, 1, 2});
  EXPECT_ROPEWALK_ERROR(cos_sin(kPlain, ids.view()), ErrorCode::invalid_argument,
                        "position_ids: expected [2], [1, 2] or [1, 1, 2], found [2, 1, 2]");
  EXPECT_ROPEWALK_ERROR(cos_sin(kPlain, ids_of({0}, {}).view()), ErrorCode::invalid_argument,
                        "position ids: expected [S], [B, S] or [axes, B, S], found []");
  const Tensor one = ids_of({0}, {1});
  EXPECT_ROPEWALK_ERROR(cos_sin(kPlain, one.view(), {.dtype = DType::f64}), ErrorCode::unsupported,
                        "expected dtype f32, bf16 or f16, found f64");
  EXPECT_ROPEWALK_ERROR(cos_sin(llama3_config(), one.view(), {.mode = AngleMode::ideal}),
                        ErrorCode::unsupported,
                        "ideal frequencies: expected rope_type default or a fixed base");
  EXPECT_ROPEWALK_ERROR(cos_sin(qwen3_vl_config(), one.view(), {.mode = AngleMode::ggml_float32}),
                        ErrorCode::unsupported,
                        "angle mode ggml_float32: expected 1 position axis, found 3");
  RopeConfig wide = kPlain;
  wide.inv_freq_dtype = DType::f64;
  EXPECT_ROPEWALK_ERROR(cos_sin(wide, one.view(), {.mode = AngleMode::hf_float32}),
                        ErrorCode::unsupported,
                        "angle mode hf_float32: expected frequencies in f32 or f16, found f64");
}

}  // namespace
}  // namespace ropewalk
