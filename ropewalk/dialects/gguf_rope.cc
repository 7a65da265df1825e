#include "ropewalk/dialects/gguf_rope.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/dialects/rope_freqs.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

constexpr std::string_view kType = "rope.scaling.type";
constexpr std::string_view kFactor = "rope.scaling.factor";
constexpr std::string_view kOldFactor = "rope.scale_linear";
constexpr std::string_view kAttention = "rope.scaling.attn_factor";
constexpr std::string_view kOriginal = "rope.scaling.original_context_length";
// Values of rope.scaling.type, by their index in kNames.
enum class Type { none, linear, yarn, longrope };
constexpr std::string_view kNames[] = {"none", "linear", "yarn", "longrope"};

struct Writer {
  GgufKeys& keys;
  StatedRope result = {};

  // By the key, or where the file has not, by what stands in its place.
  void set_type(const char* type, const std::string& instead) {
    result.rope_type = keys.said<std::string>(kType, type);
    if (states(kType)) return;
    result.rope_type.source =
        fmt::format("{}: {}", keys.file().label(),
                    escaped(instead.empty() ? keys.key(kType) + " is absent" : instead));
    result.rope_type.key.clear();
  }
  bool states(std::string_view name) const {
    return keys.file().metadata().contains(keys.key(name));
  }
  void set(const std::string& parameter, std::optional<double> value, std::string_view name) {
    result.parameters[parameter] = keys.said(name, value);
  }
  // 0 is llama.cpp's "not stated".
  void set_length(std::string_view name) {
    auto value = keys.integer(name);
    if (value == 0) value.reset();
    set("original_max_position_embeddings",
        value ? std::optional(static_cast<double>(*value)) : std::nullopt, name);
  }
  Said<double> of_tensor(std::string_view tensor, std::optional<double> value = {}) const {
    const std::string key = fmt::format("tensor \"{}\"", tensor);
    return {value, keys.file().label() + ": " + key, key};
  }
};

// The divisor of the positions; 1 where neither the key nor its older name is there, or where it is
// 0, as llama.cpp writes it.
double factor(GgufKeys& keys) {
  const std::string_view name = keys.number(kFactor) ? kFactor : kOldFactor;
  const double value = keys.number(name).value_or(1);
  if (value == 0) return 1;
  if (value < 0) keys.fail(name, fmt::format("expected a positive number, found {}", value));
  return value;
}

std::vector<double> rope_tensor(GgufKeys& keys, std::string_view name, int64_t pairs) {
  const GgufFile* const holder = keys.file_with_tensor(name);
  const GgufFile& file = holder != nullptr ? *holder : keys.file();
  const Tensor tensor = converted(file.read(name).view(), DType::f64);
  const auto* numbers = reinterpret_cast<const double*>(tensor.bytes.data());
  const std::vector<double> values(numbers, numbers + tensor.bytes.size() / sizeof(double));
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::malformed,
                fmt::format("{}: tensor \"{}\": {}", file.label(), name, what));
  };
  if (std::ssize(values) != pairs) {
    refuse(fmt::format("expected {} divisors, one for each pair, found {}", pairs, values.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i])) {
      refuse(fmt::format("expected positive numbers, found {} at [{}]", values[i], i));
    }
  }
  return values;
}

bool has_tensor(const GgufKeys& keys, std::string_view name) {
  return keys.file_with_tensor(name) != nullptr;
}

void set_yarn(Writer& writer, bool tenth_of_mscale) {
  GgufKeys& keys = writer.keys;
  writer.set("factor", factor(keys), kFactor);
  writer.set_length(kOriginal);
  const auto copy = [&](const char* parameter, std::string_view name) {
    writer.set(parameter, keys.number(name), name);
  };
  copy("beta_fast", "rope.scaling.yarn_beta_fast");
  copy("beta_slow", "rope.scaling.yarn_beta_slow");
  // Below 0 it is not stated.
  const auto extrapolation = keys.number("rope.scaling.yarn_ext_factor");
  if (extrapolation && *extrapolation >= 0) {
    writer.set("extrapolation_factor", extrapolation, "rope.scaling.yarn_ext_factor");
  }
  copy("attention_factor", "rope.scaling.yarn_attn_factor");
  copy("attn_factor", kAttention);
  constexpr std::string_view kLogMultiplier = "rope.scaling.yarn_log_multiplier";
  const auto multiplier = keys.number(kLogMultiplier);
  if (!multiplier || *multiplier == 0) return;
  // A tenth in float32 is the config's number only to float32's precision.
  const double all_dim = tenth_of_mscale
                             ? std::stod(fmt::to_string(static_cast<float>(*multiplier * 10)))
                             : *multiplier;
  writer.set("mscale", tenth_of_mscale ? all_dim : 1.0, kLogMultiplier);
  writer.set("mscale_all_dim", all_dim, kLogMultiplier);
}

void set_longrope(Writer& writer, int64_t pairs) {
  for (const std::string_view length : {"short", "long"}) {
    const std::string tensor = fmt::format("rope_factors_{}.weight", length);
    const Said<double> place = writer.of_tensor(tensor);
    writer.result.lists[fmt::format("{}_factor", length)] = {
        rope_tensor(writer.keys, tensor, pairs), place.source, place.key};
  }
  writer.set_length(kOriginal);
  const auto stated = writer.keys.number(kAttention);
  writer.set("attention_factor", stated.value_or(1), kAttention);
  if (!stated) {
    writer.result.parameters["attention_factor"].source += " is absent, llama.cpp takes 1";
  }
}

void add_rope_freqs(Writer& writer, double rope_theta, int64_t pairs) {
  constexpr std::string_view kTensor = "rope_freqs.weight";
  if (!has_tensor(writer.keys, kTensor)) return;
  const std::vector<double> divisors = rope_tensor(writer.keys, kTensor, pairs);
  const Said<double> place = writer.of_tensor(kTensor);
  const auto known = is_scaled(*writer.result.rope_type)
                         ? std::nullopt
                         : scaling_of_rope_freqs(divisors, rope_theta);
  if (!known) {
    writer.result.lists["freq_factors"] = {divisors, place.source, place.key};
    return;
  }
  writer.result.rope_type = {known->rope_type, place.source, place.key};
  for (const auto& [parameter, value] : known->parameters) {
    const Said<double> said = writer.of_tensor(kTensor, value);
    if (parameter == "partial_rotary_factor") {
      writer.result.partial_rotary_factor = said;
    } else {
      writer.result.parameters[parameter] = said;
    }
  }
}

void add_sections(Writer& writer) {
  constexpr std::string_view kSections = "rope.dimension_sections";
  auto sections = writer.keys.integers(kSections);
  if (!sections) return;
  if (sections->size() < 3 || sections->size() > 4) {
    writer.keys.fail(kSections, fmt::format("expected 3 or 4 numbers, found {}", sections->size()));
  }
  for (const int64_t pairs : *sections) {
    if (pairs < 0) {
      writer.keys.fail(kSections, fmt::format("expected counts of pairs, found {}", pairs));
    }
  }
  while (!sections->empty() && sections->back() == 0) sections->pop_back();
  if (!sections->empty()) writer.result.mrope_section = writer.keys.said(kSections, sections);
}

Type scaling_type(GgufKeys& keys) {
  const auto stated = keys.text(kType);
  if (!stated) return has_tensor(keys, "rope_factors_long.weight") ? Type::longrope : Type::linear;
  const auto found = std::ranges::find(kNames, *stated);
  if (found == std::end(kNames)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: {}: expected one of {}, found \"{}\"{}", keys.file().label(),
                            keys.key(kType), fmt::join(kNames, ", "), escaped(*stated),
                            did_you_mean(*stated, kNames)));
  }
  return static_cast<Type>(found - std::begin(kNames));
}

void set_scaling(Writer& writer, Type type, int64_t pairs, bool tenth_of_mscale) {
  writer.set_type("default", "");
  if (type == Type::yarn) {
    writer.set_type("yarn", "");
    return set_yarn(writer, tenth_of_mscale);
  }
  if (type == Type::longrope) {
    writer.set_type("longrope", "tensor \"rope_factors_long.weight\"");
    return set_longrope(writer, pairs);
  }
  if (type == Type::linear && factor(writer.keys) != 1) {
    const std::string_view place = writer.keys.number(kFactor) ? kFactor : kOldFactor;
    writer.set_type("linear", writer.keys.key(place));
    writer.set("factor", factor(writer.keys), place);
  }
  const double attention = writer.keys.number(kAttention).value_or(1);
  if (attention != 1) {
    writer.keys.fail(kAttention, fmt::format("expected 1 with a scaling of type {}, found {}",
                                             kNames[static_cast<size_t>(type)], attention));
  }
  writer.keys.key(kOriginal);
}

}  // namespace

StatedRope gguf_scaling(GgufKeys& keys, double rope_theta, int64_t pairs, bool tenth_of_mscale) {
  Writer writer{keys};
  set_scaling(writer, scaling_type(keys), pairs, tenth_of_mscale);
  keys.key("rope.scaling.finetuned");
  add_rope_freqs(writer, rope_theta, pairs);
  add_sections(writer);
  return std::move(writer.result);
}

}  // namespace ropewalk
