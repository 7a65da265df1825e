#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/capi/ropewalk.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

const std::string kModels = ROPEWALK_TESTDATA "/models/";
constexpr int kThreads = 8;

// Numbers that look like no pattern.
std::vector<float> numbers(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>((i * 2654435761U) % 1000U) / 500 - 1;
  }
  return values;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <typename Task>
void on_eight_threads(const Task& task) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&task, t] { task(t); });
  for (std::thread& thread : threads) thread.join();
}

// Layer 0 of models whose ropes differ in what the interface must pass on: scaling, part of the
// head, pairs written elsewhere (DeepSeek), sections of axes, a length that counts.
TEST(C, TurnsAsCppDoes) {
  for (const char* name :
       {"llama-3.1-8b", "gpt-neox-20b", "deepseek-v3", "qwen2-vl-7b", "qwen-7b"}) {
    const ModelEncoding encoding = load_model(kModels + name);
    const RopeConfig& rope = rope_at(encoding, 0);
    const Dims shape = {2, 3, 2, rope.layout.head_dim};
    const int64_t ids_of_token[] = {0, 1, 2, 9000, 9001, 9002};
    const ConstTensorView ids =
        make_view(static_cast<const void*>(ids_of_token), DType::i64, {2, 3});
    ropewalk_model* model = nullptr;
    ropewalk_rope* handle = nullptr;
    ASSERT_EQ(ropewalk_read_model((kModels + name).c_str(), nullptr, &model), ROPEWALK_OK)
        << ropewalk_last_error();
    ASSERT_EQ(ropewalk_rope_of_layer(model, 0, 0, &handle), ROPEWALK_OK) << ropewalk_last_error();
    for (const Direction direction :
         {Direction::forward, Direction::inverse, Direction::transpose}) {
      std::vector<float> in_cpp = numbers(num_elements(shape)), in_c = in_cpp;
      const TensorView view = make_view(static_cast<void*>(in_cpp.data()), DType::f32, shape);
      rotate(rope, positions_of(ids), in_place(view), std::nullopt, {.direction = direction});
      const ropewalk_tensor q = ropewalk_tensor_of(in_c.data(), ROPEWALK_F32, 4, shape.begin());
      const int64_t ids_shape[] = {2, 3};
      const ropewalk_tensor tokens =
          ropewalk_tensor_of(const_cast<int64_t*>(ids_of_token), ROPEWALK_I64, 2, ids_shape);
      const ropewalk_positions at = ropewalk_position_ids(&tokens);
      ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
      how.layout = ROPEWALK_BSHD;
      how.direction = static_cast<int32_t>(direction);
      ASSERT_EQ(ropewalk_rotate(handle, &at, &q, nullptr, &how), ROPEWALK_OK)
          << ropewalk_last_error();
      EXPECT_TRUE(same_bits(in_c, in_cpp)) << name;
    }
    ropewalk_free_rope(handle);
    ropewalk_free_model(model);
  }
}

TEST(C, TellsWhatCppReads) {
  ropewalk_model* model = nullptr;
  const char* json = nullptr;
  ASSERT_EQ(ropewalk_read_model((kModels + "gemma-3-4b").c_str(), nullptr, &model), ROPEWALK_OK);
  ASSERT_EQ(ropewalk_model_json(model, &json), ROPEWALK_OK);
  nlohmann::ordered_json found = nlohmann::ordered_json::parse(json);
  EXPECT_TRUE(found.at("traps").is_array());
  found.erase("traps");
  EXPECT_EQ(found, to_json(load_model(kModels + "gemma-3-4b")));
  ropewalk_free_model(model);
}

// docs/threads.md: one model, rope, spectrum and rows, eight threads, each with arrays of its own.
TEST(Threads, ShareTheValuesOfCpp) {
  const ModelEncoding model = load_model(kModels + "llama-3.1-8b");
  const RopeConfig& rope = rope_at(model, 0);
  const Spectrum spectrum = make_spectrum(rope);
  const RopeRows rows = make_rope_rows(spectrum, positions_from(100), 1, 64);
  const Dims shape = {1, 64, 16, 128};  // 512 KiB, which a call shares out to the pool
  std::vector<std::vector<float>> results(kThreads);
  on_eight_threads([&](int t) {
    std::vector<float> by_rows = numbers(num_elements(shape)), by_spectrum = by_rows,
                       by_model = by_rows;
    const auto view = [&](std::vector<float>& x) {
      return in_place(make_view(static_cast<void*>(x.data()), DType::f32, shape));
    };
    for (int i = 0; i < 4; ++i) {
      apply_rope(rows, rope.layout, view(by_rows));
      apply_rope(spectrum, rope.layout, positions_from(100), view(by_spectrum));
      rotate(rope_at(model, i), positions_from(100), view(by_model));
    }
    EXPECT_TRUE(same_bits(by_rows, by_spectrum) && same_bits(by_rows, by_model));
    results[static_cast<size_t>(t)] = by_rows;
  });
  for (const std::vector<float>& result : results) EXPECT_TRUE(same_bits(result, results[0]));
}

// The same through handles: facts asked for the first time by all at once, and a message for each
// thread.
TEST(Threads, ShareTheHandlesOfC) {
  ropewalk_model* model = nullptr;
  ropewalk_rope* rope = nullptr;
  ropewalk_rows* rows = nullptr;
  const ropewalk_positions at = ropewalk_run(100, 64);
  ASSERT_EQ(ropewalk_read_model((kModels + "llama-3.1-8b").c_str(), nullptr, &model), ROPEWALK_OK);
  ASSERT_EQ(ropewalk_rope_of_layer(model, 0, 0, &rope), ROPEWALK_OK);
  ASSERT_EQ(ropewalk_make_rows(rope, &at, nullptr, &rows), ROPEWALK_OK);
  const int64_t shape[] = {64, 16, 128};
  std::vector<const char*> texts(kThreads);
  on_eight_threads([&](int t) {
    std::vector<float> x = numbers(64 * 16 * 128), y = x;
    const ropewalk_tensor q = ropewalk_tensor_of(x.data(), ROPEWALK_F32, 3, shape);
    const ropewalk_tensor q2 = ropewalk_tensor_of(y.data(), ROPEWALK_F32, 3, shape);
    ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
    how.layout = ROPEWALK_THD;
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(ropewalk_rotate_rows(rows, &q, nullptr, &how), ROPEWALK_OK);
      EXPECT_EQ(ropewalk_rotate(rope, &at, &q2, nullptr, &how), ROPEWALK_OK);
    }
    EXPECT_TRUE(same_bits(x, y));
    EXPECT_EQ(ropewalk_model_json(model, &texts[static_cast<size_t>(t)]), ROPEWALK_OK);
    ropewalk_layer facts = ROPEWALK_LAYER;
    EXPECT_EQ(ropewalk_describe_layer(model, 1000 + t, &facts), ROPEWALK_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(ropewalk_last_error(), std::to_string(1000 + t).c_str()), nullptr);
  });
  for (const char* text : texts) EXPECT_EQ(text, texts[0]);
  ropewalk_free_rows(rows);
  ropewalk_free_rope(rope);
  ropewalk_free_model(model);
}

}  // namespace
}  // namespace ropewalk
