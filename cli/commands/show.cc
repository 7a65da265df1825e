#include <algorithm>
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/frequency_chart.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/rotary.h"
#include "ropewalk/apply/alibi.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/diagnose/traps.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/report/attention_words.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/scaling_words.h"
#include "ropewalk/report/to_json.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

nlohmann::ordered_json frequencies_json(const ModelEncoding& model, const Spectrum& spectrum) {
  auto array = nlohmann::ordered_json::array();
  for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
    const double length = wavelength(spectrum.inv_freq[i]);
    nlohmann::ordered_json row = {{"pair", i},
                                  {"axis", spectrum.axis[i]},
                                  {"inv_freq", spectrum.inv_freq[i]},
                                  {"wavelength", length}};
    if (model.max_positions > 0) {
      row["turns_in_context"] = static_cast<double>(model.max_positions) / length;
    }
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

void print_frequencies(const ModelEncoding& model, const RopeConfig& config, bool all,
                       int64_t seq_len) {
  const Spectrum spectrum = make_spectrum(config, seq_len);
  std::vector<std::vector<std::string>> rows = {
      {"pair", "inv_freq (rad per position)", "wavelength (positions)"}};
  if (axis_count(spectrum) > 1) rows[0].insert(rows[0].begin() + 1, "position axis");
  if (model.max_positions > 0) {
    rows[0].push_back(fmt::format("turns in {} positions", model.max_positions));
  }
  for (size_t i : pairs_to_print(spectrum.inv_freq.size(), all)) {
    const double length = wavelength(spectrum.inv_freq[i]);
    std::vector<std::string> row = {fmt::format("{}", i),
                                    fmt::format("{:.9g}", spectrum.inv_freq[i]),
                                    fmt::format("{:.6g}", length)};
    if (axis_count(spectrum) > 1) row.insert(row.begin() + 1, fmt::format("{}", spectrum.axis[i]));
    if (model.max_positions > 0) {
      row.push_back(fmt::format("{:.4g}", static_cast<double>(model.max_positions) / length));
    }
    rows.push_back(row);
  }
  fmt::print("\nFrequencies{}\n{}", all ? "" : " (some; --all prints every pair)",
             table(rows, {true, true, true, true, true}));
}

void print_slopes(const AlibiConfig& config) {
  const std::vector<float> slopes = alibi_slopes(config);
  std::vector<std::vector<std::string>> rows = {{"head", "slope"}};
  for (size_t h : pairs_to_print(slopes.size(), false)) {
    rows.push_back({fmt::format("{}", h), fmt::format("{}", slopes[h])});
  }
  const char* factor = config.form == AlibiForm::relative       ? "(key - query)"
                       : config.form == AlibiForm::key_position ? "key"
                                                                : "-|key - query|";
  fmt::print("\nALiBi slopes (slope x {} is added to a score{})\n{}", factor,
             config.before_scale ? ", before it is scaled" : "", table(rows, {true, true}));
}

struct Options {
  std::string model, other, assume;
  std::string layer, seq_len, picture;
  bool json = false, all = false, force = false;
};

struct Choice {
  int64_t layer = 0;    // of which the frequencies are printed
  int64_t seq_len = 0;  // 0: a short sequence
};

// --layer, else the first layer that knows positions.
Choice choice_of(const Options& options, const ModelEncoding& model) {
  Choice choice;
  if (!options.seq_len.empty()) {
    choice.seq_len = parse_integer(options.seq_len, "--seq-len");
    if (choice.seq_len < 1) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--seq-len: expected at least 1, found {}", choice.seq_len));
    }
  }
  if (!options.layer.empty()) {
    choice.layer = parse_integer(options.layer, "--layer");
    layer_option(model, choice.layer);
    return choice;
  }
  for (size_t i = 0; i < model.layers.size(); ++i) {
    if (std::holds_alternative<NoEncoding>(model.layers[i].positions)) continue;
    choice.layer = static_cast<int64_t>(i);
    break;
  }
  return choice;
}

int show_json(const ModelEncoding& model, const Choice& choice,
              const CheckpointFindings& findings) {
  nlohmann::ordered_json json = to_json(model);
  const PositionEncoding& layer = layer_at(model, choice.layer).positions;
  if (const auto* rope = std::get_if<RopeConfig>(&layer)) {
    json["frequencies"] = frequencies_json(model, make_spectrum(*rope, choice.seq_len));
  }
  if (const auto* alibi = std::get_if<AlibiConfig>(&layer)) {
    json["alibi_slopes"] = json_numbers(alibi_slopes(*alibi));
  }
  json.update(to_json(findings));
  print_json(json);
  return findings.differ() ? 1 : 0;
}

void print_facts(const ModelEncoding& model) {
  fmt::print("{}: family {}, {}\n", escaped(model.name), model.family, layer_map(model));
  for (const NamedEncoding& other : model.others) {
    fmt::print("  and {}: {}\n", other.name, in_a_line(other.encoding));
  }
  std::vector<std::vector<std::string>> rows = fact_rows(model);
  rows.insert(rows.begin(), {"fact", "value", "evidence"});
  fmt::print("\n{}\nAttention\n{}", table(rows), attention_kinds(model));
  for (const std::string& warning : model.warnings) fmt::print("\nnote: {}\n", warning);
  for (const Trap& trap : known_traps(model)) {
    fmt::print("\nnote: {}\n", in_words(trap, model.model_type));
  }
}

// Compares every layer, or --layer alone, and each model with its own checkpoint.
int compare_models(const Options& options, const Choice& choice, const ModelEncoding& a,
                   const ModelEncoding& b) {
  CompareOptions how{.seq_len = choice.seq_len};
  if (!options.layer.empty()) {
    layer_option(b, choice.layer);
    how.layer = choice.layer;
  }
  const Comparison comparison = compare(a, b, how);
  const CheckpointFindings of_a = check_checkpoint(a, options.model),
                           of_b = options.other == options.model
                                      ? CheckpointFindings{}
                                      : check_checkpoint(b, options.other);
  const bool differ = !comparison.alike() || of_a.differ() || of_b.differ();
  if (options.json) {
    nlohmann::ordered_json json = {{"a", {{"name", escaped(a.name)}}},
                                   {"b", {{"name", escaped(b.name)}}}};
    json["a"].update(to_json(of_a));
    json["b"].update(to_json(of_b));
    json.update(to_json(comparison));
    print_json(json);
    return differ ? 1 : 0;
  }
  print_comparison(comparison, {a.name, b.name, how.layer});
  print_findings(of_a);
  print_findings(of_b);
  return differ ? 1 : 0;
}

void draw(const ModelEncoding& model, const Choice& choice, const Options& options) {
  if (options.picture.empty()) return;
  check_picture(options.picture, overwrite(options.force));
#ifdef ROPEWALK_PLOTS
  write_picture(options.picture, frequency_chart(model, choice.layer, choice.seq_len),
                overwrite(options.force));
#endif
}

int show(const Options& options) {
  if (!options.picture.empty() && !options.other.empty()) {
    throw Error(ErrorCode::invalid_argument, "--plot: expected one model, found two");
  }
  const ModelEncoding model = load_model(options.model, options.assume);
  const Choice choice = choice_of(options, model);
  if (!options.other.empty()) {
    const ModelEncoding other = load_model(options.other, options.assume);
    return compare_models(options, choice, model, other);
  }
  draw(model, choice, options);
  const CheckpointFindings findings = check_checkpoint(model, options.model);
  if (options.json) return show_json(model, choice, findings);
  print_facts(model);
  print_findings(findings);
  const PositionEncoding& layer = layer_at(model, choice.layer).positions;
  if (const auto* rope = std::get_if<RopeConfig>(&layer)) {
    if (choice.layer > 0) fmt::print("\nLayer {}", choice.layer);
    print_frequencies(model, *rope, options.all, choice.seq_len);
    const int64_t context = std::max(choice.seq_len, model.max_positions);
    fmt::print("{}", in_words(scaling_bands(*rope, choice.seq_len, context), *rope, context));
  }
  if (const auto* alibi = std::get_if<AlibiConfig>(&layer)) print_slopes(*alibi);
  return findings.differ() ? 1 : 0;
}

}  // namespace

Run declare_show(CLI::App& app) {
  app.description(
      "Example: ropewalk show llama-3-8b\n\n"
      "What encodes position in a model: each fact with the key or default it comes from, the "
      "frequency of\n"
      "each pair of channels, its wavelength, and how often it turns within the trained context.\n"
      "With a second MODEL: what differs between the two, layer by layer, and exit code 1 if "
      "anything does;\n"
      "so with the inv_freq and the shapes of weights that the safetensors of a folder keep, when "
      "they are\n"
      "not those of its config.");
  const auto options = std::make_shared<Options>();
  app.add_option("MODEL", options->model,
                 "a config.json, GGUF or params.json, a folder that holds one, or a preset "
                 "(ropewalk models)")
      ->required();
  app.add_option("OTHER", options->other, "a second model, to compare with the first");
  add_text_option(app, "--layer", options->layer,
                  "the layer whose frequencies are printed, or the only one compared", "N");
  add_text_option(app, "--seq-len", options->seq_len,
                  "the length of the sequence, for scalings that depend on it", "N");
  app.add_option("--assume", options->assume,
                 "read the file as this model_type, whatever it says (ropewalk models)")
      ->type_name("TYPE");
  app.add_option("--plot", options->picture,
                 "draw the wavelengths, or ALiBi's slopes, to FILE.png or FILE.svg")
      ->type_name("FILE");
  app.add_flag("--force", options->force, "replace a picture that exists");
  app.add_flag("--json", options->json, "as JSON, every pair");
  app.add_flag("--all", options->all, "print every pair");
  return [options] { return show(*options); };
}

}  // namespace ropewalk::cli
