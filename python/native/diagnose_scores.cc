#include <variant>

#include <fmt/format.h>

#include "python/native/arguments.h"
#include "python/native/diagnose_arguments.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {
ScoreReport scores_report(const Keywords& given, const ModelEncoding& model) {
  if (given.has("part")) fail("part: expected none with scores, which a layer makes, found one");
  const int64_t number = given.integer("layer").value_or(first_with_positions(model));
  const Layer& layer = layer_at(model, number);
  const bool turns = reads_position_ids(layer);
  if (!turns && given.has("position_ids")) {
    fail(
        fmt::format("position_ids: expected none, as this layer has {}, which counts tokens, "
                    "found some",
                    name(layer.positions)));
  }
  const bool of_prefix = layer.attention.mask == Mask::prefix;
  if (of_prefix != given.has("prefix")) {
    fail(fmt::format("prefix: expected {}, found {}",
                     of_prefix ? "the number of tokens of the prompt, which see one another"
                               : "none, as this layer's mask has no prefix that all tokens see",
                     of_prefix ? "None" : "one"));
  }
  const Numbers scores(given, "scores"), q(given, "q"), k(given, "k");
  MaybeNumbers q_norm(given, "q_norm"), k_norm(given, "k_norm"), bias(given, "bucket_bias");
  const MaybeNumbers key_mask(given, "key_mask");
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  const DumpPositions positions(given, turns ? rope : nullptr, seq_len_of(given));
  const Dims shape = scores.view().shape;
  const ScoreDump dump{
      .scores = scores.view(),
      .q = q.view(),
      .k = k.view(),
      .layout = layout_of(given).value_or(likely_layout_of_q(q.view().shape, shape)),
      .positions = positions.ids,
      .rotated = given.flag("rotated"),
      .after_softmax = given.flag("after_softmax"),
      .norms = {.q_norm = q_norm.in_f32(),
                .k_norm = k_norm.in_f32(),
                .normed = given.flag("normed")},
      .bucket_bias = bias.in_f32(),
      .key_mask = key_mask.view(),
      .prefix = given.integer("prefix").value_or(0),
      .seq_len = seq_len_of(given)};
  const nb::gil_scoped_release released;
  return {fmt::format("{}, layer {}", escaped(model.name), number), shape, dump.layout,
          diagnose_scores(dump, model, layer)};
}

}  // namespace ropewalk::python
