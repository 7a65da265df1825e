#include <cmath>
#include <memory>
#include <numbers>
#include <variant>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/output.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/table/alibi.h"

namespace ropewalk::cli {
namespace {

double wavelength(double inv_freq) { return 2 * std::numbers::pi / inv_freq; }

// "layers 0..31: rope" for each run of equal layers.
std::string layer_runs(const ModelEncoding& model) {
  std::string out;
  for (size_t begin = 0; begin < model.layers.size();) {
    size_t end = begin;
    while (end < model.layers.size() && model.layers[end] == model.layers[begin]) ++end;
    out += fmt::format("{}layers {}..{}: {}", out.empty() ? "" : "; ", begin, end - 1,
                       name(model.layers[begin]));
    begin = end;
  }
  return out;
}

nlohmann::ordered_json frequencies_json(const ModelEncoding& model, const Spectrum& spectrum) {
  auto array = nlohmann::ordered_json::array();
  for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
    const double length = wavelength(spectrum.inv_freq[i]);
    nlohmann::ordered_json row = {{"pair", i},
                                  {"axis", spectrum.axis[i]},
                                  {"inv_freq", spectrum.inv_freq[i]},
                                  {"wavelength", length}};
    if (model.max_positions > 0)
      row["turns_in_context"] = static_cast<double>(model.max_positions) / length;
    array.push_back(row);
  }
  return array;
}

std::vector<size_t> pairs_to_print(size_t pairs, bool all) {
  std::vector<size_t> chosen;
  const size_t step = all || pairs <= 10 ? 1 : (pairs + 7) / 8;
  for (size_t i = 0; i < pairs; i += step) chosen.push_back(i);
  if (pairs > 0 && chosen.back() != pairs - 1) chosen.push_back(pairs - 1);
  return chosen;
}

void print_frequencies(const ModelEncoding& model, const RopeConfig& config, bool all) {
  const Spectrum spectrum = make_spectrum(config);
  std::vector<std::vector<std::string>> rows = {
      {"pair", "inv_freq (rad per position)", "wavelength (positions)"}};
  if (axis_count(spectrum) > 1) rows[0].insert(rows[0].begin() + 1, "position axis");
  if (model.max_positions > 0)
    rows[0].push_back(fmt::format("turns in {} positions", model.max_positions));
  for (size_t i : pairs_to_print(spectrum.inv_freq.size(), all)) {
    const double length = wavelength(spectrum.inv_freq[i]);
    std::vector<std::string> row = {fmt::format("{}", i),
                                    fmt::format("{:.9g}", spectrum.inv_freq[i]),
                                    fmt::format("{:.6g}", length)};
    if (axis_count(spectrum) > 1) row.insert(row.begin() + 1, fmt::format("{}", spectrum.axis[i]));
    if (model.max_positions > 0)
      row.push_back(fmt::format("{:.4g}", static_cast<double>(model.max_positions) / length));
    rows.push_back(row);
  }
  fmt::print("\nFrequencies{}\n{}", all ? "" : " (some; --all prints every pair)",
             table(rows, {true, true, true, true, true}));
}

void print_slopes(const AlibiConfig& config) {
  const std::vector<float> slopes = alibi_slopes(config);
  std::vector<std::vector<std::string>> rows = {{"head", "slope"}};
  for (size_t h : pairs_to_print(slopes.size(), false))
    rows.push_back({fmt::format("{}", h), fmt::format("{}", slopes[h])});
  fmt::print("\nALiBi slopes (slope x (key - query) is added to a score)\n{}",
             table(rows, {true, true}));
}

int show_json(const ModelEncoding& model) {
  nlohmann::ordered_json json = to_json(model);
  if (const auto* rope = std::get_if<RopeConfig>(&model.layers.front()))
    json["frequencies"] = frequencies_json(model, make_spectrum(*rope));
  if (const auto* alibi = std::get_if<AlibiConfig>(&model.layers.front()))
    json["alibi_slopes"] = json_numbers(alibi_slopes(*alibi));
  print_json(json);
  return 0;
}

int show(const std::string& path, bool json, bool all) {
  const ModelEncoding model = load_model(path);
  if (json) return show_json(model);
  fmt::print("{}: family {}, {}\n\n", escaped(model.name), model.family, layer_runs(model));
  std::vector<std::vector<std::string>> rows = {{"fact", "value", "evidence"}};
  for (const Evidence& fact : model.evidence)
    rows.push_back({escaped(fact.field), escaped(fact.value), escaped(fact.source, 400)});
  fmt::print("{}", table(rows));
  for (const std::string& warning : model.warnings) fmt::print("\nnote: {}\n", warning);
  if (const auto* rope = std::get_if<RopeConfig>(&model.layers.front()))
    print_frequencies(model, *rope, all);
  if (const auto* alibi = std::get_if<AlibiConfig>(&model.layers.front())) print_slopes(*alibi);
  return 0;
}

struct Options {
  std::string model;
  bool json = false, all = false;
};

}  // namespace

Run declare_show(CLI::App& app) {
  app.description(
      "Example: ropewalk show llama-3-8b\n\n"
      "What encodes position in a model: each fact with the key or default it comes from, the "
      "frequency of\n"
      "each pair of channels, its wavelength, and how often it turns within the trained context.");
  const auto options = std::make_shared<Options>();
  app.add_option("MODEL", options->model,
                 "a config.json, a folder that holds one, or a preset (ropewalk models)")
      ->required();
  app.add_flag("--json", options->json, "as JSON, every pair");
  app.add_flag("--all", options->all, "print every pair");
  return [options] { return show(options->model, options->json, options->all); };
}

}  // namespace ropewalk::cli
