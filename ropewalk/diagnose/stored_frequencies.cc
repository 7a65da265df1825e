#include "ropewalk/diagnose/stored_frequencies.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/checkpoint.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

constexpr std::string_view kName = "inv_freq";

// The checkpoint that may keep frequencies; an index without their name has none.
std::optional<std::filesystem::path> checkpoint_of(const std::filesystem::path& path) {
  const std::filesystem::path folder =
      std::filesystem::is_directory(path) ? path : path.parent_path();
  if (std::filesystem::exists(folder / "model.safetensors")) return folder / "model.safetensors";
  const std::filesystem::path index = folder / "model.safetensors.index.json";
  if (!std::filesystem::exists(index)) return std::nullopt;
  if (read_text(index, 64 << 20).find(kName) == std::string::npos) return std::nullopt;
  return index;
}

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

RopeConfig without_scaling(RopeConfig rope) {
  rope.rope_type = "default";
  rope.parameters.clear();
  rope.lists.clear();
  return rope;
}

std::optional<std::string> difference(const RopeConfig& rope, const Tensor& tensor) {
  const std::vector<double> stored = numbers_of(tensor);
  const std::vector<double> expected = make_spectrum(rope).inv_freq;
  // Axes that have all frequencies share one list.
  const size_t shared = expected.size() / static_cast<size_t>(rope.position_axes);
  if (stored.size() != expected.size() && stored.size() != shared) {
    return fmt::format("has {} frequencies, but the config gives {}", stored.size(),
                       expected.size());
  }
  const auto at = first_difference(stored, tensor.dtype, expected);
  if (!at || !first_difference(stored, tensor.dtype, make_spectrum(without_scaling(rope)).inv_freq))
    return std::nullopt;
  return fmt::format("pair {} has {:.9g}, but the config gives {:.9g}", *at, stored[*at],
                     std::abs(expected[*at]));
}

}  // namespace

StoredFrequencies check_stored_frequencies(const ModelEncoding& model, const std::string& path) {
  StoredFrequencies found;
  if (!std::filesystem::exists(path)) return found;  // a preset
  try {
    const auto where = checkpoint_of(path);
    if (!where) return found;
    const Checkpoint checkpoint(*where);
    for (const auto& [name, file] : checkpoint.tensors()) {
      if (!name.ends_with(kName) || of_a_tower(name)) continue;
      const RopeConfig* rope = rope_of(model, name);
      const auto what = rope == nullptr
                            ? std::optional<std::string>("is of a layer that does not rotate")
                            : difference(*rope, checkpoint.read(name));
      if (!what) continue;
      found.differences.push_back(fmt::format("{}: tensor \"{}\" {}",
                                              escaped(checkpoint.files()[file].string()),
                                              escaped(name), *what));
    }
  } catch (const Error& error) {
    found.unread = error.what();
  }
  return found;
}

}  // namespace ropewalk
