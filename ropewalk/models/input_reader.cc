#include "ropewalk/models/input_reader.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/models/attention_reader.h"
#include "ropewalk/models/declared_reader.h"
#include "ropewalk/models/defaults.h"

namespace ropewalk {
namespace {

constexpr IntegerRule kPicture{1, 65536};
constexpr IntegerRule kSome{1, int64_t{1} << 24};

// What the file says of a key, else what the class has, with its evidence under the key's name.
int64_t read_integer(ConfigReader& config, const IntegerKey& rule, const ModelType& type) {
  if (rule.key.empty()) return rule.value;
  return config.integer(rule.key, {rule.key}, kSome, {{rule.value, default_of(type)}});
}

// The row of padding tokens, by which tables of fairseq's kind are shifted.
int64_t padding_row(ConfigReader& config, const ModelType& type) {
  return config.integer("pad_token_id", {"pad_token_id"}, {0}, {{1, default_of(type)}});
}

int64_t offset_of(FirstRow first, int64_t padding_row) {
  return first == FirstRow::after_padding ? padding_row + 1 : static_cast<int64_t>(first);
}

// The places of a picture along its two sides: a number for both, or a list of two.
std::pair<int64_t, int64_t> sides(ConfigReader& config, std::string_view key, int64_t fallback,
                                  const ModelType& type) {
  const auto found = config.json().find(std::string(key));
  if (found != config.json().end() && found->is_array() && found->size() == 2) {
    const auto both = *config.find_integers(key, kPicture);
    config.note(key, fmt::format("{} x {}", both[0], both[1]), config.source(key));
    return {both[0], both[1]};
  }
  const int64_t one = config.integer(key, {key}, kPicture, {{fallback, default_of(type)}});
  return {one, one};
}

int64_t rows_of_picture(ConfigReader& config, const ModelType& type) {
  const LearnedRule::Picture& rule = type.learned.picture;
  auto [height, width] = sides(config, rule.image_key, rule.image, type);
  if (rule.image_width > 0 && !config.has(rule.image_key)) width = rule.image_width;
  const auto [down, across] = sides(config, rule.patch_key, rule.patch, type);
  if (down > height || across > width) {
    config.refuse(ErrorCode::malformed, rule.patch_key,
                  fmt::format("expected at most the picture's {} x {}, found {} x {}", height,
                              width, down, across));
  }
  return (height / down) * (width / across) + rule.more;
}

void read_learned(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const LearnedRule& rule = type.learned;
  LearnedConfig table{.d_model = model.hidden_size, .tensor = std::string(rule.tensor)};
  if (!rule.width_key.empty()) {
    table.d_model =
        config.integer(rule.width_key, {rule.width_key}, kSome,
                       {{rule.width > 0 ? rule.width : model.hidden_size, default_of(type)}});
  }
  // Without layers that are described, nothing else has read how many positions there are.
  if (!type.has_layers && type.max_positions > 0) {
    const std::string_view key =
        type.max_positions_key.empty() ? "max_position_embeddings" : type.max_positions_key;
    model.max_positions = config.integer("max_positions", {key}, kPositionCount,
                                         {{type.max_positions, default_of(type)}});
  }
  if (rule.first == FirstRow::after_padding) {
    table.padding_position = padding_row(config, type);
  }
  table.offset = offset_of(rule.first, table.padding_position);
  const bool positions = model.max_positions > 0;
  table.rows = rule.picture.image > 0 ? rows_of_picture(config, type)
               : !positions           ? 0
                                      : model.max_positions + (rule.beside ? table.offset : 0);
  if (table.rows > 0) {
    config.note("rows of the table", fmt::to_string(table.rows),
                rule.picture.image > 0 ? "derived: the patches of a picture"
                : rule.beside && table.offset > 0
                    ? fmt::format("derived: max_positions + {}", table.offset)
                    : "derived: max_positions");
  }
  config.note("row of position 0", fmt::to_string(table.offset), code_of(type));
  config.note("tensor", std::string(rule.tensor), code_of(type));
  model.others.push_back({std::string(rule.part), std::move(table)});
}

bool has_table(ConfigReader& config, const ModelType& type) {
  const LearnedRule& rule = type.learned;
  if (rule.tensor.empty() || rule.on.key.empty()) return !rule.tensor.empty();
  return config.boolean(rule.on.key, rule.on.key, {rule.on.value, default_of(type)});
}

void read_buckets(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  BucketBiasConfig buckets{.heads = model.heads,
                           .buckets = read_integer(config, type.buckets.buckets, type),
                           .max_distance = read_integer(config, type.buckets.max_distance, type),
                           .bidirectional = type.buckets.bidirectional};
  set_positions(model, buckets);
  if (!type.buckets.has_decoder) return;
  buckets.bidirectional = false;
  model.others.push_back({"decoder", buckets});
}

void read_relative(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const RelativeRule& rule = type.relative;
  const auto bound = [&](const IntegerKey& key) {
    if (key.key.empty()) return key.value;
    // DeBERTa: -1 is as many as there are positions.
    const int64_t said =
        config.integer(key.key, {key.key}, {-1, int64_t{1} << 24}, {{key.value, default_of(type)}});
    return said < 1 ? int64_t{0} : said;
  };
  const RelativeConfig relative{
      .form = rule.form, .max_distance = bound(rule.max_distance), .buckets = bound(rule.buckets)};
  set_positions(model, relative);
  if (!type.has_layers) model.others.push_back({"scores", relative});
}

void read_convolution(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  model.others.push_back(
      {"input", ConvolutionConfig{.kernel = read_integer(config, type.convolution.kernel, type),
                                  .groups = read_integer(config, type.convolution.groups, type)}});
}

}  // namespace

std::string code_of(const ModelType& type) {
  return fmt::format("family: the code of {}", type.name);
}

void read_sinusoidal(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const SinusoidalRule& rule = type.sinusoidal;
  read_heads(config, model, type);
  SinusoidalConfig encoding{.d_model = model.hidden_size, .layout = rule.layout};
  if (rule.first != FirstRow::zero) {
    encoding.padding_position = padding_row(config, type);
    encoding.offset = offset_of(rule.first, encoding.padding_position);
    config.note("offset", fmt::to_string(encoding.offset),
                rule.first == FirstRow::two ? "family: the first two rows are not used"
                                            : "derived: pad_token_id + 1");
  }
  config.note("encoding", "sinusoidal", code_of(type));
  config.note("layout", std::string(name(encoding.layout)), code_of(type));
  read_attention(config, model, type);
  model.others.push_back({std::string(rule.part), encoding});
}

void read_with_weights(ConfigReader& config, ModelEncoding& model, const ModelType& type,
                       bool held) {
  if (type.has_layers) read_heads(config, model, type);
  switch (held                         ? type.positions
          : type.only_if.else_relative ? Positions::relative
                                       : Positions::learned) {
    case Positions::buckets:
      read_buckets(config, model, type);
      break;
    case Positions::relative:
      read_relative(config, model, type);
      break;
    case Positions::convolution:
      read_convolution(config, model, type);
      break;
    case Positions::features:
      model.others.push_back({"input", FeatureConfig{type.features}});
      break;
    default:
      break;
  }
  if (has_table(config, type)) read_learned(config, model, type);
  const bool of_layers =
      !model.layers.empty() && !std::holds_alternative<NoEncoding>(model.layers.front().positions);
  const std::string_view kind = of_layers               ? name(model.layers.front().positions)
                                : !model.others.empty() ? name(model.others.front().encoding)
                                                        : "none";
  config.note("encoding", std::string(kind), code_of(type));
  if (type.has_layers) return read_attention(config, model, type);
  if (!type.remark.empty()) config.note("remark", std::string(type.remark), code_of(type));
}

}  // namespace ropewalk
