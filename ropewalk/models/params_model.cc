#include "ropewalk/models/params_model.h"

#include <fmt/format.h>

#include "ropewalk/dialects/params.h"
#include "ropewalk/models/parts.h"
#include "ropewalk/models/resolve.h"

namespace ropewalk {
namespace {

struct Names {
  std::string_view family, model_type;
};
Names names_of(ParamsOf publisher) {
  switch (publisher) {
    case ParamsOf::mistral:
    case ParamsOf::mistral_latent:
      return {"mistral", "mistral"};
    case ParamsOf::deepseek:
    case ParamsOf::deepseek_sparse:
      return {"deepseek", "deepseek_v3"};
    default:
      return {"llama", "llama"};
  }
}

}  // namespace

ModelEncoding read_params_json(const nlohmann::ordered_json& json, const std::string& label) {
  ModelEncoding model;
  model.name = label;
  ConfigReader params(json, label, "", model);
  const ParamsOf publisher = publisher_of(params);
  const ModelType& code = params_code(publisher);
  const Names names = names_of(publisher);
  model.family = names.family;
  model.model_type = names.model_type;
  params.note("family", model.family,
              fmt::format("{}: the params.json of {}", label, code.config_class));
  Defaults defaults = defaults_of(code);
  // mistral-inference takes another base where there is no window.
  const bool mistral = publisher == ParamsOf::mistral || publisher == ParamsOf::mistral_latent;
  if (mistral && !params.has("sliding_window")) defaults.rope_theta = 1e6;
  const StatedModel stated = stated_model(params, publisher);
  resolve(stated, code, defaults, model);
  add_stated_indexer(stated, code.parts, model);
  return model;
}

}  // namespace ropewalk
