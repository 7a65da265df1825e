// faults.md D 5: files and folders that describe no model, each told from the others.

#include "ropewalk/models/model_file.h"

#include <gtest/gtest.h>

#include "ropewalk/models/models.h"
#include "ropewalk/testing/errors.h"
#include "ropewalk/testing/temp_folder.h"

namespace ropewalk {
namespace {

using std::string_literals::operator""s;

TEST(ModelFile, OtherFoldersSayWhatTheyAre) {
  const std::pair<const char*, const char*> kinds[] = {
      {"adapter_config.json", "found a LoRA adapter (adapter_config.json); give the folder of its"},
      {"model_index.json", "found a pipeline of diffusers (model_index.json); give the folder"},
      {"modules.json", "found a model of sentence-transformers (modules.json)"},
      {"mlc-chat-config.json", "found a model of MLC"},
      {"model.onnx", "found an ONNX model"},
      {"readme.txt", "found none in the folder"},
  };
  for (const auto& [file, text] : kinds) {
    const TempFolder folder;
    const auto path = folder.file(file, "{}").parent_path();
    EXPECT_ROPEWALK_ERROR(read_model(path), ErrorCode::unsupported, text);
  }
}

TEST(ModelFile, OtherFilesSayWhatTheyAre) {
  const std::pair<std::string, const char*> kinds[] = {
      {"\x08\0\0\0\0\0\0\0{}      "s, "found a safetensors file; give the config.json that"},
      {"PK\x03\x04 data.pkl"s, "found a zip archive (a NumPy .npz or a PyTorch .pt); give"},
      {"\x80\x02}q\0."s, "found a Python pickle"},
      {"\x93NUMPY\x01\0"s, "found a NumPy array file (.npy); give"},
  };
  for (const auto& [bytes, text] : kinds) {
    const TempFolder folder;
    const auto path = folder.file("weights.bin", bytes);
    EXPECT_ROPEWALK_ERROR(read_model(path), ErrorCode::unsupported, text);
    folder.file("config.json", "{}");
    EXPECT_ROPEWALK_ERROR(read_model(path), ErrorCode::unsupported,
                          "; give its folder, or the config.json beside it");
  }
}

}  // namespace
}  // namespace ropewalk
