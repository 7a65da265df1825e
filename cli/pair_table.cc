#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/findings.h"
#include "cli/output.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

using nlohmann::ordered_json;

// The spectra of the first of the layers that turn otherwise.
struct BothSpectra {
  int64_t layer;
  Spectrum a, b;
  size_t pairs() const { return std::max(a.inv_freq.size(), b.inv_freq.size()); }
};

BothSpectra spectra_of(const RotationDifference& rotation, const ModelEncoding& a,
                       const ModelEncoding& b, int64_t seq_len) {
  const auto layer = static_cast<int64_t>(rotation.layers.front());
  return {layer, make_spectrum(rope_at(a, layer), seq_len),
          make_spectrum(rope_at(b, layer), seq_len)};
}

std::string frequency(const Spectrum& spectrum, size_t pair) {
  return pair < spectrum.inv_freq.size() ? fmt::format("{:.9g}", spectrum.inv_freq[pair]) : "";
}

}  // namespace

void print_pairs(const Comparison& comparison, const ModelEncoding& a, const ModelEncoding& b,
                 int64_t seq_len) {
  for (const RotationDifference& rotation : comparison.rotations) {
    const BothSpectra both = spectra_of(rotation, a, b, seq_len);
    const std::string of_a = escaped(a.name), of_b = escaped(b.name);
    std::vector<std::vector<std::string>> rows = {{"pair", of_a, of_b, "second / first"}};
    for (size_t i = 0; i < both.pairs(); ++i) {
      const bool common = i < both.a.inv_freq.size() && i < both.b.inv_freq.size();
      rows.push_back(
          {fmt::to_string(i), frequency(both.a, i), frequency(both.b, i),
           common ? fmt::format("{:.6g}", both.b.inv_freq[i] / both.a.inv_freq[i]) : ""});
    }
    fmt::print("\nLayer {}, inv_freq (rad per position)\n{}", both.layer,
               table(rows, {true, true, true, true}));
  }
}

ordered_json pairs_json(const Comparison& comparison, const ModelEncoding& a,
                        const ModelEncoding& b, int64_t seq_len) {
  ordered_json all = ordered_json::array();
  for (const RotationDifference& rotation : comparison.rotations) {
    const BothSpectra both = spectra_of(rotation, a, b, seq_len);
    all.push_back(
        {{"layer", both.layer}, {"inv_freq_a", both.a.inv_freq}, {"inv_freq_b", both.b.inv_freq}});
  }
  return all;
}

}  // namespace ropewalk::cli
