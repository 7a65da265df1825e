#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/long_task.h"
#include "cli/output.h"
#include "cli/permute_words.h"
#include "ropewalk/base/error.h"
#include "ropewalk/conventions/family.h"
#include "ropewalk/formats/file_folder.h"
#include "ropewalk/models/model_file.h"
#include "ropewalk/models/models.h"

namespace ropewalk::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string checkpoint, model, assume, from, to, output;
  bool dry_run = false, json = false, force = false;
};

// The layouts of --from or --to: a pairing by its name or that of those who use it, or a model.
std::vector<RotaryLayout> layouts_option(const std::string& text, const std::string& option,
                                         const ModelEncoding& model) {
  if (text == "meta" || text == "interleaved") return layouts_of(model, Pairing::interleaved);
  if (text == "hf" || text == "half_split") return layouts_of(model, Pairing::half_split);
  std::error_code none;
  const std::vector<std::string> presets = preset_names();
  if (!fs::exists(text, none) && std::find(presets.begin(), presets.end(), text) == presets.end()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected meta (interleaved), hf (half_split) or a model, found "
                            "\"{}\"",
                            option, escaped(text)));
  }
  const ModelEncoding other = load_model(text);
  if (other.layers.size() != model.layers.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected a model of {} layers as that of the checkpoint, found {}",
                            option, model.layers.size(), other.layers.size()));
  }
  return layouts_of(other);
}

// "meta" is shown by what it means.
std::string form_name(const std::string& text) {
  if (text == "meta") return "interleaved";
  return text == "hf" ? "half_split" : escaped(text);
}

// --model, else the config beside the weights.
ModelEncoding model_of(const Options& options) {
  if (!options.model.empty()) return load_model(options.model, options.assume);
  std::error_code none;
  fs::path folder = options.checkpoint;
  if (!fs::is_directory(folder, none)) {
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  }
  try {
    return read_model(folder, options.assume);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{} (--model says whose weights these are)", error.what()));
  }
}

bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code none;
  return fs::equivalent(a, b, none);
}

// Throws for an output that cannot be written or is the input, before anything is read.
void check_target(const Options& options, bool folder) {
  const fs::path output = options.output;
  if (is_same(output, options.checkpoint) ||
      (folder && is_same(output, fs::path(options.checkpoint).parent_path()))) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("-o: expected another place than the input, found \"{}\"",
                            escaped(options.output)));
  }
  if (folder) {
    if (output.extension() == ".safetensors") {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("-o: expected the name of a new folder, as the input is one, found "
                              "\"{}\"",
                              escaped(options.output)));
    }
    check_new_folder(output);
    return;
  }
  if (output.extension() != ".safetensors") {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("-o: expected a name that ends in .safetensors, as the input is one "
                            "such file, found \"{}\"",
                            escaped(options.output)));
  }
  check_output(output, overwrite(options.force));
}

// No key of a GGUF says how its rows lie: the code that reads it does.
int tell_of_gguf(const Options& options) {
  const ModelEncoding model = read_model(options.checkpoint, options.assume);
  std::string form = "no layer rotates";
  std::string pairing;
  for (const Layer& layer : model.layers) {
    const auto* rope = std::get_if<RopeConfig>(&layer.positions);
    if (rope == nullptr || rope->layout.windows.empty()) continue;
    const Pairing own = rope->layout.windows.front().pairing;
    pairing = name(own);
    form = fmt::format("rows of q and k are {}, as llama.cpp turns them", pairing);
    const KnownType known = find_model_type(model.model_type);
    if (known.type != nullptr && known.type->gguf.pairing == own) {
      form += known.type->pairing == own
                  ? ", and as they are at Hugging Face"
                  : fmt::format("; its converter moved them from {}, as they are at Hugging Face",
                                name(known.type->pairing));
    }
    break;
  }
  const std::string text = fmt::format("{}: {}", escaped(options.checkpoint), form);
  if (!options.output.empty()) {
    throw Error(ErrorCode::unsupported,
                text + "; expected safetensors to write, found a GGUF, which ropewalk only reads");
  }
  if (options.json) {
    nlohmann::ordered_json json = {{"checkpoint", escaped(options.checkpoint, 4096)},
                                   {"model_type", model.model_type},
                                   {"rows", nullptr},
                                   {"written", nullptr}};
    if (!pairing.empty()) json["rows"] = pairing;
    print_json(json);
  } else {
    fmt::print("{}. Nothing is written.\n", text);
  }
  return 0;
}

void write(const Permuted& permuted, const Options& options) {
  run_long_task("moving rows", [&](const WriteProgress& progress) {
    if (permuted.folder) {
      write_permuted_folder(permuted.plan, options.output, progress);
    } else {
      write_permuted_file(permuted.plan, 0, options.output, overwrite(options.force), progress);
    }
  });
}

int permute(const Options& options) {
  std::error_code none;
  if (!fs::exists(options.checkpoint, none)) {
    throw Error(ErrorCode::io,
                fmt::format("{}: expected a checkpoint, found no such file or folder",
                            escaped(options.checkpoint)));
  }
  if (fs::is_regular_file(options.checkpoint, none) && is_gguf(options.checkpoint)) {
    return tell_of_gguf(options);
  }
  for (const auto& [option, text] : {std::pair{"--from", options.from}, {"--to", options.to}}) {
    if (text.empty()) {
      throw Error(ErrorCode::invalid_argument, fmt::format("{} is required", option));
    }
  }
  if (options.output.empty() && !options.dry_run) {
    throw Error(ErrorCode::invalid_argument, "give -o, or --dry-run to see what would be done");
  }
  const bool folder =
      fs::is_directory(options.checkpoint, none) || options.checkpoint.ends_with(".json");
  if (!options.output.empty()) check_target(options, folder);
  const ModelEncoding model = model_of(options);
  std::vector<RotaryLayout> from = layouts_option(options.from, "--from", model),
                            to = layouts_option(options.to, "--to", model);
  const auto turns = [](const RotaryLayout& layout) { return !layout.windows.empty(); };
  if (std::none_of(from.begin(), from.end(), turns)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: no layer of a \"{}\" rotates q and k", escaped(model.name),
                            escaped(model.model_type)));
  }
  if (from == to) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--to: expected another form than --from, found {} for both",
                            form_name(options.to)));
  }
  const PermutePlan plan = plan_permutation(options.checkpoint, model, from, to);
  const Permuted permuted{.checkpoint = options.checkpoint,
                          .from = form_name(options.from),
                          .to = form_name(options.to),
                          .model = model,
                          .plan = plan,
                          .layouts_from = std::move(from),
                          .layouts_to = std::move(to),
                          .folder = folder,
                          .from_hf = options.from == "hf"};
  warn_of_plan(permuted);
  if (!options.dry_run) write(permuted, options);
  if (options.json) {
    print_json(plan_json(permuted, options.dry_run ? "" : options.output));
  } else if (options.dry_run) {
    print_plan(permuted);
  } else {
    print_written(permuted, options.output);
  }
  return 0;
}

}  // namespace

Run declare_permute(CLI::App& app) {
  app.description(
      "Example: ropewalk permute Llama-meta --from meta --to hf -o Llama-hf\n\n"
      "Moves the rows of Q and K of a checkpoint in safetensors from one pairing of the channels "
      "to another:\n"
      "weights, biases, norms of each head, fused projections, LoRA, the scales of quantized rows. "
      "All other\n"
      "bytes stay as they are, and the inverse restores every byte. A folder is written as a new "
      "folder, with\n"
      "its index, config and tokenizer. Of a GGUF it says how its rows lie, and writes nothing.");
  const auto options = std::make_shared<Options>();
  app.add_option("CHECKPOINT", options->checkpoint,
                 "a .safetensors, its index, or a folder with one; a folder of a LoRA; a GGUF")
      ->required();
  app.add_option("--from", options->from,
                 "how the rows lie: meta (interleaved), hf (half_split), or a model that reads "
                 "them so")
      ->type_name("FORM");
  app.add_option("--to", options->to, "how they shall lie, in the same words")->type_name("FORM");
  app.add_option("-o,--output", options->output,
                 "a new folder, or a .safetensors where the input is one")
      ->type_name("PATH");
  app.add_option("--model", options->model,
                 "the config.json, folder or preset whose weights these are, where none lies "
                 "beside them")
      ->type_name("MODEL");
  app.add_option("--assume", options->assume, "read the config as this model_type")
      ->type_name("TYPE");
  app.add_flag("--dry-run", options->dry_run, "list each tensor of q and k; write nothing");
  app.add_flag("--force", options->force, "replace a file that exists");
  app.add_flag("--json", options->json, "as JSON");
  return [options] { return permute(*options); };
}

}  // namespace ropewalk::cli
