#include "ropewalk/diagnose/stored_frequencies.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string_view>
#include <utility>

#include "ropewalk/base/tensor.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/formats/checkpoint.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

constexpr std::string_view kName = "inv_freq";

// The layer that a name tells, "model.layers.3.self_attn.rotary_emb.inv_freq", else the first that
// rotates.
const RopeConfig* rope_of(const ModelEncoding& model, std::string_view name) {
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    size_t layer = 0;
    const auto [stop, error] = std::from_chars(name.data() + begin, name.data() + end, layer);
    if (error == std::errc{} && stop == name.data() + end) {
      return layer < model.layers.size() ? std::get_if<RopeConfig>(&model.layers[layer].positions)
                                         : nullptr;
    }
    begin = end + 1;
  }
  for (const PositionEncoding& encoding : layer_positions(model)) {
    if (const auto* rope = std::get_if<RopeConfig>(&encoding)) return rope;
  }
  return nullptr;
}

// Relative: half a step of a 16-bit type and what float32 powers may be off.
double rounding(DType dtype) {
  if (dtype == DType::bf16) return 0x1p-8;
  return dtype == DType::f16 ? 0x1p-10 : 0x1p-21;
}

// The first pair that is not as expected; f16 keeps no number finely below 2^-14.
std::optional<size_t> first_difference(const std::vector<double>& stored, DType dtype,
                                       const std::vector<double>& expected) {
  for (size_t i = 0; i < stored.size(); ++i) {
    const double wanted = std::abs(expected[i]);
    const double slack = rounding(dtype) * wanted + (dtype == DType::f16 ? 0x1p-24 : 0);
    if (!(std::abs(stored[i] - wanted) <= slack)) return i;
  }
  return std::nullopt;
}

// Of pictures or sound, which the config of the text says nothing about.
bool of_a_tower(std::string_view name) {
  for (const std::string_view part : {"visual", "vision", "audio"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor wide = converted(tensor.view(), DType::f64);
  std::vector<double> numbers(wide.bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), wide.bytes.data(), wide.bytes.size());
  return numbers;
}

// The pair that is farthest off, of frequencies that are right but for their rounding.
std::optional<StoredFrequencies> rounding_fault(const std::vector<double>& stored,
                                                const std::vector<double>& expected, DType dtype,
                                                int64_t positions) {
  if (dtype != DType::bf16 && dtype != DType::f16) return std::nullopt;
  StoredFrequencies fault{.dtype = dtype, .fault = StoredFrequencies::Fault::rounded};
  fault.positions = positions;
  double most = 0;
  for (size_t i = 0; i < stored.size(); ++i) {
    const double wanted = std::abs(expected[i]), off = std::abs(stored[i] - wanted);
    if (off <= most) continue;
    most = off;
    fault.pair = i;
    fault.stored = stored[i];
    fault.expected = wanted;
  }
  if (most == 0) return std::nullopt;
  fault.phase_error = std::min(most * static_cast<double>(positions - 1), std::numbers::pi);
  return fault;
}

}  // namespace

std::string_view name(StoredFrequencies::Fault fault) {
  switch (fault) {
    case StoredFrequencies::Fault::differs:
      return "differs";
    case StoredFrequencies::Fault::other_count:
      return "other_count";
    case StoredFrequencies::Fault::no_rotation:
      return "no_rotation";
    case StoredFrequencies::Fault::rounded:
      return "rounded";
  }
  return "";
}

std::optional<StoredFrequencies> check_frequencies(const RopeConfig& rope,
                                                   const std::vector<double>& stored, DType dtype,
                                                   int64_t positions) {
  using Fault = StoredFrequencies::Fault;
  const std::vector<double> expected = make_spectrum(rope).inv_freq;
  // Axes that have all frequencies share one list.
  const size_t shared = expected.size() / static_cast<size_t>(rope.position_axes);
  if (stored.size() != expected.size() && stored.size() != shared) {
    return StoredFrequencies{.dtype = dtype,
                             .fault = Fault::other_count,
                             .count = stored.size(),
                             .expected_count = expected.size()};
  }
  const auto at = first_difference(stored, dtype, expected);
  if (!at) return rounding_fault(stored, expected, dtype, positions);
  const std::vector<double> plain = make_spectrum(without_scaling(rope)).inv_freq;
  if (!first_difference(stored, dtype, plain)) {
    return rounding_fault(stored, plain, dtype, positions);
  }
  return StoredFrequencies{.dtype = dtype,
                           .fault = Fault::differs,
                           .pair = *at,
                           .stored = stored[*at],
                           .expected = std::abs(expected[*at])};
}

std::vector<StoredFrequencies> check_stored_frequencies(const ModelEncoding& model,
                                                        const std::filesystem::path& path) {
  constexpr int64_t kUnknownContext = 4096;
  const int64_t positions = model.max_positions > 0 ? model.max_positions : kUnknownContext;
  std::vector<StoredFrequencies> faults;
  const Checkpoint checkpoint(path);
  for (const auto& [name, file] : checkpoint.tensors()) {
    if (!name.ends_with(kName) || of_a_tower(name)) continue;
    const RopeConfig* rope = rope_of(model, name);
    std::optional<StoredFrequencies> fault;
    if (rope == nullptr) {
      fault = StoredFrequencies{.fault = StoredFrequencies::Fault::no_rotation};
    } else {
      const Tensor tensor = checkpoint.read(name);
      fault = check_frequencies(*rope, numbers_of(tensor), tensor.dtype, positions);
    }
    if (!fault) continue;
    fault->file = checkpoint.files()[file];
    fault->tensor = name;
    faults.push_back(std::move(*fault));
  }
  return faults;
}

}  // namespace ropewalk
