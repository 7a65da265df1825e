#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ropewalk/base/dtype.h"
#include "ropewalk/diagnose/dumps/position_table.h"
#include "ropewalk/encoding/encodings.h"
#include "ropewalk/encoding/spectrum.h"
#include "ropewalk/tables/angle_mode.h"
#include "ropewalk/tables/float_angles.h"

namespace ropewalk {

// Which rows of a dump [batch, seq, heads, head_dim] were turned by one position.
enum class RowGrouping {
  tokens,    // those of one token
  heads,     // those of one head: [batch, heads, seq, head_dim] was taken for it
  reshaped,  // the same memory cut as [batch, heads, seq, head_dim]: row (s, h) is number s H + h,
             // and takes the position of token (s H + h) mod S
};

// Where a rotation reads and writes in the rows: what decides which numbers belong together,
// whatever the angles are.
struct TurnedPlaces {
  RotaryLayout in, out;
  RowGrouping grouping = RowGrouping::tokens;
  std::vector<int32_t> heads = {};  // row h of `after` comes from row heads[h]; empty: from row h
  bool unit_rows = false;           // each row was brought to another length

  bool operator==(const TurnedPlaces&) const = default;
};

// How the two numbers (a, b) of a pair become (a', b') by its cos and sin.
enum class SinForm {
  rotation,       // a cos - b sin, b cos + a sin
  no_minus,       // a cos + b sin, b cos + a sin: rotate_half without its minus
  both_minus,     // a cos - b sin, b cos - a sin
  not_exchanged,  // a cos + a sin, b cos + b sin: x sin in the place of rotate_half(x) sin
  in_place,       // a' = a cos - b sin, b cos + a' sin: a was overwritten too early
  other_columns,  // each channel by the angle of its column in a table of the other form: doubled
                  // rows for pairs of neighbours, interleaved rows for halves
};

// What a program did to q or k, as far as dumps can show it: pair i of a token at position p was
// multiplied by
//   amplitude attention_scaling^scaling_power e^(i times p inv_freq_i)
struct Turning {
  RopeConfig rope;      // base, scaling, axes
  int64_t seq_len = 0;  // that the scaling took
  TurnedPlaces places;
  PositionChange positions;
  double times = 1;  // -1: the other way, 2: twice, 0: not at all
  int scaling_power = 1;
  double amplitude = 1;
  bool exchanged = false;  // sin where cos belongs, and cos where sin does
  SinForm form = SinForm::rotation;
  std::shared_ptr<const Turning> sin_of = {};  // whose table sin is taken of; null: the same
  bool scales_all = false;  // the amplitude is also that of channels that do not turn
  AngleMode mode = AngleMode::exact;
  DType table_dtype = DType::f64;     // in which cos and sin were kept; f64: as exact as they are
  std::vector<double> inv_freq = {};  // in the place of the config's; empty: those of `rope`
};

// Whether the same numbers belong together in the same way.
bool same_places(const Turning& a, const Turning& b);

// As a model's config says. Throws as make_spectrum.
Turning turning_of(const RopeConfig& rope, int64_t seq_len);

// Spectra that were made, so that a search makes each once.
class SpectrumCache {
 public:
  // Throws as make_spectrum.
  const Spectrum& of(const RopeConfig& rope, int64_t seq_len);

 private:
  struct Entry {
    RopeConfig rope;
    int64_t seq_len;
    Spectrum spectrum;
  };
  std::unordered_multimap<size_t, std::unique_ptr<Entry>> entries_;
};

// What pairs are multiplied by.
class Multipliers {
 public:
  // Throws as make_spectrum and prepare_angles. `positions` are those that the program was given.
  Multipliers(const Turning& turning, const PositionTable& positions, SpectrumCache& cache);

  size_t pairs() const { return inv_freq_.size(); }
  const std::vector<double>& inv_freq() const { return inv_freq_; }
  // |multiplier|, and what channels beside the pairs are multiplied by.
  double amplitude() const { return amplitude_ * scaling_; }
  double outside_amplitude() const { return outside_; }
  bool float_angles() const { return floats_.has_value(); }
  // Whether frequencies are more than powers: programs round them differently.
  bool scaled() const { return scaled_; }

  // Positions of the token s of row b, one for each axis; of the head s where heads were turned by
  // their number.
  void positions_of(int64_t b, int64_t s, std::vector<int64_t>& positions) const;
  // Of all pairs there; `angles` too, before they are brought into one turn.
  void write(int64_t b, int64_t s, std::vector<std::complex<double>>& multipliers,
             std::vector<double>& angles) const;

 private:
  PositionTable positions_;
  std::vector<double> inv_freq_;
  std::vector<int32_t> axis_;
  double amplitude_ = 1, scaling_ = 1, outside_ = 1, times_ = 1;
  DType table_dtype_ = DType::f64;
  bool by_heads_ = false, exchanged_ = false, scaled_ = false;
  std::shared_ptr<const Multipliers> sin_;  // where sin is of another table
  std::optional<FloatAngles> floats_;
};

}  // namespace ropewalk
