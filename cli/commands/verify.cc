#include "ropewalk/diagnose/verify.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/models/models.h"
#include "ropewalk/report/to_json.h"
#include "ropewalk/report/verification_words.h"

namespace ropewalk::cli {
namespace {

using Level = FindingLine::Level;

struct Options {
  std::string path, model, assume, against, against_model, cos, sin, table, layer, first;
  bool strict = false, json = false;
};

constexpr int kFound = 1, kUnread = 3;

// cos and sin of --table, or of --cos and --sin.
struct Table {
  Tensor cos, sin;
};
std::optional<Table> table_of(const Options& options) {
  if (!options.table.empty() && (!options.cos.empty() || !options.sin.empty())) {
    throw Error(ErrorCode::invalid_argument, "give either --table or --cos and --sin");
  }
  if (options.cos.empty() != options.sin.empty()) {
    throw Error(ErrorCode::invalid_argument, "--cos and --sin go together");
  }
  if (!options.table.empty()) {
    return Table{load_tensor(options.table, "cos"), load_tensor(options.table, "sin")};
  }
  if (options.cos.empty()) return std::nullopt;
  return Table{load_tensor(options.cos, "cos"), load_tensor(options.sin, "sin")};
}

void check_table_of(const Options& options, const ModelEncoding& model, Verification& found) {
  const std::optional<Table> table = table_of(options);
  if (!table) return;
  const int64_t number =
      options.layer.empty() ? first_with_positions(model) : parse_integer(options.layer, "--layer");
  const auto* rope = std::get_if<RopeConfig>(&layer_option(model, number).positions);
  if (rope == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("layer {} of {} does not rotate: it has no table", number,
                            escaped(model.name)));
  }
  const int64_t first = options.first.empty() ? 0 : parse_integer(options.first, "--first");
  const std::string files =
      options.table.empty() ? options.cos + ", " + options.sin : options.table;
  with_input_files(files, [&] {
    found.table = check_table(*rope, table->cos.view(), table->sin.view(), first);
  });
}

void print_as_json(const Verification& found, const std::vector<FindingLine>& lines, int code) {
  nlohmann::ordered_json json = {{"exit_code", code},
                                 {"has_weights", found.has_weights},
                                 {"findings", nlohmann::ordered_json::array()}};
  for (const FindingLine& line : lines) {
    json["findings"].push_back(
        {{"level", name(line.level)}, {"kind", line.kind}, {"text", line.text}});
  }
  json.update(to_json(found.checkpoint));
  if (!found.others.empty()) json["others"] = nlohmann::ordered_json::array();
  for (const OtherCheck& other : found.others) json["others"].push_back(to_json(other));
  print_json(json);
}

void print_lines(const std::vector<FindingLine>& lines, const Options& options,
                 const Verification& found) {
  for (const FindingLine& line : lines) fmt::print("{}: {}\n", name(line.level), line.text);
  if (!found.has_weights) fmt::print("note: no safetensors beside {}\n", escaped(options.path));
  const auto wrong = std::count_if(lines.begin(), lines.end(), [&](const FindingLine& line) {
    return line.level == Level::fault || line.level == Level::unread ||
           (options.strict && line.level == Level::note);
  });
  if (wrong == 0) fmt::print("{}: nothing wrong\n", escaped(options.path));
}

int verify_command(const Options& options) {
  const bool weights =
      options.path.ends_with(".safetensors") || options.path.ends_with(".index.json");
  std::string config = options.model;
  if (config.empty()) {
    const size_t slash = options.path.rfind('/');
    config = !weights                     ? options.path
             : slash == std::string::npos ? "."
                                          : options.path.substr(0, slash + 1);
  }
  const ModelEncoding model = load_model(config, options.assume);
  std::optional<ModelEncoding> other;
  VerifyOptions how;
  if (!options.against.empty()) how.against = options.against;
  if (!options.against_model.empty()) {
    other = load_model(options.against_model);
    how.against_model = &*other;
  }
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) {
    how.progress = [](int64_t layer, int64_t layers) {
      fmt::print(stderr, "\r\033[Kcomparing rows: layer {} of {}", layer, layers);
    };
  }
  Verification found = verify(model, options.path, how);
  if (terminal) fmt::print(stderr, "\r\033[K");
  check_table_of(options, model, found);
  const std::vector<FindingLine> lines = lines_of(found, model.name);
  const bool notes =
      options.strict && std::any_of(lines.begin(), lines.end(),
                                    [](const auto& line) { return line.level == Level::note; });
  const int code = found.unread() ? kUnread : found.faulty() || notes ? kFound : 0;
  if (options.json) {
    print_as_json(found, lines, code);
  } else {
    print_lines(lines, options, found);
  }
  return code;
}

}  // namespace

Run declare_verify(CLI::App& app) {
  app.description(
      "Example: ropewalk verify my-model\n\n"
      "Whether what lies in a folder fits its config, for a CI: the safetensors and their index, "
      "the frequencies\n"
      "that they keep, the shapes of the weights, the layers that are there, a GGUF beside them "
      "(its keys, and\n"
      "the rows of Q and K), a conversion (--against), a table of cos and sin. What is wrong in "
      "one list.\n"
      "Exit code 0: nothing; 1: something contradicts the config; 3: something cannot be read.");
  const auto options = std::make_shared<Options>();
  app.add_option("PATH", options->path, "a folder of a model, its config.json, or its weights")
      ->required();
  app.add_option("--model", options->model,
                 "the config whose weights these are, if not beside them")
      ->type_name("MODEL");
  app.add_option("--against", options->against,
                 "another checkpoint of the model, or a GGUF: its config, and how its rows of Q "
                 "and K lie beside these")
      ->type_name("PATH");
  app.add_option("--against-model", options->against_model, "the config of that one")
      ->type_name("MODEL");
  app.add_option("--table", options->table,
                 "a .safetensors with cos and sin of positions 0, 1, ...")
      ->type_name("FILE");
  app.add_option("--cos", options->cos, "cos of positions 0, 1, ... [positions, numbers]")
      ->type_name("FILE");
  app.add_option("--sin", options->sin, "sin of the same")->type_name("FILE");
  add_text_option(app, "--first", options->first, "the first position of the table (0)", "N");
  add_text_option(app, "--layer", options->layer, "the layer that the table is of", "N");
  app.add_option("--assume", options->assume, "read the config as this model_type")
      ->type_name("TYPE");
  app.add_flag("--strict", options->strict, "exit code 1 for notes too");
  app.add_flag("--json", options->json, "as JSON");
  return [options] { return verify_command(*options); };
}

}  // namespace ropewalk::cli
