#include "ropewalk/models/gguf_model.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/conventions/llama_cpp.h"
#include "ropewalk/conventions/other_names.h"
#include "ropewalk/dialects/gguf.h"
#include "ropewalk/dialects/notes.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/layer_kinds.h"
#include "ropewalk/models/parts.h"
#include "ropewalk/models/resolve.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

constexpr std::string_view kSections = "rope.dimension_sections";

bool has_windows(const ModelType& type) {
  return std::any_of(type.layers.kinds.begin(), type.layers.kinds.end(), is_windowed);
}

[[noreturn]] void refuse_architecture(const GgufKeys& keys) {
  std::vector<std::string_view> names;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (!type.gguf.architecture.empty()) names.push_back(type.gguf.architecture);
    }
  }
  for (const OtherName& other : other_gguf_architectures()) names.push_back(other.name);
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{}: general.architecture: expected one that ropewalk models lists, found "
                  "\"{}\"{}",
                  keys.file().label(), escaped(keys.architecture()),
                  did_you_mean(keys.architecture(), names)));
}

// Several model types may have become files of one architecture: the first that has windows and
// axes where the file has them, else the first.
KnownType type_of_architecture(GgufKeys& keys) {
  const bool windows = states_windows(keys);
  const bool axes = keys.integers(kSections).has_value();
  KnownType best;
  int best_score = -1;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.gguf.architecture != keys.architecture() || !type.part.empty()) continue;
      const int score = int{has_windows(type) == windows} + int{(type.multi_axis.axes > 0) == axes};
      if (score <= best_score) continue;
      best = {family, &type};
      best_score = score;
    }
  }
  if (best.type == nullptr) {
    best = find_model_type(type_of_other_name(other_gguf_architectures(), keys.architecture()));
  }
  if (best.type == nullptr) refuse_architecture(keys);
  return best;
}

// What llama.cpp has of a type that the user names: its own form, else that of the file's
// architecture. Better no answer than pairs that are guessed.
GgufForm form_of(const KnownType& known, GgufKeys& keys) {
  if (!known.type->gguf.architecture.empty()) return known.type->gguf;
  for (const Family* family : all_families()) {
    for (const ModelType& type : family->types) {
      if (type.gguf.architecture == keys.architecture()) return type.gguf;
    }
  }
  throw Error(ErrorCode::unsupported,
              fmt::format("{}: general.architecture: expected one whose pairs are known, because a "
                          "{} has no GGUF form that ropewalk models lists; found \"{}\"",
                          keys.file().label(), known.type->name, escaped(keys.architecture())));
}

StatedAlibi stated_alibi(GgufKeys& keys, const LlamaCppArchitecture& code) {
  constexpr std::string_view kKey = "attention.max_alibi_bias";
  StatedAlibi stated{keys.said(kKey, keys.number(kKey)), code.alibi_form};
  const bool absent = !stated.max_bias;
  if (absent) stated.max_bias = {code.max_bias, "family: the code of llama.cpp"};
  const double max_bias = *stated.max_bias;
  if (max_bias <= 0 || max_bias > 64) {
    keys.fail(kKey,
              absent ? "expected a number above 0 and at most 64, found no such key"
                     : fmt::format("expected a number above 0 and at most 64, found {}", max_bias));
  }
  keys.key("rope.dimension_count");
  return stated;
}

bool has_alibi(GgufKeys& keys, const LlamaCppArchitecture& code) {
  return code.alibi && (code.alibi_layers == 0 || keys.integer("block_count") == code.alibi_layers);
}

void warn_of_pairing(const ModelType& original, Pairing pairing, ModelEncoding& model) {
  if (original.pairing == pairing) return;
  warn(model,
       fmt::format(
           "the rows of Q and K were moved on the way to the GGUF: its pairs are {}, those of the "
           "Hugging Face weights {}",
           name(pairing), name(original.pairing)));
}

void warn_of_base(GgufKeys& keys, const ModelType& original, ModelEncoding& model) {
  const double usual = original.layers.kinds.empty() || original.layers.kinds[0].rope_theta == 0
                           ? original.rope_theta
                           : original.layers.kinds[0].rope_theta;
  if (keys.number("rope.freq_base") || usual == 10000) return;
  warn(model, fmt::format("{} is absent: llama.cpp takes 10000, the model's own default is {}",
                          keys.key("rope.freq_base"), usual));
}

// Gemma 4: without the divisors that let pairs stand still.
void warn_of_missing_divisors(const GgufKeys& keys, const ModelType& original,
                              ModelEncoding& model) {
  const auto some_stand_still = [](const DefaultRope& rope) {
    return scaling_traits(rope.rope_type).may_stand_still;
  };
  if (std::ranges::none_of(original.default_rope, some_stand_still)) return;
  if (keys.file_with_tensor("rope_freqs.weight") != nullptr) return;
  warn(model,
       "tensor \"rope_freqs.weight\" is missing: every pair of a head turns, where the model's own "
       "code lets most of them stand still");
}

// Better no answer than a wrong one: the file has a rotation of its own for layers with a window,
// and no such layers are known of the model.
void refuse_unknown_windows(GgufKeys& keys, bool windows_known) {
  // llama.cpp itself writes a base for windows that no layer has.
  const bool stated =
      states_windows(keys) || keys.integer("attention.sliding_window").value_or(0) > 0;
  if (windows_known || !stated) {
    keys.key("rope.freq_base_swa");
    keys.key("rope.dimension_count_swa");
    return;
  }
  const auto refuse = [&](std::string_view name) {
    throw Error(
        ErrorCode::unsupported,
        fmt::format("{}: {}: ropewalk does not know which layers of a {} have a window",
                    keys.file().label(), escaped(keys.key(name)), escaped(keys.architecture())));
  };
  const auto base = keys.number("rope.freq_base_swa");
  if (base && base != keys.number("rope.freq_base")) refuse("rope.freq_base_swa");
  const auto turning = keys.integer("rope.dimension_count_swa");
  if (turning && turning != keys.integer("rope.dimension_count")) {
    refuse("rope.dimension_count_swa");
  }
}

// ggml's rotation by several axes pairs as half_split whatever the architecture.
Pairing pairing_of(const StatedModel& stated, const GgufForm& form) {
  for (const StatedKind& kind : stated.kinds) {
    if (kind.rope.mrope_section) return Pairing::half_split;
  }
  return form.pairing;
}

void warn_of_keys(GgufKeys& keys, const ModelType& type, Pairing pairing, ModelEncoding& model) {
  if (!std::holds_alternative<AlibiConfig>(model.layers.front().positions)) {
    warn_of_pairing(type, pairing, model);
    warn_of_base(keys, type, model);
    warn_of_missing_divisors(keys, type, model);
  }
  for (std::string& line : keys.unread_rope_keys()) model.warnings.push_back(std::move(line));
  if (keys.missing_parts().empty()) return;
  warn(model,
       fmt::format("{} is not beside the file: rope tensors in it would change the frequencies",
                   keys.missing_parts().front()));
}

// A learned table, where llama.cpp gives the scores no bias: a bert, which is a jina-bert-v2 too.
bool has_table(const ModelType& type) {
  return type.positions == Positions::learned ||
         (type.positions == Positions::alibi && !type.learned.tensor.empty());
}

// A type that llama.cpp turns nothing of: what is left of the model is its size, and the table or
// the buckets that are weights of it.
void read_unrotated(GgufKeys& keys, const ModelType& type, ModelEncoding& model) {
  const std::string source = "family: the code of llama.cpp";
  const auto sized = [&](std::string_view field, std::string_view key, const IntegerRule& rule) {
    return settled(model, field, keys.said_integer(key, rule), rule);
  };
  model.hidden_size = sized("hidden_size", "embedding_length", kHiddenSize);
  if (has_table(type)) {
    LearnedConfig table{.d_model = model.hidden_size, .tensor = "position_embd.weight"};
    model.max_positions = sized("max_positions", "context_length", kPositionCount);
    table.rows = model.max_positions;
    note(model, "tensor", table.tensor, source);
    note(model, "encoding", "learned", source);
    model.others.push_back({"input", std::move(table)});
  } else if (type.positions == Positions::buckets) {
    const BucketBiasConfig buckets{
        .heads = sized("heads", "attention.head_count", kHeadCount),
        .buckets = sized("buckets", "attention.relative_buckets_count", kHeadCount)};
    note(model, "encoding", "bucket_bias", source);
    model.others.push_back({"encoder", buckets});
    if (keys.architecture() == "t5") {
      BucketBiasConfig decoder = buckets;
      decoder.bidirectional = false;
      model.others.push_back({"decoder", decoder});
    }
  } else {
    note(model, "encoding", "none", source);
  }
}

bool turns_nothing(const ModelType& type) {
  return has_table(type) || type.positions == Positions::buckets ||
         type.positions == Positions::none ||
         (type.positions == Positions::rotary && !may_rotate(type));
}

}  // namespace

ModelEncoding read_gguf_model(const std::filesystem::path& path, std::string_view assume) {
  const GgufFile file(path);
  GgufKeys keys(file, path);
  const KnownType known = assume.empty() ? type_of_architecture(keys) : known_type(assume);
  const ModelType& type = *known.type;

  ModelEncoding model;
  model.name = file.label();
  model.family = known.family->name;
  model.model_type = type.name;
  model.warnings = file.warnings();
  const std::string source = file.label() + ": general.architecture";
  note(model, "family", model.family, source);
  note(model, "architecture", keys.architecture(), source);
  if (type.positions == Positions::other) {
    throw Error(ErrorCode::unsupported, fmt::format("{}: {}", source, type.remark));
  }
  const LlamaCppArchitecture* found = find_llama_cpp(keys.architecture());
  const LlamaCppArchitecture code = found != nullptr ? *found : LlamaCppArchitecture{};
  const bool alibi = has_alibi(keys, code);
  if (!alibi && turns_nothing(type)) {
    read_unrotated(keys, type, model);
    return model;
  }
  const GgufForm form = form_of(known, keys);
  StatedModel stated = stated_model(keys, type, !alibi, model);
  refuse_unknown_windows(keys, has_windows(type) && !stated.layers.alike);
  const Pairing pairing = pairing_of(stated, form);
  if (alibi) stated.alibi = stated_alibi(keys, code);
  if (code.finetuned_rotates && keys.boolean("rope.scaling.finetuned") == false) {
    stated.no_positions = fmt::format("{}: {}", file.label(), keys.key("rope.scaling.finetuned"));
  }
  resolve(stated, type, llama_cpp_defaults(pairing), model);
  add_stated_indexer(stated, type.parts, model);
  warn_of_keys(keys, type, pairing, model);
  return model;
}

}  // namespace ropewalk
