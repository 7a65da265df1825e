#include "ropewalk/diagnose/dumps/turning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "ropewalk/base/half.h"
#include "ropewalk/spectrum/scaling_traits.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

size_t mixed(size_t hash, size_t value) {
  return hash ^ (value + 0x9E3779B97F4A7C15ULL + (hash << 6) + (hash >> 2));
}

// Of what scalings change; equality decides.
size_t hash_of(const RopeConfig& rope, int64_t seq_len) {
  size_t hash = std::hash<std::string>{}(rope.rope_type);
  const auto add = [&](double value) { hash = mixed(hash, std::bit_cast<uint64_t>(value)); };
  add(rope.rope_theta);
  add(static_cast<double>(rope.rotary_dim));
  add(static_cast<double>(seq_len));
  for (const auto& [key, value] : rope.parameters) add(value);
  for (const auto& [key, values] : rope.lists) {
    for (const double value : values) add(value);
  }
  return hash;
}

double rounded_to(double value, DType dtype) {
  const auto narrow = static_cast<float>(value);
  if (dtype == DType::bf16) return float_from_bf16(bf16_from_float(narrow));
  if (dtype == DType::f16) return float_from_f16(f16_from_float(narrow));
  return dtype == DType::f32 ? narrow : value;
}

}  // namespace

Turning turning_of(const RopeConfig& rope, int64_t seq_len) {
  return {.rope = rope,
          .seq_len = seq_len,
          .places = {.in = rope.layout, .out = rope.output_layout.value_or(rope.layout)}};
}

bool same_places(const Turning& a, const Turning& b) {
  return a.places == b.places && a.form == b.form;
}

const Spectrum& SpectrumCache::of(const RopeConfig& rope, int64_t seq_len) {
  const size_t hash = hash_of(rope, seq_len);
  const auto [first, last] = entries_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    const Entry& entry = *each->second;
    if (entry.seq_len == seq_len && entry.rope == rope) return entry.spectrum;
  }
  auto entry = std::make_unique<Entry>(Entry{rope, seq_len, make_spectrum(rope, seq_len)});
  return entries_.emplace(hash, std::move(entry))->second->spectrum;
}

Multipliers::Multipliers(const Turning& turning, const PositionTable& positions,
                         SpectrumCache& cache)
    : positions_(changed(positions, turning.positions)),
      amplitude_(turning.amplitude),
      times_(turning.times),
      table_dtype_(turning.table_dtype),
      by_heads_(turning.places.grouping == RowGrouping::heads),
      exchanged_(turning.exchanged),
      scaled_(is_scaled(turning.rope.rope_type) || !turning.rope.lists.empty()) {
  const Spectrum& spectrum = cache.of(turning.rope, turning.seq_len);
  inv_freq_ = turning.inv_freq.empty() ? spectrum.inv_freq : turning.inv_freq;
  axis_ = spectrum.axis;
  axis_.resize(inv_freq_.size(), 0);
  scaling_ = std::pow(spectrum.attention_scaling, turning.scaling_power);
  if (turning.scales_all) outside_ = turning.amplitude;
  if (turning.sin_of) sin_ = std::make_shared<const Multipliers>(*turning.sin_of, positions, cache);
  if (turning.mode == AngleMode::exact || turning.mode == AngleMode::ideal) return;
  floats_ = prepare_angles(turning.rope, turning.mode, turning.seq_len);
  if (!turning.inv_freq.empty() && turning.mode != AngleMode::ggml_float32) {
    floats_->inv_freq.assign(turning.inv_freq.begin(), turning.inv_freq.end());
    floats_->axis = axis_;
  }
}

void Multipliers::positions_of(int64_t b, int64_t s, std::vector<int64_t>& positions) const {
  positions.resize(static_cast<size_t>(std::max<int64_t>(positions_.axes, 1)));
  for (size_t axis = 0; axis < positions.size(); ++axis) {
    // Heads beyond the last token have no position that was given.
    const bool given = !by_heads_ || s < positions_.length;
    positions[axis] = given ? positions_.at(static_cast<int64_t>(axis), b, s) : s;
  }
}

void Multipliers::write(int64_t b, int64_t s, std::vector<std::complex<double>>& multipliers,
                        std::vector<double>& angles) const {
  std::vector<int64_t> positions;
  positions_of(b, s, positions);
  if (positions.size() == 1) positions.resize(16, positions[0]);  // one list serves every axis
  multipliers.resize(inv_freq_.size());
  angles.resize(inv_freq_.size());
  if (floats_) {
    std::vector<float> narrow(inv_freq_.size());
    write_angles(*floats_, positions.data(), narrow);
    std::copy(narrow.begin(), narrow.end(), angles.begin());
  } else {
    for (size_t i = 0; i < angles.size(); ++i) {
      angles[i] = inv_freq_[i] * static_cast<double>(positions[static_cast<size_t>(axis_[i])]);
    }
  }
  for (size_t i = 0; i < angles.size(); ++i) {
    angles[i] *= times_;
    double cos = std::cos(angles[i]) * scaling_, sin = std::sin(angles[i]) * scaling_;
    if (table_dtype_ != DType::f64) {
      cos = rounded_to(cos, table_dtype_);
      sin = rounded_to(sin, table_dtype_);
    }
    if (exchanged_) std::swap(cos, sin);
    multipliers[i] = amplitude_ * std::complex(cos, sin);
  }
  if (!sin_) return;
  std::vector<std::complex<double>> others;
  std::vector<double> their_angles;
  sin_->write(b, s, others, their_angles);
  for (size_t i = 0; i < std::min(multipliers.size(), others.size()); ++i) {
    multipliers[i].imag(others[i].imag());
    if (std::abs(their_angles[i]) > std::abs(angles[i])) angles[i] = their_angles[i];
  }
}

}  // namespace ropewalk
