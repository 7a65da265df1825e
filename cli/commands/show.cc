#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/frequencies.h"
#include "cli/frequency_chart.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "cli/rotary.h"
#include "cli/with_option.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/diagnose/traps.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/models/models.h"
#include "ropewalk/report/model_words.h"
#include "ropewalk/report/to_json.h"

namespace ropewalk::cli {
namespace {

struct Options {
  ModelOptions model;  // --with is of the last model
  std::string other, layer, part, seq_len, picture, decay;
  bool json = false, all = false, force = false;
};

// --layer or --part, else the first layer that knows positions.
Shown choice_of(const Options& options, const ModelEncoding& model) {
  Shown choice{.part = options.part, .seq_len = seq_len_option(options.seq_len)};
  if (!options.part.empty()) {
    if (!options.layer.empty()) {
      throw Error(ErrorCode::invalid_argument, "give either --layer or --part");
    }
    part_option(model, options.part);
  } else if (!options.layer.empty()) {
    choice.layer = parse_integer(options.layer, "--layer");
    layer_option(model, choice.layer);
  } else {
    choice.layer = first_with_positions(model);
  }
  return choice;
}

int show_json(const LoadedModel& loaded, const Shown& choice, const CheckpointFindings& findings) {
  const ModelEncoding& model = loaded.model;
  nlohmann::ordered_json json = to_json(model);
  json.update(frequencies_json(model, choice));
  json["traps"] = nlohmann::ordered_json::array();
  for (const Trap& trap : known_traps(model)) json["traps"].push_back(to_json(trap));
  json.update(to_json(findings));
  if (!loaded.keys.empty()) json["with"] = with_json(loaded, encoding_shown(model, choice));
  print_json(json);
  return findings.differ() ? 1 : 0;
}

// One model, or two in one picture. Nothing is written where one of two pictures cannot be.
void draw(const ModelEncoding& model, const ModelEncoding* other, const Shown& shown,
          const Options& options) {
  for (const std::string& file : {options.picture, options.decay}) {
    if (!file.empty()) check_picture(file, overwrite(options.force));
  }
#ifdef ROPEWALK_PLOTS
  std::vector<std::pair<std::string, plot::LineChart>> charts;
  if (!options.picture.empty()) {
    charts.emplace_back(options.picture, other == nullptr ? frequency_chart(model, shown)
                                                          : frequency_chart(model, *other, shown));
  }
  if (!options.decay.empty()) {
    std::vector<const ModelEncoding*> models = {&model};
    if (other != nullptr) models.push_back(other);
    charts.emplace_back(options.decay, decay_chart(models, shown));
  }
  for (const auto& [file, chart] : charts) write_picture(file, chart, overwrite(options.force));
#else
  (void)model, (void)other, (void)shown;
#endif
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
  Shown drawn = choice;
  if (options.layer.empty() && !comparison.rotations.empty()) {
    drawn.layer = static_cast<int64_t>(comparison.rotations.front().layers.front());
  }
  draw(a, &b, drawn, options);
  const bool once = options.other == options.model.model || !options.model.with.empty();
  const CheckpointFindings of_a = check_checkpoint(a, options.model.model),
                           of_b = once ? CheckpointFindings{} : check_checkpoint(b, options.other);
  const bool differ = !comparison.alike() || of_a.differ() || of_b.differ();
  if (options.json) {
    nlohmann::ordered_json json = {{"a", {{"name", escaped(a.name)}}},
                                   {"b", {{"name", escaped(b.name)}}}};
    json["a"].update(to_json(of_a));
    json["b"].update(to_json(of_b));
    json.update(to_json(comparison));
    if (options.all) json["pairs"] = pairs_json(comparison, a, b, choice.seq_len);
    print_json(json);
    return differ ? 1 : 0;
  }
  print_comparison(comparison, {a.name, b.name, how.layer});
  if (options.all) print_pairs(comparison, a, b, choice.seq_len);
  print_findings(of_a);
  print_findings(of_b);
  return differ ? 1 : 0;
}

int show(const Options& options) {
  if (!options.other.empty()) {
    if (!options.part.empty()) {
      throw Error(ErrorCode::invalid_argument, "--part: expected one model, found two");
    }
    const ModelEncoding model = load_model(options.model.model, options.model.assume);
    const Shown choice = choice_of(options, model);
    ModelOptions last = options.model;
    last.model = options.other;
    return compare_models(options, choice, model, load(last).model);
  }
  const LoadedModel loaded = load(options.model);
  const ModelEncoding& model = loaded.model;
  const Shown choice = choice_of(options, model);
  draw(model, nullptr, choice, options);
  // What a checkpoint keeps is no matter for a scaling that it has not.
  const CheckpointFindings findings =
      loaded.keys.empty() ? check_checkpoint(model, options.model.model) : CheckpointFindings{};
  if (options.json) return show_json(loaded, choice, findings);
  fmt::print("{}", facts_in_words(model));
  print_findings(findings);
  fmt::print("{}", frequencies_in_words(model, choice, options.all));
  print_with(loaded, encoding_shown(model, choice));
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
      "not those of its config. --with says what another scaling would do, and the block to put "
      "into\n"
      "config.json; of two models it is the second's: ropewalk show A A --with "
      "rope_type=yarn,factor=4.");
  const auto options = std::make_shared<Options>();
  app.add_option("MODEL", options->model.model,
                 "a config.json, GGUF or params.json, a folder that holds one, or a preset "
                 "(ropewalk models)")
      ->type_name("MODEL")
      ->required();
  app.add_option("OTHER", options->other, "a second model, to compare with the first")
      ->type_name("MODEL");
  add_text_option(app, "--layer", options->layer,
                  "the layer whose frequencies are printed, or the only one compared", "N");
  add_text_option(app, "--part", options->part,
                  "the part whose frequencies are printed, by the name behind \"and\": vision, "
                  "indexer, ...",
                  "NAME");
  add_text_option(app, "--seq-len", options->seq_len,
                  "the length of the sequence, for scalings that depend on it", "N");
  add_reading_options(app, options->model);
  app.add_option("--plot", options->picture,
                 "draw the wavelengths, or ALiBi's slopes, of one model or two to FILE.png or "
                 "FILE.svg")
      ->type_name("FILE");
  app.add_option("--plot-decay", options->decay,
                 "draw how q.k of equal q and k falls with the distance, up to the context, to "
                 "FILE.png or FILE.svg")
      ->type_name("FILE");
  app.add_flag("--force", options->force, "replace a picture that exists");
  app.add_flag("--json", options->json, "as JSON, every pair");
  app.add_flag("--all", options->all,
               "print every pair; of two models, those of the layers that turn otherwise");
  return [options] { return show(*options); };
}

}  // namespace ropewalk::cli
