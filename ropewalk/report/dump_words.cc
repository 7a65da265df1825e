#include "ropewalk/report/dump_words.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "ropewalk/report/cause_words.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

constexpr CauseWords kWords[] = {
    {"not_rotated", "at_all", "it was not rotated",
     "call the rotation before the dump is taken, or dump after it"},
    {"pairing", "half_split",
     "pairs are half_split, (i, i + d/2), in the place of interleaved, (2i, 2i + 1)",
     "rotate neighbours, or move the rows of Q and K to the half_split form"},
    {"pairing", "interleaved",
     "pairs are interleaved, (2i, 2i + 1), in the place of half_split, (i, i + d/2)",
     "rotate halves (rotate_half), or move the rows of Q and K to the interleaved form"},
    {"pairing", "half_split_to_interleaved",
     "pairs are read half_split, (i, i + d/2), and written interleaved, (2i, 2i + 1)",
     "write the pairs where the model does; rows of Q and K in the other form look the same"},
    {"pairing", "interleaved_to_half_split",
     "pairs are read interleaved, (2i, 2i + 1), and written half_split, (i, i + d/2)",
     "write the pairs where the model does; rows of Q and K in the other form look the same"},
    {"window", "width", "{found} channels of the head turn, not {expected}",
     "set rotary_dim to {expected} (partial_rotary_factor)"},
    {"window", "cut", "{found} channels of the head turn, with the first frequencies of {expected}",
     "set rotary_dim to {expected}"},
    {"window", "leading", "the first channels of the head turn, not those from {expected} on",
     "begin at channel {expected} of the head"},
    {"window", "trailing", "the channels from {found} on turn, not those from {expected} on",
     "begin at channel {expected} of the head"},
    {"window", "exponent",
     "frequencies are powers of -2i/{found}, the whole head, not of -2i/{expected}",
     "divide by rotary_dim, {expected}, in the exponent"},
    {"window", "proportional",
     "pairs are (i, i + {found}/2), with powers of -2i/{found}, as if the whole head turned, not "
     "{expected} channels",
     "use rotary_dim, {expected}, for the pairs and in the exponent"},
    {"window", "pair_offset",
     "pairs are (i, i + {found}/2), of the whole head, not of {expected} channels",
     "add rotary_dim/2, not head_dim/2, for the second channel of a pair"},
    {"window", "not_proportional",
     "{found} channels turn by themselves, where pairs are those of all {expected}",
     "keep the pairs of the whole head and let the slow ones stand still"},
    {"other_layer", "layer", "it turned as layer {layer} does",
     "take the frequencies of this layer's kind, not of layer {layer}'s"},
    {"other_layer", "should_not_turn",
     "it was rotated, as layer {layer} is, where it should not be",
     "leave it as it is: q and k of this layer, v of any"},
    {"other_layer", "part", "it turned as the part \"{name}\" does",
     "take the frequencies of the layer"},
    {"scaling", "missing", "the scaling of the model, {name}, is missing",
     "apply rope_scaling (rope_parameters): rope_type {name}"},
    {"scaling", "missing_but_amplitude",
     "the frequencies are not scaled, though cos and sin have the amplitude of {name}",
     "apply rope_type {name} to the frequencies"},
    {"scaling", "as_long", "frequencies are those of a long sequence",
     "choose them by the length of the sequence: short_factor, or the unscaled base"},
    {"scaling", "as_short", "frequencies are those of a short sequence",
     "choose them by the length of the sequence, prompt and cache: long_factor, or the grown base"},
    {"scaling", "length", "frequencies are those of a sequence of {found}",
     "pass the length of the sequence"},
    {"scaling", "parameter", "{name} is {found}, not {expected}", "set {name} to {expected}"},
    {"scaling", "type", "frequencies are scaled by {name} with factor {found}",
     "take the rope_type that the model has"},
    {"scaling", "swapped_betas",
     "the ramp of YaRN runs the other way: beta_fast and beta_slow are swapped",
     "low follows from beta_fast, high from beta_slow"},
    {"base", "rope_theta", "the base is {found}, not {expected}", "set rope_theta to {expected}"},
    {"direction", "sign", "it turned the other way: the sign of the angle",
     "a' = a cos - b sin, b' = b cos + a sin"},
    {"direction", "inverse", "it is the inverse rotation", "rotate forward"},
    {"exchange", "cos_and_sin", "cos and sin are exchanged",
     "a' = a cos - b sin, b' = b cos + a sin: pass cos first"},
    {"rotate_half", "no_minus", "a' = a cos + b sin: the minus of rotate_half is missing",
     "a' = a cos - b sin, b' = b cos + a sin; rotate_half(x) is cat(-x2, x1)"},
    {"rotate_half", "both_minus", "b' = b cos - a sin: both halves of rotate_half have a minus",
     "a' = a cos - b sin, b' = b cos + a sin; rotate_half(x) is cat(-x2, x1)"},
    {"rotate_half", "not_exchanged", "x cos + x sin: the two halves are not exchanged",
     "x cos + rotate_half(x) sin"},
    {"rotate_half", "in_place", "b' = b cos + a' sin: a was overwritten before b' was made",
     "keep a until both are made"},
    {"rotate_half", "interleaved_rows",
     "cos and sin have each column twice in neighbours, for pairs of halves",
     "repeat the columns as cat(freqs, freqs), not repeat_interleave(2)"},
    {"rotate_half", "doubled_rows",
     "cos and sin have their columns twice in halves, for pairs of neighbours",
     "repeat the columns by repeat_interleave(2), not cat(freqs, freqs)"},
    {"mixed_tables", "sin_unscaled", "sin is of the frequencies without the scaling, cos with it",
     "make both tables from the same inv_freq"},
    {"mixed_tables", "cos_unscaled", "cos is of the frequencies without the scaling, sin with it",
     "make both tables from the same inv_freq"},
    {"mixed_tables", "sin_of_layer", "sin is that of layer {layer}, cos this layer's",
     "take both tables of this layer's kind"},
    {"mixed_tables", "cos_of_layer", "cos is that of layer {layer}, sin this layer's",
     "take both tables of this layer's kind"},
    {"mixed_tables", "sin_shifted", "sin is of positions shifted by {number}, cos is not",
     "index both tables by the same positions"},
    {"mixed_tables", "cos_shifted", "cos is of positions shifted by {number}, sin is not",
     "index both tables by the same positions"},
    {"mixed_tables", "sin_base", "sin is of base {found}, cos is not",
     "make both tables from the same inv_freq"},
    {"mixed_tables", "cos_base", "cos is of base {found}, sin is not",
     "make both tables from the same inv_freq"},
    {"repetition", "twice", "it was rotated twice",
     "rotate once: an explicit call and a fused attention, or a key that was in the cache"},
    {"repetition", "doubled_angle", "angles are twice what they should be",
     "look for a position counted by 2, or a second rotation"},
    {"positions", "offset", "positions are shifted by {number}",
     "begin at the position of the first token: {undo}"},
    {"positions", "row_offset", "positions are shifted by {name} in the sequences of the batch",
     "count from the first token of each sequence: padding on the left is no token"},
    {"positions", "index", "positions are the places in the array, 0, 1, 2, ..., not those given",
     "pass position_ids on"},
    {"positions", "zero_based", "positions begin at 0 in each row, not at those given",
     "add the positions that are in the cache"},
    {"positions", "first_row", "every sequence of the batch has the positions of the first",
     "index position_ids by the sequence too"},
    {"positions", "reversed", "positions run backwards", "count from the first token"},
    {"positions", "constant", "every token has position {number}",
     "give each token its own position"},
    {"positions", "one_token", "every token has the position of token {number}",
     "give each token its own position"},
    {"positions", "clamped", "positions from {number} on are those of the last row of a table",
     "make the table longer than {number} rows"},
    {"positions", "wrapped", "positions are taken modulo {number}",
     "make the table longer than {number} rows"},
    {"positions", "restart", "positions begin again at 0 at token {number}",
     "let them run on, or say with --positions that a sequence begins there"},
    {"axes", "one_axis", "every pair turns by position axis {axis}",
     "drive each pair by its own axis (mrope_section)"},
    {"axes", "order", "the position axes are taken in the order {name}",
     "take them in the order of the model"},
    {"axes", "section_order", "the sections of mrope_section are laid out {name}",
     "lay the axes over the pairs as the model does"},
    {"axes", "sections_reversed", "mrope_section is taken in reverse", "take it in its order"},
    {"position_precision", "bf16", "positions are rounded to bf16, which counts to 256",
     "keep position_ids as integers, and arange in float32 or int64"},
    {"position_precision", "f16", "positions are rounded to f16, which counts to 2048",
     "keep position_ids as integers, and arange in float32 or int64"},
    {"position_precision", "f32", "positions are rounded to float32, which counts to 2^24",
     "keep position_ids as integers"},
    {"angle_precision", "bf16_inv_freq", "inv_freq was rounded to bf16",
     "keep the buffer inv_freq in float32 (a cast of the whole model spoils it)"},
    {"angle_precision", "f16_inv_freq", "inv_freq was rounded to f16",
     "keep the buffer inv_freq in float32 (a cast of the whole model spoils it)"},
    {"angle_precision", "e4m3_inv_freq", "inv_freq was rounded to FP8 (e4m3)",
     "keep inv_freq out of what is quantized: compute it in float32"},
    {"angle_precision", "bf16_angle", "positions, inv_freq and angles were rounded to bf16",
     "compute angles in float32, outside autocast"},
    {"angle_precision", "f16_angle", "positions, inv_freq and angles were rounded to f16",
     "compute angles in float32, outside autocast"},
    {"angle_precision", "tf32", "angles are a TF32 product",
     "compute the product outside a matrix product, or with TF32 off"},
    {"angle_precision", "bf16_table", "cos and sin were rounded to bf16",
     "keep cos and sin in float32"},
    {"angle_precision", "f16_table", "cos and sin were rounded to f16",
     "keep cos and sin in float32"},
    {"amplitude", "without_scaling",
     "cos and sin are not multiplied by the attention scaling {expected}",
     "multiply cos and sin by {expected}"},
    {"amplitude", "scaling_twice",
     "cos and sin are multiplied by the attention scaling {expected} twice",
     "multiply by it once: attention_factor is final"},
    {"amplitude", "divided", "it is divided by the attention scaling {expected}",
     "multiply cos and sin by {expected}"},
    {"amplitude", "mscale", "cos and sin have another attention scaling, 0.1 ln(factor) + 1",
     "the attention scaling of the model is {expected}"},
    {"amplitude", "softmax_scale", "it is multiplied by head_dim^-1/2, the softmax scale",
     "no fault if the scores are not scaled again"},
    {"amplitude", "root_softmax_scale", "it is multiplied by head_dim^-1/4",
     "no fault if the keys are too and the scores are not scaled again"},
    {"amplitude", "softmax_scale_log2e", "it is multiplied by head_dim^-1/2 log2(e)",
     "no fault for a softmax by powers of 2"},
    {"amplitude", "pairs", "pairs are multiplied by {found} beside the rotation",
     "cos and sin are to have the amplitude {expected}"},
    {"amplitude", "all", "all channels are multiplied by {found}",
     "look for a scale between the dumps"},
    {"array_layout", "heads_as_tokens", "heads are taken for tokens: head h turned as position h",
     "tell [batch, seq, heads, head_dim] and [batch, heads, seq, head_dim] apart; if only the "
     "dumps are the other way, give --layout (bshd or bhsd)"},
    {"array_layout", "reshaped",
     "[batch, seq, heads, head_dim] was cut as [batch, heads, seq, head_dim]",
     "transpose, do not reshape"},
    {"head_order", "permuted", "heads have another order after than before: {name}",
     "keep the order of the heads"},
    {"row_norm", "each_row", "each head was brought to another length between the dumps",
     "take the dump before the rotation after the norm of q and k"},
};

}  // namespace

std::string in_words(const DumpFinding& finding) {
  return joined_words(kWords, finding.causes, &CauseWords::sentence);
}

std::string in_words(const Observed& observed) {
  std::string text = joined_words(kWords, observed.places, &CauseWords::sentence);
  if (text.empty()) text = "pairs are where they should be";
  text += fmt::format(", amplitude {:.4g}", observed.amplitude);
  for (size_t i = 0; i < observed.pairs.size(); ++i) {
    const Observed::Pair& pair = observed.pairs[i];
    text += fmt::format("{} pair {} turns by {:.4g}", i == 0 ? ";" : ",", pair.pair, pair.inv_freq);
    if (std::abs(pair.inv_freq) < 2 * pair.error)
      text += fmt::format(" (within {:.1g})", pair.error);
    text += fmt::format(" rad a position where {:.4g} is expected", pair.expected);
  }
  return text;
}

std::string what_to_change(const DumpFinding& finding) {
  return joined_words(kWords, finding.causes, &CauseWords::change);
}

std::string in_words(const FoundEncoding& found) {
  const RopeConfig& rope = found.turning.rope;
  const RotaryWindow& in = found.turning.places.in.windows[0];
  const Pairing out = found.turning.places.out.windows[0].pairing;
  std::string text = fmt::format("rope, theta {}, ", number_words(rope.rope_theta));
  if (found.pairs_alone) {
    text += fmt::format("{} pairs", in.dim / 2);
  } else {
    text +=
        fmt::format("{} of {} channels{} {}", in.dim, found.turning.places.in.head_dim,
                    in.offset == 0 ? "" : fmt::format(" from {} on", in.offset), name(in.pairing));
    if (out != in.pairing) text += fmt::format(", written {}", name(out));
  }
  std::vector<Cause> beside = found.causes;
  std::erase_if(beside, [](const Cause& cause) { return cause.hypothesis == "base"; });
  if (beside.empty()) return text;
  return text + "; " + joined_words(kWords, beside, &CauseWords::sentence, "; ");
}

std::string in_words(const RopeConfig& rope) {
  std::string text = fmt::format("rope, theta {}", number_words(rope.rope_theta));
  const RotaryLayout& layout = rope.layout;
  for (const RotaryWindow& window : layout.windows) {
    text += fmt::format(", {} of {} channels{} {}", window.dim, layout.head_dim,
                        window.offset == 0 ? "" : fmt::format(" from {} on", window.offset),
                        name(window.pairing));
  }
  return is_scaled(rope.rope_type) ? text + ", " + rope.rope_type : text;
}

std::string in_words(const FirstWrong& first) {
  std::string positions;
  for (const int64_t p : first.positions)
    positions += (positions.empty() ? "" : ", ") + fmt::to_string(p);
  const std::string where = fmt::format(
      "{}token {} (position {})", first.batch == 0 ? "" : fmt::format("sequence {}, ", first.batch),
      first.token, positions);
  if (first.pair < 0) return where + ": a channel that does not turn was changed";
  if (first.from_zero) return fmt::format("{}, pair {}: 0 before, not 0 after", where, first.pair);
  const auto words = [&](double expected, double found, std::string_view unit) {
    return fmt::format("{}, pair {}: expected {:.4g}{}, found {:.4g}", where, first.pair, expected,
                       unit, found);
  };
  constexpr double kAlike = 1e-4;
  if (std::abs(std::remainder(first.expected_angle - first.found_angle, 2 * std::numbers::pi)) >
      kAlike) {
    return words(first.expected_angle, first.found_angle, " rad");
  }
  if (std::abs(first.expected_amplitude - first.found_amplitude) >
      kAlike * first.expected_amplitude) {
    return words(first.expected_amplitude, first.found_amplitude, " times the length");
  }
  return fmt::format("{}, pair {}: {:.4g} rad, as expected, but not the same in each head", where,
                     first.pair, first.found_angle);
}

std::string in_words(const AnglePrecision& precision) {
  const char* whose = precision.mode == AngleMode::ggml_float32
                          ? "float32, multiplied pair by pair as in llama.cpp"
                          : "float32 products, as in transformers";
  return fmt::format("angles are {}: {:.2g} rad off at position {}", whose, precision.largest,
                     precision.position);
}

std::string ulp_words(double ulp) { return fmt::format("{:.2g}", ulp); }

}  // namespace ropewalk
