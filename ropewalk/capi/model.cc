#include "ropewalk/capi/model.h"

#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/diagnose/traps.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/models/with_scaling.h"
#include "ropewalk/report/to_json.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_model_options kModelOptions = ROPEWALK_MODEL_OPTIONS;

std::string_view text_or_none(const char* text) { return text == nullptr ? "" : text; }

// The enumerators' names are literals, which end in a NUL.
const char* c_string(std::string_view literal) { return literal.data(); }

ropewalk_model* handle_of(ModelEncoding encoding) {
  auto model = std::make_unique<ropewalk_model>();
  model->encoding = std::move(encoding);
  return model.release();
}

std::string json_of(const ModelEncoding& model) {
  nlohmann::ordered_json json = to_json(model);
  json["traps"] = nlohmann::ordered_json::array();
  for (const Trap& trap : known_traps(model)) json["traps"].push_back(to_json(trap));
  return json.dump(2);
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_read_model(const char* path_or_preset,
                                    const ropewalk_model_options* options, ropewalk_model** model) {
  return guarded([&] {
    ropewalk_model*& handle = out_handle(model, "model");
    const std::string path = &not_null(path_or_preset, "path_or_preset", "a path or a preset");
    const ropewalk_model_options how = options_of(options, kModelOptions, "options");
    const std::string_view assume = text_or_none(how.assume);
    handle =
        handle_of(how.scaling == nullptr
                      ? ropewalk::load_model(path, assume)
                      : ropewalk::load_model_with(path, {how.scaling, "scaling"}, assume).model);
  });
}

ropewalk_status ropewalk_parse_model(const char* text, size_t size,
                                     const ropewalk_model_options* options,
                                     ropewalk_model** model) {
  return guarded([&] {
    ropewalk_model*& handle = out_handle(model, "model");
    const std::string_view config(&not_null(text, "text", "a config.json or params.json"), size);
    const ropewalk_model_options how = options_of(options, kModelOptions, "options");
    const std::string_view assume = text_or_none(how.assume);
    const std::string label = how.label == nullptr ? "config.json" : how.label;
    handle = handle_of(
        how.scaling == nullptr
            ? ropewalk::read_model_config(config, label, assume)
            : ropewalk::read_model_with(config, label, {how.scaling, "scaling"}, assume).model);
  });
}

void ropewalk_free_model(ropewalk_model* model) { delete model; }

ropewalk_status ropewalk_model_json(const ropewalk_model* model, const char** json) {
  return guarded([&] {
    const char*& text = not_null(json, "json", "the address of a text");
    text = nullptr;
    const ropewalk_model& given = not_null(model, "model", "a model");
    std::call_once(given.json_once, [&] { given.json = json_of(given.encoding); });
    text = given.json.c_str();
  });
}

ropewalk_status ropewalk_count_layers(const ropewalk_model* model, int64_t* layers) {
  return guarded([&] {
    const ropewalk::ModelEncoding& encoding = not_null(model, "model", "a model").encoding;
    not_null(layers, "layers", "the address of a number") = std::ssize(encoding.layers);
  });
}

ropewalk_status ropewalk_describe_layer(const ropewalk_model* model, int64_t layer,
                                        ropewalk_layer* facts) {
  return guarded([&] {
    const ropewalk::Layer& found =
        ropewalk::layer_at(not_null(model, "model", "a model").encoding, layer);
    write_facts({.struct_size = 0,
                 .mixer = c_string(ropewalk::name(found.mixer)),
                 .positions = c_string(ropewalk::name(found.positions)),
                 .heads = found.heads,
                 .kv_heads = found.kv_heads,
                 .head_dim = found.head_dim,
                 .value_dim = found.value_dim},
                facts, "facts");
  });
}
