#include <algorithm>
#include <memory>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/frequencies.h"
#include "cli/frequency_chart.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/rotary.h"
#include "ropewalk/diagnose/traps.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/report/attention_words.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/scaling_words.h"
#include "ropewalk/report/to_json.h"

namespace ropewalk::cli {
namespace {

struct Options {
  std::string model, other, assume;
  std::string layer, seq_len, picture;
  bool json = false, all = false, force = false;
};

// --layer, else the first layer that knows positions.
Shown choice_of(const Options& options, const ModelEncoding& model) {
  Shown choice;
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

int show_json(const ModelEncoding& model, const Shown& choice, const CheckpointFindings& findings) {
  nlohmann::ordered_json json = to_json(model);
  json.update(frequencies_json(model, choice));
  json["traps"] = nlohmann::ordered_json::array();
  for (const Trap& trap : known_traps(model)) json["traps"].push_back(to_json(trap));
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
int compare_models(const Options& options, const Shown& choice, const ModelEncoding& a,
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

void draw(const ModelEncoding& model, const Shown& choice, const Options& options) {
  if (options.picture.empty()) return;
  check_picture(options.picture, overwrite(options.force));
#ifdef ROPEWALK_PLOTS
  write_picture(options.picture, frequency_chart(model, choice.layer, choice.seq_len),
                overwrite(options.force));
#else
  (void)model, (void)choice;
#endif
}

int show(const Options& options) {
  if (!options.picture.empty() && !options.other.empty()) {
    throw Error(ErrorCode::invalid_argument, "--plot: expected one model, found two");
  }
  const ModelEncoding model = load_model(options.model, options.assume);
  const Shown choice = choice_of(options, model);
  if (!options.other.empty()) {
    const ModelEncoding other = load_model(options.other, options.assume);
    return compare_models(options, choice, model, other);
  }
  draw(model, choice, options);
  const CheckpointFindings findings = check_checkpoint(model, options.model);
  if (options.json) return show_json(model, choice, findings);
  print_facts(model);
  print_findings(findings);
  print_frequencies(model, choice, options.all);
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
