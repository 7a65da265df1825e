#pragma once

#include <cstdint>
#include <string_view>

#include "ropewalk/base/dtype.h"
#include "ropewalk/conventions/attention_rule.h"
#include "ropewalk/encoding/terms.h"

namespace ropewalk {

// How the code of a model type knows positions, beside the rotation that its row describes. Plain
// data.

enum class Positions {
  rotary,      // by the lines of the row
  alibi,       // the scores get a bias: .alibi
  sinusoidal,  // a table is added to the input: .sinusoidal
  none,        // its other layers know the order by themselves
  learned,     // weights of the checkpoint: refused
  other,       // refused, for the reason that .remark gives
};

// The row holds for some files of the type only, by a key.
struct OnlyIf {
  std::string_view key = {};      // "": for all. It may be in an object: "attn_config/alibi"
  std::string_view value = {};    // of a text; "": the key is a switch, and must be true
  bool without = false;           // whether a switch is on where the key is absent
  bool else_none = false;         // in other files nothing turns; if not, they are refused
  std::string_view refusal = {};  // in these words, or else as learned
};

struct AlibiRule {
  AlibiForm form = AlibiForm::relative;
  NumberKey max_bias = {{}, 8};
};

// A table of sines and cosines, and which of its rows token 0 takes.
struct SinusoidalRule {
  std::string_view part = "input";  // to which it is added
  SinusoidalLayout layout = SinusoidalLayout::sin_cos;
  enum class First { zero, two, after_padding } first = First::zero;
};

// Which channels of a head each axis of the positions turns, with frequencies of its own: models of
// diffusion.
struct AxesRule {
  enum class Dims {
    listed,         // `dims`
    thirds,         // the second and third 2 floor(head_dim/6) each, the first what is left
    quarter_first,  // a quarter, three eighths, three eighths
    halves,
    first_half,  // one axis
  };
  Dims of_head = Dims::listed;
  std::string_view dims_key = {};   // states them
  int64_t dims[4] = {0, 0, 0, 0};   // 0: no such axis
  std::string_view theta_key = {};  // empty: the base is written into the code
  DType dtype = DType::f64;         // in which the frequencies are computed
  MropeOrder order = MropeOrder::contiguous;
  std::string_view axes_in_words = "frame, row, column";
};

}  // namespace ropewalk
