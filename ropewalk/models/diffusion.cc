// Transformers of diffusion models, which turn a patch by its frame, row and column, each on
// channels of its own. Their config.json, of diffusers, names the class under /_class_name. Source:
// transformer_*.py, embeddings.py and the pipelines of diffusers 0.42.1.

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/dimensions.h"
#include "ropewalk/models/family.h"
#include "ropewalk/models/heads.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

using Dims = std::vector<int64_t>;

constexpr std::string_view kTelltaleKeys[] = {"attention_head_dim", "axes_dims_rope",
                                              "rope_axes_dim", "patch_size_t"};

// Which channels each axis turns.
struct AxesRule {
  std::string_view dims_key = {};  // states them
  std::initializer_list<int64_t> dims = {};
  Dims (*of_head)(int64_t head_dim) = nullptr;  // or they follow from the head
  std::string_view theta_key = {};              // empty: the base is written into the code
  DType dtype = DType::f64;                     // in which the frequencies are computed
  MropeOrder order = MropeOrder::contiguous;
  std::string_view axes = "frame, row, column";
};

Dims thirds(int64_t head_dim) {
  const int64_t side = 2 * (head_dim / 6);
  return {head_dim - 2 * side, side, side};
}
Dims quarter_first(int64_t head_dim) { return {head_dim / 4, head_dim / 8 * 3, head_dim / 8 * 3}; }
Dims halves(int64_t head_dim) { return {head_dim / 2, head_dim / 2}; }
Dims first_half(int64_t head_dim) { return {head_dim / 2}; }

void read_size(ConfigReader& config, ModelEncoding& model) {
  model.heads = config.integer("heads", {"num_attention_heads", "n_heads"}, kHeadCount);
  if (config.has("attention_head_dim")) {
    model.head_dim = config.integer("head_dim", {"attention_head_dim"}, kHeadDim);
    model.hidden_size = model.heads * model.head_dim;
  } else {
    model.hidden_size = config.integer("hidden_size", {"hidden_size", "dim"}, kHiddenSize);
    model.head_dim = derived_head_dim(config, model);
  }
  model.kv_heads = config.integer(
      "kv_heads",
      {"num_key_value_heads", "num_kv_heads", "n_kv_heads", "num_key_value_attention_heads"},
      kHeadCount, {{model.heads, "default: as many as query heads"}});
  check_kv_heads(config, model, "num_attention_heads");
  int64_t layers = config.integer("layers", {"num_layers", "n_layers"}, kLayerCount);
  if (const auto single = config.find_integer("num_single_layers", {0, 4096})) {
    config.note("layers of one stream", fmt::to_string(*single),
                config.source("num_single_layers"));
    layers += *single;
  }
  model.layers.resize(static_cast<size_t>(layers));
}

Dims axis_dims(ConfigReader& config, const ModelEncoding& model, const ModelType& type,
               const AxesRule& rule) {
  Dims dims = rule.of_head != nullptr ? rule.of_head(model.head_dim) : Dims(rule.dims);
  std::string source = rule.of_head != nullptr ? "derived: head_dim" : default_of(type);
  if (!rule.dims_key.empty()) {
    if (const auto stated = config.find_integers(rule.dims_key, {2, 65536, 2})) {
      dims = *stated;
      source = config.source(rule.dims_key);
    }
  }
  const int64_t sum = std::accumulate(dims.begin(), dims.end(), int64_t{0});
  const bool even = std::ranges::all_of(dims, [](int64_t dim) { return dim >= 2 && dim % 2 == 0; });
  if (dims.empty() || dims.size() > 16 || !even || sum > model.head_dim) {
    config.refuse(ErrorCode::malformed,
                  rule.dims_key.empty() ? "attention_head_dim" : rule.dims_key,
                  fmt::format("expected even channels for each axis, {} together at most, found {}",
                              model.head_dim, fmt::join(dims, ", ")));
  }
  config.note("channels of each axis", fmt::format("{}", fmt::join(dims, " ")), source);
  return dims;
}

template <const AxesRule& kRule>
void read_axes(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_size(config, model);
  RopeConfig rope;
  rope.rope_theta = type.rope_theta;
  if (kRule.theta_key.empty()) {
    config.note("rope_theta", fmt::to_string(rope.rope_theta),
                fmt::format("family: written into the code of {}", type.name));
  } else {
    rope.rope_theta = config.number("rope_theta", kRule.theta_key, kRopeTheta,
                                    {type.rope_theta, default_of(type)});
  }
  check_rope_theta(config, rope.rope_theta);
  const Dims dims = axis_dims(config, model, type, kRule);
  const int64_t sum = std::accumulate(dims.begin(), dims.end(), int64_t{0});
  rope.position_axes = std::ssize(dims);
  rope.inv_freq_dtype = kRule.dtype;
  rope.mrope_order = kRule.order;
  const bool alike = std::ranges::all_of(dims, [&](int64_t dim) { return dim == dims[0]; });
  rope.rotary_dim = alike ? dims[0] : sum;
  if (!alike) rope.axis_dims = dims;
  rope.layout = {model.head_dim, {{0, sum, type.pairing}}};
  const std::string code = fmt::format("family: the code of {}", type.name);
  config.note("position axes", std::string(kRule.axes), code);
  config.note("inv_freq_dtype", std::string(name(rope.inv_freq_dtype)), code);
  config.note("pairing", std::string(name(type.pairing)), code);
  if (!type.remark.empty()) config.note("remark", std::string(type.remark), code);
  set_positions(model, rope);
}

constexpr std::string_view kIds = "first id, row, column; text has zeros";
constexpr AxesRule kFlux{.dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .axes = kIds};
constexpr AxesRule kFlux2{.dims_key = "axes_dims_rope",
                          .dims = {32, 32, 32, 32},
                          .theta_key = "rope_theta",
                          .axes = "time, row, column, token of the text"};
constexpr AxesRule kKrea2{
    .dims_key = "axes_dims_rope", .dims = {32, 48, 48}, .theta_key = "rope_theta", .axes = kIds};
constexpr AxesRule kBria{
    .dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .theta_key = "rope_theta", .axes = kIds};
constexpr AxesRule kHiDream{
    .dims_key = "axes_dims_rope", .dims = {32, 32}, .axes = "one for each entry of axes_dims_rope"};
constexpr AxesRule kQwenImage{
    .dims_key = "axes_dims_rope", .dims = {16, 56, 56}, .dtype = DType::f32};
constexpr AxesRule kHunyuanVideo{.dims_key = "rope_axes_dim",
                                 .dims = {16, 56, 56},
                                 .theta_key = "rope_theta",
                                 .dtype = DType::f32};
constexpr AxesRule kHunyuanImage{.dims_key = "rope_axes_dim",
                                 .dims = {64, 64},
                                 .theta_key = "rope_theta",
                                 .dtype = DType::f32,
                                 .axes = "row, column; or frame, row, column"};
constexpr AxesRule kWan{.of_head = thirds};
constexpr AxesRule kLumina2{
    .dims_key = "axes_dim_rope", .dims = {32, 32, 32}, .axes = "token of the text, row, column"};
constexpr AxesRule kLuminaNext{.of_head = halves,
                               .dtype = DType::f32,
                               .order = MropeOrder::alternating,
                               .axes = "row, column"};
constexpr AxesRule kZImage{.dims_key = "axes_dims",
                           .dims = {32, 48, 48},
                           .theta_key = "rope_theta",
                           .axes = "token of the text, row, column"};
constexpr AxesRule kCogVideoX{.of_head = quarter_first, .dtype = DType::f32};
constexpr AxesRule kCogView4{.of_head = halves, .dtype = DType::f32, .axes = "row, column"};
constexpr AxesRule kStableAudio{.of_head = first_half, .dtype = DType::f32, .axes = "token"};

// Positions may be added to the input instead.
void read_cogvideox(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  constexpr std::string_view kKey = "use_rotary_positional_embeddings";
  if (config.boolean(kKey, kKey, {false, default_of(type)})) {
    return read_axes<kCogVideoX>(config, model, type);
  }
  config.refuse(ErrorCode::unsupported, kKey,
                "expected true, found false; without it a table of sines and cosines for three "
                "axes is added to "
                "the input, which is not supported");
}

// Phi 3 with pictures: longrope whatever the type of the block says.
void read_omnigen(ConfigReader& config, ModelEncoding& model, const ModelType& type) {
  read_size(config, model);
  const std::string reason = default_of(type);
  model.max_positions = config.integer("max_positions", {"max_position_embeddings"}, kPositionCount,
                                       {{131072, reason}});
  const auto keys = read_rope_keys(config, {.rope_theta = {type.rope_theta, reason},
                                            .theta_key = {},
                                            .theta_alias = "rope_base",
                                            .max_positions = model.max_positions});
  if (!keys || !reads_parameter(keys->rope_type, "short_factor")) {
    config.refuse(
        ErrorCode::malformed, "rope_scaling",
        fmt::format("expected a block of type su with a short_factor and a long_factor, found {}",
                    keys ? keys->rope_type : "none"));
  }
  RopeConfig rope;
  rope.rope_theta = keys->rope_theta;
  rope.rope_type = keys->rope_type;
  rope.parameters = keys->parameters;
  rope.lists = keys->lists;
  rope.rotary_dim = model.head_dim;
  rope.layout = {model.head_dim, {{0, model.head_dim, type.pairing}}};
  check_scaling(config, rope);
  config.note("pairing", std::string(name(type.pairing)),
              fmt::format("family: the code of {}", type.name));
  set_positions(model, rope);
}

constexpr Pairing kNeighbours = Pairing::interleaved;

constexpr ModelType diffusion(std::string_view name, double rope_theta,
                              void (*read)(ConfigReader&, ModelEncoding&, const ModelType&),
                              std::string_view encoding, std::string_view remark = {},
                              Pairing pairing = kNeighbours) {
  return {.name = name,
          .config_class = name,
          .max_positions = 0,
          .pairing = pairing,
          .rope_theta = rope_theta,
          .remark = remark,
          .encoding = encoding,
          .read = read};
}

constexpr std::string_view kThree = "RoPE interleaved, 3 axes with channels of their own";
constexpr std::string_view kFour = "RoPE interleaved, 4 axes with channels of their own";
constexpr std::string_view kOfTheKey = "RoPE interleaved, axes with channels of their own by a key";
constexpr std::string_view kCentred = "row and column are counted from the middle of the picture";
constexpr std::string_view kVideoOnly = "only the tokens of the video turn, not those of the text";

constexpr ModelType kTypes[] = {
    diffusion("FluxTransformer2DModel", 10000, read_axes<kFlux>, kThree),
    diffusion("Flux2Transformer2DModel", 2000, read_axes<kFlux2>, kFour),
    diffusion("ChromaTransformer2DModel", 10000, read_axes<kFlux>, kThree),
    diffusion("OvisImageTransformer2DModel", 10000, read_axes<kFlux>, kThree),
    diffusion("LongCatImageTransformer2DModel", 10000, read_axes<kFlux>, kThree),
    diffusion("BriaTransformer2DModel", 10000, read_axes<kBria>, kThree),
    diffusion("Krea2Transformer2DModel", 1000, read_axes<kKrea2>, kThree),
    diffusion("HiDreamImageTransformer2DModel", 10000, read_axes<kHiDream>, kOfTheKey),
    diffusion("QwenImageTransformer2DModel", 10000, read_axes<kQwenImage>, kThree, kCentred),
    diffusion("HunyuanVideoTransformer3DModel", 256, read_axes<kHunyuanVideo>, kThree, kVideoOnly),
    diffusion("HunyuanVideo15Transformer3DModel", 256, read_axes<kHunyuanVideo>, kThree,
              kVideoOnly),
    diffusion("HunyuanImageTransformer2DModel", 256, read_axes<kHunyuanImage>, kOfTheKey),
    diffusion("WanTransformer3DModel", 10000, read_axes<kWan>, kThree),
    diffusion("WanVACETransformer3DModel", 10000, read_axes<kWan>, kThree),
    diffusion("SkyReelsV2Transformer3DModel", 10000, read_axes<kWan>, kThree),
    diffusion("Lumina2Transformer2DModel", 10000, read_axes<kLumina2>, kThree),
    diffusion("LuminaNextDiT2DModel", 10000, read_axes<kLuminaNext>,
              "RoPE interleaved, rows and columns on pairs by turns"),
    diffusion("ZImageTransformer2DModel", 256, read_axes<kZImage>, kThree),
    diffusion("CogVideoXTransformer3DModel", 10000, read_cogvideox, kThree,
              "only the tokens of the video turn; rows and columns are scaled where the picture is "
              "not of the size that was trained"),
    diffusion("CogView4Transformer2DModel", 10000, read_axes<kCogView4>,
              "RoPE half_split, rows on the first half of the pairs, columns on the second",
              "only the tokens of the picture turn; rows are floor(i rope_axes_dim[0] / height)",
              Pairing::half_split),
    diffusion("StableAudioDiTModel", 10000, read_axes<kStableAudio>,
              "RoPE half_split on the first half of the head", "only in the attention to itself",
              Pairing::half_split),
    diffusion("OmniGenTransformer2DModel", 10000, read_omnigen,
              "RoPE half_split on the whole head, longrope", {}, Pairing::half_split),
};

}  // namespace

constinit const Family family::diffusion{
    .name = "diffusion", .types = kTypes, .telltale_keys = kTelltaleKeys};

}  // namespace ropewalk
