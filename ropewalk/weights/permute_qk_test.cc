#include "ropewalk/weights/permute_qk.h"

#include <cstring>
#include <map>

#include "ropewalk/formats/safetensors.h"
#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"
#include "ropewalk/testing/tensors.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::random_tensor;

RotaryLayout whole(int64_t head_dim, Pairing pairing) {
  return {head_dim, {{0, head_dim, pairing}}};
}

ModelEncoding llama(const std::string& more = "") {
  return read_model_config(R"({"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4,
      "num_key_value_heads": 2, "num_hidden_layers": 1)" +
                               more + "}",
                           "config.json");
}

// Tensors of layer 0 by their short names.
fs::path write(const TempFolder& folder, const std::map<std::string, Tensor>& tensors) {
  std::vector<std::pair<std::string, ConstTensorView>> views;
  for (const auto& [name, tensor] : tensors) {
    views.emplace_back("model.layers.0.self_attn." + name, tensor.view());
  }
  write_safetensors(folder / "model.safetensors", views, {}, Overwrite::replace);
  return folder / "model.safetensors";
}

std::map<std::string, Tensor> weights() {
  return {{"q_proj.weight", random_tensor({32, 32}, 1)},
          {"k_proj.weight", random_tensor({16, 32}, 2)}};
}

PermutePlan planned(const fs::path& file, const ModelEncoding& model) {
  return plan_permutation(file, model, layouts_of(model, Pairing::interleaved),
                          layouts_of(model, Pairing::half_split));
}

const RowMove& move_of(const PermutePlan& plan, const std::string& end) {
  for (const RowMove& move : plan.moves) {
    if (move.tensor.name.ends_with(end)) return move;
  }
  ADD_FAILURE() << "no " << end;
  return plan.moves.front();
}

// The first number of each row.
std::vector<float> firsts(const Tensor& tensor) {
  const std::vector<float> all = testing::floats(tensor);
  std::vector<float> first;
  const size_t columns = all.size() / static_cast<size_t>(tensor.shape[0]);
  for (size_t r = 0; r < all.size(); r += columns) first.push_back(all[r]);
  return first;
}

Tensor numbered(const Dims& shape) {
  std::vector<float> numbers;
  const int64_t columns = num_elements(shape) / shape[0];
  for (int64_t r = 0; r < shape[0]; ++r) {
    for (int64_t c = 0; c < columns; ++c) numbers.push_back(static_cast<float>(r));
  }
  return testing::tensor_of(shape, numbers);
}

// ggml-org/llama.cpp#3364: k of 4 heads of 64 channels; by 32 heads the first rows would be 0,
// 16, 1.
TEST(PermuteQk, W01_KeysByTheirOwnHeads) {
  const Tensor moved = permute_qk(numbered({256, 3}).view(), 4, whole(64, Pairing::half_split),
                                  whole(64, Pairing::interleaved));
  const std::vector<float> rows = firsts(moved);
  EXPECT_THAT((std::vector<float>(rows.begin(), rows.begin() + 5)), ElementsAre(0, 32, 1, 33, 2));
  EXPECT_EQ(rows[64], 64);
  EXPECT_EQ(rows[65], 96);
}

TEST(PermuteQk, OneDimensionAndWrongRows) {
  const Tensor bias = permute_qk(numbered({8}).view(), 2, whole(4, Pairing::interleaved),
                                 whole(4, Pairing::half_split));
  EXPECT_THAT(firsts(bias), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
  EXPECT_ROPEWALK_ERROR(permute_qk(numbered({8}).view(), 3, whole(4, Pairing::interleaved),
                                   whole(4, Pairing::half_split)),
                        ErrorCode::invalid_argument,
                        "w: expected 3 heads of 4 rows, found shape [8]");
}

// vllm-project/vllm#55335: the bias, the norm's weight and quantised rows move with the weights.
TEST(PermutePlan, W07_WhatMovesWithTheWeights) {
  const TempFolder folder;
  std::map<std::string, Tensor> tensors = weights();
  tensors["q_proj.bias"] = numbered({32});
  tensors["q_norm.weight"] = numbered({8});
  tensors["k_norm.weight"] = numbered({2, 8});
  tensors["q_proj.lora_A.weight"] = numbered({4, 32});
  tensors["q_proj.lora_B.default.weight"] = numbered({32, 4});
  tensors["q_proj.lora_magnitude_vector"] = numbered({32});
  tensors["k_proj.weight_scale"] = numbered({16, 1});
  tensors["k_proj.input_scale"] = numbered({1});
  tensors["q_proj.weight_scale"] = numbered({1});
  tensors["v_proj.weight"] = numbered({16, 32});
  const ModelEncoding model = llama();
  const PermutePlan plan = planned(write(folder, tensors), model);
  EXPECT_EQ(plan.moves.size(), 11U) << "not v";
  EXPECT_EQ(move_of(plan, "q_proj.weight").moved, 4 * 6);
  EXPECT_EQ(move_of(plan, "q_proj.bias").source, move_of(plan, "q_proj.weight").source);
  EXPECT_EQ(move_of(plan, "lora_B.default.weight").source, move_of(plan, "q_proj.weight").source);
  EXPECT_EQ(move_of(plan, "magnitude_vector").moved, 24);
  EXPECT_THAT(move_of(plan, "q_norm.weight").source, ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_EQ(move_of(plan, "k_norm.weight").moved, 12);
  EXPECT_EQ(move_of(plan, "k_proj.weight_scale").source, move_of(plan, "k_proj.weight").source);
  for (const char* stays : {"lora_A.weight", "k_proj.input_scale", "q_proj.weight_scale"}) {
    EXPECT_EQ(move_of(plan, stays).tensor.part, TensorPart::kept) << stays;
    EXPECT_THAT(move_of(plan, stays).source, IsEmpty());
  }
}

// Scales of blocks: 8 rows of a head stay in their block; blocks of 12 would be left.
TEST(PermutePlan, ScalesOfBlocks) {
  const TempFolder folder;
  std::map<std::string, Tensor> tensors = weights();
  tensors["q_proj.weight_scale_inv"] = numbered({2, 1});
  const ModelEncoding model = llama();
  const PermutePlan plan = planned(write(folder, tensors), model);
  EXPECT_EQ(move_of(plan, "scale_inv").tensor.block, 16);
  EXPECT_EQ(move_of(plan, "scale_inv").moved, 0);
  EXPECT_EQ(move_of(plan, "q_proj.weight").moved, 24);
  tensors["q_proj.weight_scale_inv"] = numbered({8, 1});
  EXPECT_ROPEWALK_ERROR(
      planned(write(folder, tensors), model), ErrorCode::unsupported,
      "q_proj.weight_scale_inv\": expected rows that stay in their blocks of 4, which share a "
      "scale, found row 2 that comes from row 4");
  tensors["q_proj.weight_scale_inv"] = numbered({9, 1});
  EXPECT_ROPEWALK_ERROR(planned(write(folder, tensors), model), ErrorCode::unsupported,
                        "for blocks of rows whose size can be told, found shape [9, 1]");
}

TEST(PermutePlan, WhatIsRefused) {
  const TempFolder folder;
  const ModelEncoding model = llama();
  const auto refused = [&](const char* name, const Tensor& tensor, ErrorCode code,
                           const char* text) {
    std::map<std::string, Tensor> tensors = weights();
    tensors[name] = tensor;
    EXPECT_ROPEWALK_ERROR(planned(write(folder, tensors), model), code, text);
  };
  refused("q_proj.qweight", numbered({4, 32}), ErrorCode::unsupported,
          "q_proj.qweight\": rows of q and k are columns here, several packed");
  refused("k_proj.g_idx", numbered({32}), ErrorCode::unsupported, "GPTQ, AWQ");
  refused("q_proj.weight.absmax", numbered({32}), ErrorCode::unsupported,
          "found a name that ropewalk does not know");
  refused("q_proj.lokr_w1", numbered({4, 4}), ErrorCode::unsupported, "lokr_w1");
  refused("q_proj.weight", make_tensor(DType::u8, {512, 1}), ErrorCode::unsupported,
          "(bitsandbytes)");
  refused("q_proj.weight", numbered({24, 32}), ErrorCode::malformed,
          "expected 32 rows for 4 heads and 2 key heads of 8 channels, found shape [24, 32]");
  refused("q_norm.weight", numbered({6}), ErrorCode::malformed, "expected 8 or 32 numbers");
  std::map<std::string, Tensor> half = weights();
  half.erase("k_proj.weight");
  EXPECT_ROPEWALK_ERROR(planned(write(folder, half), model), ErrorCode::malformed,
                        "k_proj.weight\": expected for layer 0 of 1, found none");
  half["q_proj.lora_B.weight"] = numbered({32, 2});
  half.erase("q_proj.weight");
  EXPECT_EQ(planned(write(folder, half), model).moves.size(), 1U) << "a LoRA of q alone";
  EXPECT_ROPEWALK_ERROR(planned(write(folder, {{"o_proj.weight", numbered({32, 32})}}), model),
                        ErrorCode::malformed, "found none among 1");
}

// Gemma 4's and DiffusionGemma's v is the projection of k: its rows are o's columns.
TEST(PermutePlan, ValuesThatAreKeys) {
  const TempFolder folder;
  ModelEncoding model = llama();
  model.layers[0].attention.value_is_key = true;
  EXPECT_ROPEWALK_ERROR(planned(write(folder, weights()), model), ErrorCode::unsupported,
                        "layer 0: rows of q and k cannot be moved alone: v is the projection of k");
}

// The names of Meta's and of other checkpoints; a layer that the config does not count.
TEST(PermutePlan, NamesAndLayersBeyond) {
  const TempFolder folder;
  const Tensor q = numbered({32, 32}), k = numbered({16, 32});
  const fs::path meta = folder / "consolidated.safetensors";
  write_safetensors(meta, {{"layers.0.attention.wq.weight", q.view()},
                           {"layers.0.attention.wk.weight", k.view()},
                           {"vision.layers.0.attention.wq.weight", q.view()},
                           {"layers.1.attention.wk.weight", k.view()}});
  const ModelEncoding model = llama();
  const PermutePlan plan = planned(folder.path(), model);
  EXPECT_EQ(plan.moves.size(), 3U);
  EXPECT_THAT(plan.beyond, ElementsAre(1));
  EXPECT_EQ(move_of(plan, "layers.1.attention.wk.weight").moved, 12);
}

TEST(WritePermuted, TheInverseRestoresEveryByte) {
  const TempFolder folder;
  std::map<std::string, Tensor> tensors = weights();
  tensors["q_proj.weight"] = random_tensor({32, 1 << 16}, 3);  // of 8 MiB: several pieces
  const fs::path file = write(folder, tensors);
  const ModelEncoding model = llama();
  const PermutePlan plan = planned(file, model);
  uint64_t last = 0;
  write_permuted_file(plan, 0, folder / "out.safetensors", Overwrite::refuse,
                      [&](uint64_t done, uint64_t total) {
                        EXPECT_GT(done, last);
                        EXPECT_EQ(total, fs::file_size(file));
                        last = done;
                      });
  EXPECT_EQ(last, fs::file_size(file));
  const SafetensorsFile out(folder / "out.safetensors");
  const Tensor moved = permute_qk(tensors["q_proj.weight"].view(), 4,
                                  whole(8, Pairing::interleaved), whole(8, Pairing::half_split));
  EXPECT_EQ(out.read("model.layers.0.self_attn.q_proj.weight").bytes, moved.bytes);
  const auto from = layouts_of(model, Pairing::half_split),
             to = layouts_of(model, Pairing::interleaved);
  write_permuted_file(plan_permutation(folder / "out.safetensors", model, from, to), 0,
                      folder / "back.safetensors", Overwrite::refuse);
  EXPECT_EQ(file_bytes(folder / "back.safetensors"), file_bytes(file));
}

TEST(WritePermuted, StoppedOrRefused) {
  const TempFolder folder;
  const fs::path file = write(folder, weights());
  folder.file("config.json", "{}");
  folder.file("pytorch_model.bin", "");
  fs::create_directory(folder / "original");
  const ModelEncoding model = llama();
  const PermutePlan plan = planned(folder.path(), model);
  const TempFolder out;
  struct Stop {};
  const auto stop = [](uint64_t done, uint64_t total) {
    if (done == total) throw Stop{};
  };
  EXPECT_THROW(write_permuted_file(plan, 0, out / "f.safetensors", Overwrite::refuse, stop), Stop);
  EXPECT_THROW(write_permuted_folder(plan, out / "folder", stop), Stop);
  EXPECT_THAT(out.names(), IsEmpty());
  fs::create_directory(out / "empty");
  write_permuted_folder(plan, out / "empty");
  EXPECT_THAT(out.names(), ElementsAre("empty"));
  EXPECT_EQ(file_bytes(out / "empty/config.json"), "{}");
  EXPECT_FALSE(fs::exists(out / "empty/pytorch_model.bin"));
  EXPECT_THAT(files_beside(plan).left, ElementsAre("original", "pytorch_model.bin"));
  EXPECT_ROPEWALK_ERROR(write_permuted_folder(plan, out / "empty"), ErrorCode::io,
                        "expected a new or empty folder, found one with files");
  EXPECT_ROPEWALK_ERROR(write_permuted_folder(plan, file), ErrorCode::io,
                        "expected the name of a new folder, found a file");
  EXPECT_ROPEWALK_ERROR(write_permuted_folder(plan, out / "none/folder"), ErrorCode::io,
                        "cannot write in the folder");
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_ROPEWALK_ERROR(write_permuted_folder(plan, out / "changed"), ErrorCode::io, "it changed");
  EXPECT_THAT(out.names(), ElementsAre("empty"));
}

}  // namespace
}  // namespace ropewalk
