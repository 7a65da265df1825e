#include "ropewalk/models/resolve_rotation.h"

#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/dialects/notes.h"
#include "ropewalk/dialects/transformers.h"
#include "ropewalk/models/check_scaling.h"
#include "ropewalk/models/rope_keys.h"
#include "ropewalk/spectrum/scaling_traits.h"

namespace ropewalk {
namespace {

// Facts about one kind bear its name.
void note(const KindToResolve& to, std::string_view field, std::string value, std::string source) {
  ropewalk::note(
      to.model,
      to.kind.name.empty() ? std::string(field) : fmt::format("{} {}", to.kind.name, field),
      std::move(value), std::move(source));
}

// What an error about the whole rotation names.
std::string place_of(const KindToResolve& to) {
  const StatedRope& rope = to.own.rope;
  if (!rope.place.empty()) return rope.place;
  return rope.rope_theta ? rope.rope_theta.source : to.stated.label + ": /model_type";
}

std::optional<RopeKeys> keys_of(const KindToResolve& to) {
  if (to.defaults.fixed_theta) {
    const double theta = to.type.rope_theta;
    note(to, "rope_theta", fmt::to_string(theta),
         fmt::format("family: written into the code of {}, no key is read", to.type.name));
    return RopeKeys{.rope_theta = theta};
  }
  RopeRule rule = rope_rule(to.type, to.kind);
  rule.rope_theta = {to.defaults.theta_of(to.kind), to.defaults.reason};
  rule.default_rope = to.defaults.rope;
  rule.max_positions = to.model.max_positions;
  return resolve_rope(to.own.rope, rule, to.model);
}

int64_t even(const std::string& source, int64_t dim, int64_t head_dim) {
  if (dim >= 2 && dim % 2 == 0 && dim <= head_dim) return dim;
  refuse(
      ErrorCode::unsupported, source,
      fmt::format("expected an even number of rotated channels in 2..{}, found {}", head_dim, dim));
}

double fraction_of(const KindToResolve& to, const RopeKeys& keys) {
  const bool whole = to.type.fraction == Fraction::whole_head;
  const double fraction =
      keys.partial_rotary_factor.value_or(whole ? 1 : to.defaults.fraction_of(to.kind));
  note(to, "partial_rotary_factor", fmt::to_string(fraction),
       keys.partial_rotary_factor ? keys.fraction_source : to.defaults.reason);
  return fraction;
}

// The whole head is the window; the scaling lets the slow pairs of it stand still.
int64_t proportional_dim(const KindToResolve& to, RopeKeys& keys, int64_t head_dim) {
  const double fraction = fraction_of(to, keys);
  keys.parameters["partial_rotary_factor"] = fraction;
  note(to, "rotary_dim", fmt::to_string(head_dim),
       fmt::format("family: the whole head, of which {} channels turn",
                   2 * static_cast<int64_t>(fraction * static_cast<double>(head_dim) / 2)));
  return head_dim;
}

// transformers makes a speed for each two channels, the last one included, with exponents 2 i / dim
// of the odd number, and turns as many pairs as there are speeds. The base to the power of
// (dim + 1) / dim gives the even number the same speeds.
void round_up(const KindToResolve& to, RopeKeys& keys, int64_t& dim) {
  const auto odd = static_cast<double>(dim);
  keys.rope_theta = std::pow(keys.rope_theta, (odd + 1) / odd);
  note(to, "rope_theta", fmt::to_string(keys.rope_theta),
       fmt::format("derived: rope_theta^({0}/{1}), which gives {0} channels the speeds of {1}",
                   dim + 1, dim));
  ++dim;
}

// The channels that turn, of a head of `head_dim`.
int64_t rotary_dim(const KindToResolve& to, RopeKeys& keys, int64_t head_dim) {
  const Said<int64_t>& said = to.own.rotary_dim;
  if (said || to.defaults.rotary_dim > 0) {
    const int64_t dim = even(said.source, said.value_or(to.defaults.rotary_dim), head_dim);
    note(to, "rotary_dim", fmt::to_string(dim), said ? said.source : to.defaults.reason);
    return dim;
  }
  if (reads_parameter(keys.rope_type, "partial_rotary_factor")) {
    return proportional_dim(to, keys, head_dim);
  }
  if (to.type.fraction == Fraction::whole_head) {
    if (keys.partial_rotary_factor && *keys.partial_rotary_factor != 1) {
      warn(to.model,
           fmt::format("partial_rotary_factor is {}, but the code of the {} family rotates the "
                       "whole head",
                       *keys.partial_rotary_factor, to.defaults.code_name));
    }
    note(to, "rotary_dim", fmt::to_string(head_dim), "family: the whole head");
    return head_dim;
  }
  const double fraction = fraction_of(to, keys);
  auto dim = static_cast<int64_t>(static_cast<double>(head_dim) * fraction);
  if (to.type.rounds_odd_up && dim % 2 == 1 && dim < head_dim) round_up(to, keys, dim);
  const std::string source = keys.partial_rotary_factor
                                 ? keys.fraction_source
                                 : to.stated.label + ": /partial_rotary_factor";
  note(to, "rotary_dim", fmt::to_string(even(source, dim, head_dim)),
       "derived: int(head_dim * partial_rotary_factor)");
  return dim;
}

RotaryLayout layout(int64_t head_dim, int64_t offset, int64_t dim, Pairing pairing) {
  return {head_dim, {{offset, dim, pairing}}};
}

void set_latent_layout(const KindToResolve& to, RopeConfig& rope, int64_t head_dim) {
  Pairing pairing = to.defaults.pairing;
  bool moves = to.defaults.writes_half_split;
  std::string source = to.defaults.code;
  if (to.defaults.key_decides) {
    const Said<bool>& said = to.stated.latent.interleaved;
    const bool interleaved = said.value_or(true);
    note(to, "rope_interleave", interleaved ? "true" : "false",
         said ? said.source : to.defaults.reason);
    pairing = interleaved ? Pairing::interleaved : Pairing::half_split;
    moves = moves && interleaved;
    source = "derived: rope_interleave";
  }
  const int64_t offset = head_dim - rope.rotary_dim;
  rope.layout = layout(head_dim, offset, rope.rotary_dim, pairing);
  note(to, "pairing", std::string(name(pairing)), source);
  if (moves) {
    rope.output_layout = layout(head_dim, offset, rope.rotary_dim, Pairing::half_split);
    note(to, "pairing written", "half_split", "family: apply_rotary_pos_emb_interleave");
  }
}

void set_channels(const KindToResolve& to, RopeKeys& keys, RopeConfig& rope, int64_t head_dim) {
  if (to.type.latent.rope_dim > 0) {
    rope.rotary_dim = to.stated.latent.rope_dim.value_or(to.type.latent.rope_dim);
    note(to, "rotary_dim", fmt::to_string(rope.rotary_dim), "family: the last channels");
    return set_latent_layout(to, rope, head_dim);
  }
  const Pairing pairing = to.defaults.pairing;
  rope.rotary_dim = rotary_dim(to, keys, head_dim);
  rope.layout = layout(head_dim, 0, rope.rotary_dim, pairing);
  note(to, "pairing", std::string(name(pairing)),
       fmt::format("family: {} in the code of {}",
                   pairing == Pairing::half_split ? "rotate_half" : "pairs of neighbours",
                   to.defaults.code_name));
}

void check_sections(const KindToResolve& to, const RopeConfig& rope) {
  const int64_t axes = to.type.multi_axis.axes;
  const int64_t pairs =
      std::accumulate(rope.mrope_section.begin(), rope.mrope_section.end(), int64_t{0});
  if (std::ssize(rope.mrope_section) == axes && pairs == rope.rotary_dim / 2) return;
  refuse(ErrorCode::malformed, place_of(to),
         fmt::format("expected a mrope_section of {} numbers whose sum is the {} pairs, found {} "
                     "whose sum is {}",
                     axes, rope.rotary_dim / 2, rope.mrope_section.size(), pairs));
}

void set_axes(const KindToResolve& to, const RopeKeys& keys, RopeConfig& rope) {
  const MultiAxis& rule = to.type.multi_axis;
  if (rule.axes == 0) return;
  rope.position_axes = rule.axes;
  rope.mrope_section = keys.mrope_section;
  if (rope.mrope_section.empty()) {
    rope.mrope_section.assign(rule.section, rule.section + rule.axes);
    if (rule.section[0] == 0) {
      refuse(
          ErrorCode::malformed, place_of(to),
          "expected a mrope_section, the pairs of each axis of the positions; found no such key");
    }
    note(to, "mrope_section", fmt::format("{}", fmt::join(rope.mrope_section, " ")),
         to.defaults.reason);
  }
  check_sections(to, rope);
  rope.mrope_order = rule.order;
  const std::optional<bool>& interleaved = keys.mrope_interleaved;
  if (rule.key_decides && interleaved) {
    rope.mrope_order = *interleaved ? MropeOrder::interleaved : MropeOrder::contiguous;
  } else if (interleaved && *interleaved == (rule.order == MropeOrder::contiguous)) {
    warn(to.model, fmt::format("mrope_interleaved is {}, but the code of {} does not read it: its "
                               "axes are {}",
                               *interleaved, to.defaults.code_name, name(rule.order)));
  }
  note(to, "mrope_order", std::string(name(rope.mrope_order)), to.defaults.code);
}

int64_t head_dim_of_kind(const KindToResolve& to) {
  if (!to.own.head_dim && to.kind.head_dim_key.empty()) return to.model.head_dim;
  // Of the first layer of the kind that the file names by its number.
  const auto single = to.stated.layers.head_dim.find(to.first_layer);
  const Said<int64_t>& said =
      single != to.stated.layers.head_dim.end() ? single->second : to.own.head_dim;
  const bool own = to.defaults.kinds == Defaults::Kinds::have_their_own;
  if (!said && !own) return to.model.head_dim;
  const int64_t dim = said.value_or(to.kind.head_dim);
  note(to, "head_dim", fmt::to_string(dim), said ? said.source : to.defaults.reason);
  return dim;
}

// Mistral's temperature, a part of the rope block.
std::optional<QueryScale> query_scale(const KindToResolve& to, const RopeKeys& keys) {
  if (!keys.query_beta) return std::nullopt;
  const auto original = keys.parameters.find("original_max_position_embeddings");
  const double length = keys.query_length                   ? *keys.query_length
                        : original != keys.parameters.end() ? original->second
                                                            : 0;
  if (!(length >= 1 && length <= 0x1p53)) {
    refuse(ErrorCode::malformed, place_of(to),
           fmt::format("expected an original_max_position_embeddings of at least 1 beside {}, "
                       "found {}",
                       keys.query_beta.key, length));
  }
  return QueryScale{QueryScale::Rule::log_floor, *keys.query_beta, static_cast<int64_t>(length), 0};
}

}  // namespace

Rotation resolve_rotation(const KindToResolve& to) {
  if (!to.kind.rotates) {
    note(to, "encoding", "none", to.defaults.code);
    return {NoEncoding{}};
  }
  std::optional<RopeKeys> keys = keys_of(to);
  if (!keys) return {NoEncoding{}};
  const int64_t head_dim = head_dim_of_kind(to);
  RopeConfig rope;
  rope.rope_type = keys->rope_type;
  rope.lists = keys->lists;
  rope.reversed = to.type.reversed;
  if (rope.reversed) note(to, "direction", "reversed", "family: rotate_half has the other sign");
  set_channels(to, *keys, rope, head_dim);
  rope.rope_theta = keys->rope_theta;
  rope.parameters = keys->parameters;
  set_axes(to, *keys, rope);
  check_scaling(place_of(to), rope);
  return {rope, query_scale(to, *keys)};
}

}  // namespace ropewalk
