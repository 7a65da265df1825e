#include "fuzz/model_answers.h"
#include "ropewalk/models/models.h"

// config.json, or params.json, to the model and its frequencies.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  answer([&] { check_model(ropewalk::read_model_config(text, "config.json")); });
  return 0;
}
