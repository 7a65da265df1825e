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
  rotary,       // by the lines of the row
  alibi,        // the scores get a bias: .alibi
  sinusoidal,   // a table is added to the input: .sinusoidal
  none,         // its other layers know the order by themselves
  learned,      // a table, weights of the checkpoint, is added to the input: .learned
  buckets,      // the scores get learned numbers for buckets of distances: .buckets
  relative,     // the scores get learned terms of distances: .relative
  convolution,  // a convolution over the tokens is added to the input: .convolution
  features,     // features of places are added where the code wants them: .features
  other,        // refused, for the reason that .remark gives
};

// The row holds for some files of the type only, by a key.
struct OnlyIf {
  std::string_view key = {};    // "": for all. It may be in an object: "attn_config/alibi"
  std::string_view value = {};  // of a text; "": the key is a switch, and must be true
  bool without = false;         // whether a switch is on where the key is absent
  // In other files: nothing turns; the row's terms of distances count; or they are refused in these
  // words. Else the row's learned table counts.
  bool else_none = false;
  bool else_relative = false;
  std::string_view refusal = {};
  // A switch beside the key that may not be on, and why.
  std::string_view never = {}, never_why = {};
};

struct AlibiRule {
  AlibiForm form = AlibiForm::relative;
  NumberKey max_bias = {{}, 8};
};

// The row of a table that position 0 takes; after_padding: pad_token_id + 1.
enum class FirstRow : int64_t { zero, one, two, after_padding };

// A table of sines and cosines, and which of its rows token 0 takes.
struct SinusoidalRule {
  std::string_view part = "input";  // to which it is added
  SinusoidalLayout layout = SinusoidalLayout::sin_cos;
  FirstRow first = FirstRow::zero;
};

// A learned table, added to the input. A row may have it beside what its layers do.
struct LearnedRule {
  std::string_view tensor = {};  // how its name ends in the checkpoint; "": there is no table
  std::string_view part = "input";
  SwitchKey on = {{}, true};  // a key that may leave it out
  FirstRow first = FirstRow::zero;
  bool beside = false;  // rows before the first are there beside max_positions (OPT, BART)
  std::string_view width_key = {};     // in place of hidden_size ...
  int64_t width = 0;                   // ... and what holds without it; 0: hidden_size
  IntegerKey rows = {}, columns = {};  // a grid that keys state; without columns rows alone count
  int64_t tables = 1;                  // as LearnedConfig has it
  Resampling resampling = Resampling::none;
  // Rows of a picture instead: (image / patch)^2 + more. image 0: of max_positions, and where there
  // are none either, ropewalk does not derive how many.
  struct Picture {
    std::string_view image_key = "image_size", patch_key = "patch_size";
    int64_t image = 0, patch = 1, more = 0;
    int64_t image_width = 0;  // where a picture is no square
  } picture = {};
};

// T5's buckets of distances.
struct BucketRule {
  IntegerKey buckets = {"relative_attention_num_buckets", 32};
  IntegerKey max_distance = {"relative_attention_max_distance", 128};
  bool bidirectional = true;
  bool has_decoder = false;  // with a table of its own, which sees keys before the query only
};

// Learned terms of distances. A key of 0 or less and no value: no bound, no buckets.
struct RelativeRule {
  RelativeForm form = RelativeForm::shaw;
  IntegerKey max_distance = {}, buckets = {};
};

struct ConvolutionRule {
  IntegerKey kernel = {"num_conv_pos_embeddings", 128};
  IntegerKey groups = {"num_conv_pos_embedding_groups", 16};
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
