#include "ropewalk/report/score_words.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ropewalk/report/cause_words.h"

namespace ropewalk {
namespace {

constexpr CauseWords kWords[] = {
    {"score_scale", "missing", "q.k is not scaled", "multiply q.k by {expected}"},
    {"score_scale", "twice", "q.k is scaled twice",
     "multiply q.k by {expected} once: q was scaled before, or the attention call scales too"},
    {"score_scale", "default", "q.k is scaled by head_dim^-0.5, not by the model's own scale",
     "multiply q.k by {expected} (query_pre_attn_scalar, attention_multiplier, scaling)"},
    {"score_scale", "half_of_own",
     "q.k is scaled by the root of head_dim^-0.5 and the model's own scale",
     "multiply q.k by {expected}: mscale enters it squared"},
    {"score_scale", "default_too", "q.k is scaled by head_dim^-0.5 beside the model's own scale",
     "multiply q.k by {expected} alone"},
    {"score_scale", "one_of_two", "only one of q and k is multiplied by the root of the scale",
     "multiply q.k by {expected}"},
    {"score_scale", "log2e", "q.k is scaled by log2(e) too",
     "no fault for a softmax by powers of 2"},
    {"score_scale", "inverse", "q.k is divided by the scale",
     "multiply q.k by {expected}, the inverse"},
    {"score_scale", "other_dim", "q.k is scaled by {found}^-0.5",
     "multiply q.k by {expected}: head_dim is that of q and k"},
    {"score_scale", "without_attention_scaling",
     "cos and sin are not multiplied by the attention scaling",
     "multiply cos and sin by it (attention_factor), or q.k by its square"},
    {"score_scale", "attention_scaling_twice",
     "the attention scaling is in cos and sin and in the scale",
     "multiply q.k by {expected}: attention_factor is final"},
    {"score_scale", "mscale_squared", "q.k is scaled by (0.1 ln(factor) + 1)^2 too",
     "multiply q.k by {expected}"},
    {"score_scale", "mscale_once", "q.k is scaled by 0.1 ln(factor) + 1 too",
     "multiply q.k by {expected}"},
    {"score_scale", "other", "q.k is scaled by {found}, not {expected}",
     "multiply q.k by {expected}"},
    {"softcap", "missing", "the softcap {expected} is missing",
     "apply {expected} tanh(s / {expected}) after the scale, before mask and softmax"},
    {"softcap", "should_not", "scores have a softcap of {found}", "the layer has no softcap"},
    {"softcap", "other", "the softcap is {found}, not {expected}",
     "set attn_logit_softcapping to {expected}"},
    {"score_turn", "neither", "q and k are not rotated",
     "rotate both before the product; or give --rotated, if these dumps are taken after it"},
    {"score_turn", "q_not_rotated", "q is not rotated", "rotate q as well as k"},
    {"score_turn", "k_not_rotated", "k is not rotated", "rotate k as well as q"},
    {"score_turn", "twice", "q and k are rotated twice",
     "rotate once; or give --rotated, if these dumps are taken after it"},
    {"score_turn", "q_twice", "q is rotated twice", "rotate q once"},
    {"score_turn", "k_twice", "k is rotated twice",
     "rotate k once: keys in a cache may be rotated already"},
    {"score_turn", "sign", "q and k turn the other way: the sign of the angle",
     "a' = a cos - b sin, b' = b cos + a sin"},
    {"score_turn", "interleaved", "pairs are interleaved, (2i, 2i + 1), not halves",
     "rotate halves (rotate_half), or move the rows of Q and K"},
    {"score_turn", "half_split", "pairs are half_split, (i, i + d/2), not neighbours",
     "rotate neighbours, or move the rows of Q and K"},
    {"score_turn", "other_layer", "q and k turn as those of another layer",
     "take the frequencies of this layer's kind"},
    {"score_turn", "should_not_turn", "q and k are rotated, as in another layer",
     "leave q and k of this layer as they are"},
    {"score_turn", "without_query_scale", "q does not grow with its position",
     "multiply q by the factor of its position (attn_scale, logn)"},
    {"score_norm", "missing", "q and k are not normed",
     "norm q and k of each head; or give --normed, if these dumps are taken after it"},
    {"score_norm", "after_rotation", "q and k are normed after the rotation, not before it",
     "norm q and k, then rotate them"},
    {"score_norm", "before_rotation", "q and k are normed before the rotation, not after it",
     "rotate q and k, then norm them"},
    {"score_norm", "without_weights", "the norms of q and k have no weights",
     "multiply by the weights of q_norm and k_norm"},
    {"score_norm", "exchanged", "q is normed by the weights of k, and k by those of q",
     "take each norm's own weights; or --q-norm and --k-norm are exchanged"},
    {"score_norm", "of_q", "k is normed by the weights of q", "take the weights of k_norm for k"},
    {"score_heads", "in_turn", "query head h reads key head h mod Hkv, not h / (H / Hkv)",
     "repeat each key head for its group (repeat_interleave), not all of them in turn"},
    {"alibi", "missing", "the ALiBi bias is missing", "add slope_h (k - q) to the scores"},
    {"alibi", "should_not", "a bias that grows with the distance is added",
     "the layer has no ALiBi"},
    {"alibi", "sign", "the ALiBi bias has the other sign",
     "farther keys are to score less: slope_h (k - q)"},
    {"alibi", "as_power_of_two", "ALiBi slopes are 2^(-max_bias h / H), as of a power of two",
     "for other head counts take the slopes of the power of two below, then every other of twice "
     "it"},
    {"alibi", "next_power_of_two", "ALiBi slopes are the first of the next power of two of heads",
     "take the slopes of the power of two below, then every other of twice it"},
    {"alibi", "previous_power_of_two", "ALiBi slopes run on past the power of two below",
     "after the power of two below take every other slope of twice it"},
    {"alibi", "from_one", "ALiBi slopes begin at 1: heads are counted from 0",
     "count heads from 1 in the exponent"},
    {"alibi", "reversed_heads", "ALiBi slopes are in the reverse order of heads",
     "give head 0 the largest"},
    {"alibi", "scaled_too", "the ALiBi bias is scaled as q.k is", "add it after the scale"},
    {"alibi", "not_scaled", "the ALiBi bias is not scaled as q.k is", "add it before the scale"},
    {"alibi", "factor", "the ALiBi bias is {found} times what it should be",
     "see the slopes (max_bias) and whether it is added before or after the scale"},
    {"alibi", "other", "ALiBi slopes are others", "compare them with those of ropewalk show"},
    {"alibi", "relative", "the ALiBi bias is of distances, slope_h (k - q)",
     "use the form that ropewalk show prints; after a softmax, the same as slope_h k"},
    {"alibi", "key_position", "the ALiBi bias is of key positions, slope_h k",
     "no fault where a softmax follows: rows differ by a constant"},
    {"alibi", "symmetric", "the ALiBi bias is of distances to either side, -slope_h |k - q|",
     "use the form that ropewalk show prints"},
    {"bucket_bias", "missing", "the learned bias of distances is missing",
     "add it to the scores of each layer of the stack"},
    {"bucket_bias", "sign", "the learned bias has the other sign", "add it"},
    {"bucket_bias", "mirrored", "the learned bias is that of q - k", "take the bucket of k - q"},
    {"bucket_bias", "scaled_too", "the learned bias is scaled as q.k is", "add it after the scale"},
    {"bucket_bias", "not_scaled", "the learned bias is not scaled as q.k is",
     "add it before the scale"},
    {"bucket_bias", "factor", "the learned bias is {found} times what it should be",
     "add it as it is"},
    {"bucket_bias", "reversed_heads", "the learned bias has its heads in reverse",
     "see the order of heads in the table"},
    {"bucket_bias", "other", "the learned bias has another size in each head",
     "see the order of heads in the table"},
    {"score_mask", "not_causal", "keys after the query are seen: there is no causal mask",
     "mask before the softmax, or dump after that"},
    {"score_mask", "none", "no key is hidden: causal mask and window are missing",
     "mask before the softmax, or dump after that"},
    {"score_mask", "causal", "keys after the query are hidden", "the layer sees both sides"},
    {"score_mask", "one_before", "the mask is one token early", "a query sees its own key"},
    {"score_mask", "one_after", "the mask is one token late: a query sees the key after it",
     "hide keys j > i"},
    {"score_mask", "top_left",
     "the mask takes the first query for token 0, though there are more keys than queries",
     "align the mask with the end of the keys (is_causal of a cached step)"},
    {"score_mask", "no_window", "the window of {expected} tokens is missing",
     "hide keys farther than sliding_window"},
    {"score_mask", "no_chunk", "the chunks of attention are missing",
     "hide the keys of other chunks (attention_chunk_size)"},
    {"score_mask", "other_layer", "keys are hidden as in layer {layer}",
     "take the window of this layer's kind (layer_types)"},
    {"score_mask", "window_by_one", "the window is {found} tokens, not {expected}: off by one",
     "a query sees {expected} keys, its own among them"},
    {"score_mask", "window", "the window is {found} tokens, not {expected}",
     "set sliding_window to {expected}"},
    {"score_mask", "window_for_chunk", "a window of {found} tokens is there for chunks",
     "hide the keys of other chunks (attention_chunk_size)"},
    {"score_mask", "chunk", "chunks are of {found} tokens, not {expected}",
     "set attention_chunk_size to {expected}"},
    {"score_mask", "chunk_should_not", "keys before a chunk of {found} tokens are hidden",
     "the layer sees all keys before the query"},
    {"score_mask", "no_prefix", "keys of the prompt after the query are hidden: the mask is causal",
     "let all {expected} tokens of the prompt see each other"},
    {"score_mask", "prefix", "{found} tokens see each other as the prompt, not {expected}",
     "count the tokens of the prompt, gMASK and bos as the model's code does"},
    {"score_mask", "window_should_not", "a window of {found} tokens hides keys",
     "the layer sees all keys before the query"},
    {"score_mask", "padding_seen", "keys that --key-mask hides are seen",
     "mask padding before the softmax"},
    {"score_mask", "padding", "some keys are hidden from all queries",
     "if they are padding, say so with --key-mask"},
};

std::string score_words(double score) {
  return std::isfinite(score) ? fmt::format("{:.6g}", score) : "hidden";
}

nlohmann::ordered_json number_or_null(double score) {
  return std::isfinite(score) ? nlohmann::ordered_json(score) : nlohmann::ordered_json();
}

}  // namespace

std::string in_words(const ScoreFinding& finding) {
  return joined_words(kWords, finding.causes, &CauseWords::sentence);
}

std::string what_to_change(const ScoreFinding& finding) {
  return joined_words(kWords, finding.causes, &CauseWords::change);
}

std::string in_words(const FirstWrongScore& first) {
  return fmt::format("{}head {}, query {}, key {}: expected {}, found {}",
                     first.batch == 0 ? "" : fmt::format("sequence {}, ", first.batch), first.head,
                     first.query, first.key, score_words(first.expected), score_words(first.found));
}

nlohmann::ordered_json to_json(const ScoreDiagnosis& diagnosis) {
  using nlohmann::ordered_json;
  constexpr const char* kVerdicts[] = {"consistent", "fault", "unexplained"};
  ordered_json json = {{"verdict", kVerdicts[static_cast<int>(diagnosis.verdict)]},
                       {"residual_in_ulp", diagnosis.residual},
                       {"dtype", name(diagnosis.dtype)},
                       {"queries", diagnosis.queries},
                       {"compared", diagnosis.compared},
                       {"wrong", diagnosis.wrong}};
  if (const auto& first = diagnosis.first_wrong) {
    json["first_wrong"] = {{"batch", first->batch},
                           {"head", first->head},
                           {"query", first->query},
                           {"key", first->key},
                           {"expected", number_or_null(first->expected)},
                           {"found", number_or_null(first->found)}};
  }
  json["findings"] = ordered_json::array();
  for (const ScoreFinding& finding : diagnosis.findings) {
    ordered_json each = {{"causes", ordered_json::array()},
                         {"in_words", in_words(finding)},
                         {"change", what_to_change(finding)},
                         {"residual_in_ulp", finding.residual}};
    for (const Cause& cause : finding.causes) {
      ordered_json one = {{"hypothesis", cause.hypothesis}, {"variant", cause.variant}};
      for (const auto& [key, value] : cause.numbers) one[std::string(key)] = value;
      each["causes"].push_back(one);
    }
    json["findings"].push_back(each);
  }
  return json;
}

}  // namespace ropewalk
