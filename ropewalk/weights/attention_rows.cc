#include "ropewalk/weights/attention_rows.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/weights/layer_reader.h"
#include "ropewalk/weights/module_rows.h"
#include "ropewalk/weights/tensor_rows.h"
#include "ropewalk/weights/tensor_suffix.h"

namespace ropewalk {
namespace {

// A name taken apart: "model." | layer 3 | "q_proj.weight".
struct LayerName {
  std::string prefix;
  int64_t layer = 0;
  std::string_view rest;
};

std::optional<LayerName> layer_name(std::string_view tensor, std::string_view pattern) {
  const std::string_view before = pattern.substr(0, pattern.find("{}")),
                         after = pattern.substr(pattern.find("{}") + 2);
  for (size_t at = tensor.find(before); at != tensor.npos; at = tensor.find(before, at + 1)) {
    if (at > 0 && tensor[at - 1] != '.') continue;
    const char* number = tensor.data() + at + before.size();
    const char* end = tensor.data() + tensor.size();
    int64_t layer = 0;
    const auto [stop, error] = std::from_chars(number, end, layer);
    if (error != std::errc{} || layer < 0) continue;
    const std::string_view rest(stop, static_cast<size_t>(end - stop));
    if (!rest.starts_with(after)) continue;
    return LayerName{std::string(tensor.substr(0, at)), layer, rest.substr(after.size())};
  }
  return std::nullopt;
}

bool rotates(const Layer& layer) {
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  return layer.mixer == Mixer::attention && rope != nullptr && !rope->layout.windows.empty();
}

// What the code does to the channels of q, k or v so that their order matters elsewhere too.
void refuse_other_uses(const Layer& layer, int64_t number, const std::string& label) {
  const auto refuse = [&](std::string_view why) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{}: layer {}: rows of q and k cannot be moved alone: {}", label, number, why));
  };
  if (layer.attention.value_is_key) refuse("v is the projection of k");
  for (const NotComputed what : layer.attention.not_computed) {
    switch (what) {
      case NotComputed::unknown:
      case NotComputed::compressed_keys:
      case NotComputed::convolved_projections:
      case NotComputed::learned_query_scale:
      case NotComputed::other:
        refuse(name(what));
        break;
      default:
        break;
    }
  }
}

class Finder {
 public:
  Finder(const StoredTensors& stored, const ModelEncoding& model, const std::string& label)
      : stored_(stored), model_(model), label_(label) {
    choose_names();
  }

  AttentionTensors find() {
    check_layers();
    for (const auto& [tensor, entry] : stored_.tensors) {
      const auto name = layer_name(tensor, names_.layer);
      if (!name || name->prefix != found_.prefix) continue;
      const Layer* layer = layer_of(name->layer);
      if (layer == nullptr) continue;
      for (const ModuleRows& module : modules_of(*layer)) {
        if (!name->rest.starts_with(module.module) ||
            !name->rest.substr(module.module.size()).starts_with('.')) {
          continue;
        }
        add(tensor, entry, *name, *layer, module);
        break;
      }
    }
    std::stable_sort(found_.tensors.begin(), found_.tensors.end(),
                     [](const auto& a, const auto& b) { return a.layer < b.layer; });
    check_complete();
    return std::move(found_);
  }

 private:
  [[noreturn]] void fail(ErrorCode code, const std::string& what) const {
    throw Error(code, fmt::format("{}: {}", label_, what));
  }

  // The first names of which the checkpoint has some projection, and what stands before them.
  void choose_names() {
    const std::vector<WeightNames> known = stored_.gguf ? gguf_names(model_) : known_names(model_);
    if (known.empty()) {
      fail(ErrorCode::unsupported,
           fmt::format("the names of the weights of a \"{}\" are not known to ropewalk",
                       escaped(model_.model_type)));
    }
    for (const WeightNames& names : known) {
      std::set<std::string> prefixes, own;
      for (const auto& [tensor, entry] : stored_.tensors) {
        const auto name = layer_name(tensor, names.layer);
        if (!name || !starts_with_module(names, name->rest)) continue;
        prefixes.insert(name->prefix);
        if (!is_of_other_part(name->prefix)) own.insert(name->prefix);
      }
      if (prefixes.empty()) continue;
      if (!own.empty()) prefixes = own;
      if (prefixes.size() > 1) {
        fail(ErrorCode::malformed,
             fmt::format("expected one model of tensors \"...{}...\", found one behind each of {}",
                         names.layer, escaped(fmt::format("{}", fmt::join(prefixes, ", ")))));
      }
      names_ = names;
      found_.prefix = *prefixes.begin();
      return;
    }
    fail(ErrorCode::malformed,
         fmt::format("expected tensors of q and k as \"...{}{}.weight\" for a \"{}\", found none "
                     "among {}",
                     fmt::format(fmt::runtime(known[0].layer), 0), first_module(known[0]),
                     escaped(model_.model_type), stored_.tensors.size()));
  }

  std::string_view first_module(const WeightNames& names) const {
    const bool latent = names.form == QkvForm::latent && !model_.layers.empty() &&
                        model_.layers[0].attention.latent.q_rank > 0;
    return latent ? names.q_b : names.q;
  }

  bool starts_with_module(const WeightNames& names, std::string_view rest) const {
    for (const std::string_view module : {first_module(names), names.k, names.kv_a}) {
      if (rest.starts_with(module) && rest.substr(module.size()).starts_with('.')) return true;
    }
    return false;
  }

  void check_layers() {
    bool any = false;
    for (size_t i = 0; i < model_.layers.size(); ++i) {
      if (!rotates(model_.layers[i])) continue;
      refuse_other_uses(model_.layers[i], static_cast<int64_t>(i), label_);
      last_ = &model_.layers[i];
      any = true;
    }
    if (!any) {
      fail(ErrorCode::unsupported,
           fmt::format("no layer of a \"{}\" rotates q and k", escaped(model_.model_type)));
    }
  }

  // Null for one that does not rotate.
  const Layer* layer_of(int64_t number) {
    if (number >= std::ssize(model_.layers)) return last_;
    const Layer& layer = model_.layers[static_cast<size_t>(number)];
    return rotates(layer) ? &layer : nullptr;
  }

  const std::vector<ModuleRows>& modules_of(const Layer& layer) {
    const auto [place, fresh] = modules_.try_emplace(&layer);
    if (fresh) place->second = modules_with_heads(names_, layer);
    return place->second;
  }

  void add(const std::string& tensor, const StoredTensor& entry, const LayerName& name,
           const Layer& layer, const ModuleRows& module) {
    AttentionTensor added{.name = tensor, .layer = name.layer, .rows = module.rows};
    if (name.layer >= std::ssize(model_.layers) &&
        (found_.beyond.empty() || found_.beyond.back() != name.layer)) {
      found_.beyond.push_back(name.layer);
    }
    const std::string_view suffix = name.rest.substr(module.module.size() + 1);
    describe_rows({tensor, entry, layer, module, suffix, label_}, added);
    if (!module.norm) {
      const bool keys = module.heads.back().keys, queries = !module.heads.front().keys;
      if (queries) with_q_.insert(name.layer);
      if (keys) with_k_.insert(name.layer);
    }
    found_.adapter = found_.adapter || is_of_adapter(tensor);
    found_.tensors.push_back(std::move(added));
  }

  // A checkpoint that is not an adapter has q and k of each layer that rotates.
  void check_complete() const {
    if (found_.adapter) return;
    for (size_t i = 0; i < model_.layers.size(); ++i) {
      const Layer& layer = model_.layers[i];
      const auto number = static_cast<int64_t>(i);
      if (!rotates(layer)) continue;
      const auto& skipped = layer.attention.not_computed;
      const bool shares =
          std::find(skipped.begin(), skipped.end(), NotComputed::shared_keys) != skipped.end();
      const bool no_q = !with_q_.contains(number), no_k = !with_k_.contains(number) && !shares;
      if (!no_q && !no_k) continue;
      const std::vector<ModuleRows> modules = modules_with_heads(names_, layer);
      const ModuleRows& missing = no_q ? modules[0] : modules[1];
      fail(ErrorCode::malformed,
           fmt::format("tensor \"{}{}{}.weight\": expected for layer {} of {}, found none",
                       escaped(found_.prefix), fmt::format(fmt::runtime(names_.layer), number),
                       missing.module, number, model_.layers.size()));
    }
  }

  const StoredTensors& stored_;
  const ModelEncoding& model_;
  const std::string& label_;
  WeightNames names_;
  const Layer* last_ = nullptr;
  AttentionTensors found_;
  std::map<const Layer*, std::vector<ModuleRows>> modules_;
  std::set<int64_t> with_q_, with_k_;
};

}  // namespace

AttentionTensors attention_tensors(const StoredTensors& stored, const ModelEncoding& model,
                                   const std::string& label) {
  return Finder(stored, model, label).find();
}

}  // namespace ropewalk
