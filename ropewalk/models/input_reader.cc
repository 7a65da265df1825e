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
int64_t padding_row(ConfigReader& config, const std::string& defaults) {
  return config.integer("pad_token_id", {"pad_token_id"}, {0}, {{1, defaults}});
}

int64_t offset_of(FirstRow first, int64_t padding_row) {
  return first == FirstRow::after_padding ? padding_row + 1 : static_cast<int64_t>(first);
}

// The places of a picture along its two sides: a number for both, or a list of two.
std::pair<int64_t, int64_t> sides(ConfigReader& config, std::string_view key, int64_t fallback,
                                  const TableOwner& owner) {
  const std::string field = fmt::format("{}{}", owner.prefix, key);
  const auto found = config.json().find(std::string(key));
  if (found != config.json().end() && found->is_array() && found->size() == 2) {
    const auto both = *config.find_integers(key, kPicture);
    config.note(field, fmt::format("{} x {}", both[0], both[1]), config.source(key));
    return {both[0], both[1]};
  }
  const int64_t one = config.integer(field, {key}, kPicture, {{fallback, owner.defaults}});
  return {one, one};
}

int64_t rows_of_picture(ConfigReader& config, const LearnedRule::Picture& rule,
                        const TableOwner& owner) {
  auto [height, width] = sides(config, rule.image_key, rule.image, owner);
  if (rule.image_width > 0 && !config.has(rule.image_key)) width = rule.image_width;
  const auto [down, across] = sides(config, rule.patch_key, rule.patch, owner);
  if (down > height || across > width) {
    config.refuse(ErrorCode::malformed, rule.patch_key,
                  fmt::format("expected at most the picture's {} x {}, found {} x {}", height,
                              width, down, across));
  }
  return (height / down) * (width / across) + rule.more;
}

// How many rows, and how they follow; 0 and no words where ropewalk does not derive it.
std::pair<int64_t, std::string> rows_of(ConfigReader& config, const LearnedRule& rule,
                                        const TableOwner& owner, int64_t offset) {
  const auto stated = [&](const IntegerKey& key) {
    return config.integer(fmt::format("{}{}", owner.prefix, key.key), {key.key}, kPicture,
                          {{key.value, owner.defaults}});
  };
  if (!rule.rows.key.empty()) {
    const int64_t rows = stated(rule.rows);
    if (rule.columns.key.empty()) return {rows, fmt::format("derived: {}", rule.rows.key)};
    return {rows * stated(rule.columns),
            fmt::format("derived: {} * {}", rule.rows.key, rule.columns.key)};
  }
  if (rule.picture.image > 0) {
    return {rows_of_picture(config, rule.picture, owner), "derived: the patches of a picture"};
  }
  if (owner.max_positions == 0) return {};
  if (!rule.beside || offset == 0) return {owner.max_positions, "derived: max_positions"};
  return {owner.max_positions + offset, fmt::format("derived: max_positions + {}", offset)};
}

void read_learned(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const LearnedRule& rule = type.learned;
  // Without layers that are described, nothing else has read how many positions there are.
  if (!type.has_layers && type.max_positions > 0) {
    const std::string_view key =
        type.max_positions_key.empty() ? "max_position_embeddings" : type.max_positions_key;
    model.max_positions = config.integer("max_positions", {key}, kPositionCount,
                                         {{type.max_positions, default_of(type)}});
  }
  LearnedConfig table = read_learned_rule(config, rule,
                                          {.width = model.hidden_size,
                                           .max_positions = model.max_positions,
                                           .defaults = default_of(type),
                                           .code = code_of(type)});
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

LearnedConfig read_learned_rule(ConfigReader& config, const LearnedRule& rule,
                                const TableOwner& owner) {
  const auto note = [&](std::string_view field, std::string value, std::string source) {
    config.note(fmt::format("{}{}", owner.prefix, field), std::move(value), std::move(source));
  };
  LearnedConfig table{.tables = rule.tables,
                      .d_model = owner.width,
                      .resampling = rule.resampling,
                      .tensor = std::string(rule.tensor)};
  if (!rule.width_key.empty()) {
    table.d_model = config.integer(rule.width_key, {rule.width_key}, kSome,
                                   {{rule.width > 0 ? rule.width : owner.width, owner.defaults}});
  }
  if (rule.first == FirstRow::after_padding) {
    table.padding_position = padding_row(config, owner.defaults);
  }
  table.offset = offset_of(rule.first, table.padding_position);
  auto [rows, derived] = rows_of(config, rule, owner, table.offset);
  table.rows = rows;
  if (rows > 0) note("rows of the table", fmt::to_string(rows), std::move(derived));
  if (table.resampling == Resampling::none) {
    note("row of position 0", fmt::to_string(table.offset), owner.code);
  } else {
    note("resampling", std::string(name(table.resampling)), owner.code);
  }
  note("tensor", table.tensor, owner.code);
  return table;
}

void read_sinusoidal(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  const SinusoidalRule& rule = type.sinusoidal;
  read_heads(config, model, type);
  SinusoidalConfig encoding{.d_model = model.hidden_size, .layout = rule.layout};
  if (rule.first != FirstRow::zero) {
    encoding.padding_position = padding_row(config, default_of(type));
    encoding.offset = offset_of(rule.first, encoding.padding_position);
    config.note("offset", fmt::to_string(encoding.offset),
                rule.first == FirstRow::two ? "family: the first two rows are not used"
                                            : "derived: pad_token_id + 1");
  }
  config.note("encoding", "sinusoidal", code_of(type));
  config.note("layout", std::string(name(encoding.layout)), code_of(type));
  read_attention(config, model, type);
  model.others.push_back({std::string(rule.part), encoding});
  // Beside the sines; where a key chooses between them, they are all there is.
  if (type.only_if.key.empty() && has_table(config, type)) read_learned(config, model, type);
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
