#include "ropewalk/apply/alibi.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/capi/choices.h"
#include "ropewalk/capi/handles.h"
#include "ropewalk/capi/options.h"
#include "ropewalk/capi/status.h"
#include "ropewalk/capi/tables.h"
#include "ropewalk/capi/tensors.h"

namespace ropewalk::capi {
namespace {

constexpr ropewalk_alibi_options kAlibiOptions = ROPEWALK_ALIBI_OPTIONS;

AlibiConfig alibi_of(const ropewalk_alibi_options& options) {
  return {.heads = options.heads,
          .max_bias = options.max_bias,
          .first_head = options.first_head,
          .head_count = options.head_count,
          .form = alibi_form_of(options.form, "form"),
          .dtype = flag(options.bf16, "bf16") ? DType::bf16 : DType::f32,
          .before_scale = flag(options.before_scale, "before_scale")};
}

int32_t number_of(AlibiForm form) {
  switch (form) {
    case AlibiForm::relative:
      return ROPEWALK_ALIBI_RELATIVE;
    case AlibiForm::key_position:
      return ROPEWALK_ALIBI_KEY_POSITION;
    case AlibiForm::symmetric:
      break;
  }
  return ROPEWALK_ALIBI_SYMMETRIC;
}

double softmax_scale_of(const Layer& layer) {
  if (layer.attention.softmax_scale != 0) return layer.attention.softmax_scale;
  return 1 / std::sqrt(static_cast<double>(layer.head_dim));
}

ropewalk_alibi_options options_of_layer(const Layer& layer, int64_t index) {
  const auto* alibi = std::get_if<AlibiConfig>(&layer.positions);
  if (alibi == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("layer {}: expected alibi, found {}", index, name(layer.positions)));
  }
  return {.struct_size = sizeof(ropewalk_alibi_options),
          .heads = alibi->heads,
          .first_head = alibi->first_head,
          .head_count = alibi->head_count,
          .max_bias = alibi->max_bias,
          .form = number_of(alibi->form),
          .bf16 = alibi->dtype == DType::bf16,
          .before_scale = alibi->before_scale,
          .softmax_scale = alibi->before_scale ? softmax_scale_of(layer) : 1.0};
}

std::vector<int64_t> plain_list(const ropewalk_positions* positions, const char* name) {
  const PositionShape shape = shape_of(positions, name);
  if (shape.dims.size() != 1) {
    refuse(fmt::format("{}: expected a run or ids [S], found {}", name, to_string(shape.dims)));
  }
  return list_of(positions, name);
}

}  // namespace
}  // namespace ropewalk::capi

using namespace ropewalk::capi;

ropewalk_status ropewalk_alibi_of_layer(const ropewalk_model* model, int64_t layer,
                                        ropewalk_alibi_options* options) {
  return guarded([&] {
    const ropewalk::ModelEncoding& encoding = not_null(model, "model", "a model").encoding;
    write_facts(options_of_layer(ropewalk::layer_at(encoding, layer), layer), options, "options");
  });
}

ropewalk_status ropewalk_alibi_slopes(const ropewalk_alibi_options* options, float* slopes,
                                      int64_t count) {
  return guarded([&] {
    const ropewalk::AlibiConfig config =
        alibi_of(required_options(options, kAlibiOptions, "options"));
    const std::vector<float> made = ropewalk::alibi_slopes(config);
    if (count != std::ssize(made)) {
      refuse(
          fmt::format("count: expected {}, the heads of the shard, found {}", made.size(), count));
    }
    std::copy(made.begin(), made.end(), &not_null(slopes, "slopes", "room for the slopes"));
  });
}

ropewalk_status ropewalk_alibi_bias(const ropewalk_alibi_options* options,
                                    const ropewalk_positions* queries,
                                    const ropewalk_positions* keys, const ropewalk_tensor* bias) {
  return guarded([&] {
    const ropewalk_alibi_options how = required_options(options, kAlibiOptions, "options");
    const ropewalk::AlibiConfig config = alibi_of(how);
    const std::vector<int64_t> q = plain_list(queries, "queries"), k = plain_list(keys, "keys");
    const ropewalk::TensorView out = view_of(bias, "bias");
    check_out(out, ropewalk::DType::f32,
              {ropewalk::alibi_heads(config), std::ssize(q), std::ssize(k)}, "bias");
    write(ropewalk::alibi_bias(config, q, k, how.softmax_scale).view(), out, "bias");
  });
}
