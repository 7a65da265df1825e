#include "ropewalk/models/params_config.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/models/config_reader.h"
#include "ropewalk/models/family.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

struct Word {
  std::string_view params, config;  // JSON pointers
};
constexpr Word kWords[] = {
    {"/dim", "/hidden_size"},
    {"/n_layers", "/num_hidden_layers"},
    {"/n_heads", "/num_attention_heads"},
    {"/n_kv_heads", "/num_key_value_heads"},
    {"/head_dim", "/head_dim"},
    {"/max_position_embeddings", "/max_position_embeddings"},
    {"/max_seq_len", "/max_position_embeddings"},
    {"/qk_nope_head_dim", "/qk_nope_head_dim"},
    {"/qk_rope_head_dim", "/qk_rope_head_dim"},
    {"/nope_layer_interval", "/no_rope_layer_interval"},
    {"/sliding_window", "/sliding_window"},
    {"/norm_eps", "/rms_norm_eps"},
    {"/q_lora_rank", "/q_lora_rank"},
    {"/kv_lora_rank", "/kv_lora_rank"},
    {"/v_head_dim", "/v_head_dim"},
    {"/llama_4_scaling/beta", "/rope_parameters/llama_4_scaling_beta"},
    {"/llama_4_scaling/original_max_position_embeddings",
     "/rope_parameters/llama_4_scaling_length"},
    {"/rope_theta", "/rope_parameters/rope_theta"},
    {"/yarn/factor", "/rope_parameters/factor"},
    {"/yarn/beta", "/rope_parameters/beta_fast"},
    {"/yarn/alpha", "/rope_parameters/beta_slow"},
    {"/yarn/original_max_position_embeddings", "/rope_parameters/original_max_position_embeddings"},
    {"/rope_scaling_factor", "/rope_parameters/factor"},
    {"/rope_high_freq_factor", "/rope_parameters/high_freq_factor"},
};

enum class Publisher { meta, meta_llama4, mistral, deepseek };

Publisher publisher(const ordered_json& params) {
  if (params.contains("nope_layer_interval")) return Publisher::meta_llama4;
  const bool mistral = params.contains("hidden_dim") || params.contains("yarn");
  if (params.contains("qk_rope_head_dim") && !mistral) return Publisher::deepseek;
  return mistral && !params.contains("multiple_of") ? Publisher::mistral : Publisher::meta;
}

// The file's words in those of a config.json.
class Translation {
 public:
  Translation(const ordered_json& params, const std::string& label, ModelEncoding& model)
      : params_(params), file_(params, label, "", model), publisher_(publisher(params)) {
    for (const Word& word : kWords) {
      const ordered_json::json_pointer from{std::string(word.params)};
      names_.emplace(word.config, word.params);
      if (!params.contains(from) || params[from].is_null()) continue;
      names_[std::string(word.config)] = word.params;
      json_[ordered_json::json_pointer(std::string(word.config))] = params[from];
    }
    if (publisher_ == Publisher::mistral) {
      set_yarn();
    } else if (publisher_ == Publisher::deepseek) {
      set_deepseek_yarn();
    } else {
      set_llama3();
    }
  }

  ordered_json& json() { return json_; }
  const KeyNames& names() const { return names_; }
  Publisher published_by() const { return publisher_; }

 private:
  ordered_json& rope(std::string_view word) { return json_["rope_parameters"][std::string(word)]; }
  // What the code says.
  void imply(std::string_view word, const ordered_json& value, std::string_view source) {
    ordered_json& place = rope(word);
    if (!place.is_null()) return;
    place = value;
    names_[fmt::format("/rope_parameters/{}", word)] = source;
  }

  void set_llama3() {
    if (!file_.find_boolean("use_scaled_rope").value_or(false)) return;
    const bool llama4 = publisher_ == Publisher::meta_llama4;
    imply("rope_type", "llama3", "/use_scaled_rope");
    if (!llama4 && is_llama_3_2()) {
      imply("factor", 32.0, "/dim, of the size of Llama 3.2, whose config.json says 32");
      file_.warn(
          "no key states the factor of use_scaled_rope: Meta's code has 8, the config.json of "
          "Llama 3.2 at this size 32, which is taken");
    }
    imply("factor", llama4 ? 16.0 : 8.0, "/use_scaled_rope, apply_scaling in Meta's code");
    imply("low_freq_factor", 1.0, "/use_scaled_rope, apply_scaling in Meta's code");
    imply("high_freq_factor", llama4 ? 1.0 : 4.0, "/use_scaled_rope, apply_scaling in Meta's code");
    imply("original_max_position_embeddings", 8192,
          "/use_scaled_rope, apply_scaling in Meta's code");
  }

  bool is_llama_3_2() {
    const auto dim = file_.find_integer("dim", kHiddenSize);
    const auto layers = file_.find_integer("n_layers", kLayerCount);
    return (dim == 2048 && layers == 16) || (dim == 3072 && layers == 28);
  }

  void set_yarn() {
    std::optional<ConfigReader> yarn = file_.find_object("yarn");
    if (!yarn) return;
    imply("rope_type", "yarn", "/yarn");
    const bool scales = yarn->find_boolean("apply_scale").value_or(true);
    if (json_.contains("qk_rope_head_dim") && scales) {
      imply("mscale", 1.0, "/yarn, Mistral's latent attention");
      imply("mscale_all_dim", 1.0, "/yarn, Mistral's latent attention");
    } else if (!scales) {
      imply("attention_factor", 1.0, "/yarn/apply_scale");
    }
    for (const auto* word : {"factor", "beta", "alpha", "original_max_position_embeddings"}) {
      yarn->ignore(word);
    }
    yarn->warn_unread();
  }

  // ModelArgs of DeepSeek's inference/model.py: scaled where max_seq_len is above the trained
  // length, and both mscale of a config.json are its one.
  void set_deepseek_yarn() {
    constexpr std::string_view kArgs = "ModelArgs in DeepSeek's code";
    const auto either = [&](std::string_view key, int64_t fallback) {
      return file_.find_integer(key, kPositionCount).value_or(fallback);
    };
    const int64_t most = either("max_seq_len", 16384);
    const int64_t trained = either("original_seq_len", 4096);
    if (!json_.contains("max_position_embeddings")) {
      json_["max_position_embeddings"] = most;
      names_["/max_position_embeddings"] = fmt::format("/max_seq_len, {}", kArgs);
    }
    if (json_.value("q_lora_rank", ordered_json(0)) == 0) json_["q_lora_rank"] = nullptr;
    if (most <= trained) return;
    imply("rope_type", "yarn", fmt::format("/original_seq_len below /max_seq_len, {}", kArgs));
    const auto argument = [&](std::string_view word, const char* key, const ordered_json& value) {
      const bool stated = params_.contains(key);
      imply(word, stated ? params_[key] : value,
            stated ? fmt::format("/{}", key) : fmt::format("/{}, {}", key, kArgs));
    };
    argument("factor", "rope_factor", 40);
    argument("original_max_position_embeddings", "original_seq_len", 4096);
    argument("beta_fast", "beta_fast", 32);
    argument("beta_slow", "beta_slow", 1);
    argument("mscale", "mscale", 1.0);
    argument("mscale_all_dim", "mscale", 1.0);
  }

  const ordered_json& params_;
  ConfigReader file_;
  Publisher publisher_;
  ordered_json json_ = ordered_json::object();
  KeyNames names_;
};

// The model type with what the publisher's own code does otherwise.
ModelType type_of(Translation& translation, const ordered_json& params) {
  const bool mistral = translation.published_by() == Publisher::mistral;
  std::string_view name = mistral ? "mistral" : "llama";
  if (translation.published_by() == Publisher::meta_llama4) name = "llama4_text";
  const bool deepseek = translation.published_by() == Publisher::deepseek;
  if (params.contains("qk_rope_head_dim")) name = "deepseek_v3";
  if (deepseek && params.contains("index_n_heads")) name = "deepseek_v32";
  ModelType type = *find_model_type(name).type;
  type.config_class = mistral ? "mistral-inference" : deepseek ? "DeepSeek's code" : "Meta's code";
  type.name = mistral ? "Mistral" : deepseek ? "DeepSeek" : "Meta";
  type.head_dim = type.kv_heads = type.max_positions = 0;
  type.pairing = Pairing::interleaved;
  type.latent.writes_half_split = type.latent.key_decides = false;
  const bool windowed = params.contains("sliding_window") && !params["sliding_window"].is_null();
  type.rope_theta = mistral && !windowed ? 1000000 : 10000;
  type.rope_parameters = {};
  type.attention.window = {.key = "sliding_window", .all_layers = true};
  if (params.contains("llama_4_scaling")) type.attention.query_scale = QueryScaleFrom::mistral;
  return type;
}

// A key that is null counts as absent.
ordered_json without_nulls(ordered_json json) {
  for (auto entry = json.begin(); entry != json.end();) {
    entry = entry->is_null() ? json.erase(entry) : std::next(entry);
  }
  return json;
}

}  // namespace

bool is_params_json(const ordered_json& json) {
  if (!json.is_object()) return false;
  for (const char* of_others : {"architectures", "_class_name"}) {
    if (json.contains(of_others)) return false;
  }
  if (json.contains("model_type") && json["model_type"] != "transformer") return false;
  return json.contains("dim") && json.contains("n_layers") && json.contains("n_heads");
}

ModelEncoding read_params_json(const ordered_json& stated, const std::string& label) {
  const ordered_json json = without_nulls(stated);
  ModelEncoding model;
  model.name = label;
  Translation translation(json, label, model);
  const ModelType type = type_of(translation, json);
  const bool deepseek = translation.published_by() == Publisher::deepseek;
  const bool mistral = translation.published_by() == Publisher::mistral;
  model.family = mistral ? "mistral" : deepseek ? "deepseek" : "llama";
  model.model_type = deepseek ? "deepseek_v3" : model.family;
  ConfigReader config(translation.json(), label, "", model, &translation.names());
  config.note("family", model.family,
              fmt::format("{}: the params.json of {}", label, type.config_class));
  read_declared(config, model, type);
  return model;
}

}  // namespace ropewalk
