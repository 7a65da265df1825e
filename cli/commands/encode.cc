#include <algorithm>
#include <memory>
#include <span>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/encode_vectors.h"
#include "cli/output.h"
#include "cli/pictures.h"
#include "ropewalk/formats/npy.h"

namespace ropewalk::cli {
namespace {

std::string row_name(const Vectors& v, size_t i) {
  return v.tokens.empty() ? fmt::format("{}", v.positions[i])
                          : fmt::format("{} {}", v.positions[i], escaped(v.tokens[i]));
}

// At most four numbers from each end of a long vector, at most 64 vectors.
void print_table(const Vectors& v) {
  const bool cut = v.dim > 9;
  std::vector<std::vector<std::string>> rows = {
      {v.tokens.empty() ? "position" : "position, token"}};
  const auto heading = [&](int64_t c) { rows[0].push_back(fmt::format("[{}]", c)); };
  for (int64_t c = 0; c < (cut ? 4 : v.dim); ++c) heading(c);
  if (cut) rows[0].push_back("...");
  for (int64_t c = v.dim - 4; cut && c < v.dim; ++c) heading(c);
  const size_t shown = std::min<size_t>(v.positions.size(), 64);
  for (size_t i = 0; i < shown; ++i) {
    rows.push_back({row_name(v, i)});
    const auto put = [&](float value) { rows.back().push_back(fmt::format("{:.6f}", value)); };
    for (int64_t c = 0; c < (cut ? 4 : v.dim); ++c) put(v.row(i)[static_cast<size_t>(c)]);
    if (cut) rows.back().push_back("...");
    for (int64_t c = v.dim - 4; cut && c < v.dim; ++c) put(v.row(i)[static_cast<size_t>(c)]);
  }
  std::vector<bool> right(rows[0].size(), true);
  right[0] = false;
  fmt::print("{}", table(rows, right));
  if (shown < v.positions.size()) {
    fmt::print("... and {} more; -o writes them all\n", v.positions.size() - shown);
  }
}

void print_vectors_json(const Vectors& v, const EncodeOptions& options) {
  nlohmann::ordered_json json = {{"kind", options.kind}, {"dim", v.dim}};
  if (options.kind == "sinusoidal") json["layout"] = options.layout;
  if (v.dtype != DType::f32) json["dtype"] = name(v.dtype);
  auto rows = nlohmann::ordered_json::array();
  for (size_t i = 0; i < v.positions.size(); ++i) {
    nlohmann::ordered_json row = {{"position", v.positions[i]}};
    if (!v.tokens.empty()) row["token"] = v.tokens[i];
    row["values"] = json_numbers(v.row(i));
    rows.push_back(row);
  }
  json["vectors"] = rows;
  print_json(json);
}

std::string csv_of(const Vectors& v) {
  std::string out = v.tokens.empty() ? "position" : "position,token";
  for (int64_t c = 0; c < v.dim; ++c) out += fmt::format(",{}", c);
  out += "\n";
  for (size_t i = 0; i < v.positions.size(); ++i) {
    out += fmt::format("{}", v.positions[i]);
    if (!v.tokens.empty()) out += "," + csv_field(v.tokens[i]);
    for (float value : v.row(i)) out += fmt::format(",{}", value);
    out += "\n";
  }
  return out;
}

void write_vectors(const Vectors& v, const std::string& path, Overwrite mode) {
  if (path.ends_with(".csv")) {
    const std::string text = csv_of(v);
    const auto part = std::as_bytes(std::span(text));
    return write_file_atomically(path, {&part, 1}, mode);
  }
  const void* const data = v.dtype == DType::f32 ? static_cast<const void*>(v.values.data())
                                                 : static_cast<const void*>(v.halves.data());
  write_npy(path, make_view(data, v.dtype, {static_cast<int64_t>(v.positions.size()), v.dim}),
            mode);
}

#ifdef ROPEWALK_PLOTS
void draw_vectors(const Vectors& v, const EncodeOptions& options) {
  plot::HeatMap map{.title = fmt::format("{} encoding, {} dimension{}", options.kind, v.dim,
                                         v.dim == 1 ? "" : "s"),
                    .x_label = "dimension",
                    .y_label = v.tokens.empty() ? "position" : "position (token)",
                    .value_label = "value of the encoding",
                    .rows = static_cast<int>(v.positions.size()),
                    .columns = static_cast<int>(v.dim),
                    .values = v.values};
  // Neighbours are sin and cos of one angle, whose mean says nothing.
  if (options.kind == "sinusoidal" && options.layout == "interleaved") map.column_kinds = 2;
  for (size_t i = 0; i < v.positions.size(); ++i) map.row_labels.push_back(row_name(v, i));
  const auto [low, high] = std::minmax_element(v.values.begin(), v.values.end());
  if (options.kind != "sinusoidal" && !v.values.empty()) {
    map.low = std::min(0.0f, *low);
    map.high = std::max(1.0f, *high);
  }
  write_picture(options.picture, map, overwrite(options.force));
}
#endif

int encode(EncodeOptions& options) {
  const Overwrite mode = overwrite(options.force);
  if (!options.picture.empty()) check_picture(options.picture, mode);
  if (!options.output.empty()) {
    if (!options.output.ends_with(".npy") && !options.output.ends_with(".csv")) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("-o: \"{}\" does not end in .npy or .csv", escaped(options.output)));
    }
    if (options.output.ends_with(".npy") && options.dtype == "bf16") {
      throw Error(ErrorCode::unsupported,
                  "--dtype: expected f32 or f16, found bf16, which NumPy's files have not; -o "
                  "FILE.csv takes it");
    }
    check_output(options.output, mode);
  }
  const Vectors vectors = make_vectors(options);
#ifdef ROPEWALK_PLOTS
  if (!options.picture.empty()) draw_vectors(vectors, options);
#endif
  if (!options.output.empty()) write_vectors(vectors, options.output, mode);
  if (options.json) {
    print_vectors_json(vectors, options);
  } else if (options.output.empty()) {
    print_table(vectors);
  }
  return 0;
}

}  // namespace

Run declare_encode(CLI::App& app) {
  app.description(
      "Example: ropewalk encode \"我 愛 你\" --dim 512 --plot pe.png\n\n"
      "Vectors of the sinusoidal encoding, each number correctly rounded:\n"
      "  pe(p, 2i) = sin(p / base^(2i/dim)),  pe(p, 2i+1) = cos(p / base^(2i/dim))\n"
      "or of the naive ones for comparison. Printed as a table, or written with -o.");
  const auto o = std::make_shared<EncodeOptions>();
  app.add_option("TEXT", o->text, "a text; Chinese is cut at characters, the rest at spaces");
  add_text_option(app, "--positions", o->positions,
                  "positions instead: 7 | 0..4096 (end not included) | 0,5,9 | -3..3 | FILE.npy of "
                  "i4/i8 [S] or [1, S]",
                  "P");
  add_text_option(app, "--dim", o->dim, "length of a vector, odd too (512)", "D");
  add_choice_option(app, "--kind", o->kind, {"sinusoidal", "integer", "one-hot"},
                    "what a vector is made of (sinusoidal)");
  app.add_option("--model", o->model,
                 "what this model adds to its input: a config.json, its folder, or a preset; dim, "
                 "layout and offset are its own")
      ->type_name("MODEL");
  app.add_option("--weights", o->weights,
                 "with --model: the checkpoint that holds its learned table, FILE.safetensors, an "
                 "index.json, or a folder")
      ->type_name("FILE");
  app.add_option("--part", o->part,
                 "with --model: what is added to this part of it, by the name that show prints")
      ->type_name("NAME");
  add_choice_option(
      app, "--layout", o->layout, {"interleaved", "sin_cos", "fairseq", "cos_sin"},
      "where its sines and cosines lie (interleaved); sin_cos as in Marian, cos_sin as "
      "in MusicGen");
  add_text_option(app, "--base", o->base, "base of the wavelengths (10000)", "B");
  add_text_option(app, "--offset", o->offset, "added to every position (0)", "N");
  add_choice_option(app, "--dtype", o->dtype, {"f32", "bf16", "f16"},
                    "rounded once to this type (f32)");
  app.add_option("-o,--output", o->output, "write the vectors to FILE.npy or FILE.csv")
      ->type_name("FILE");
  app.add_option("--plot", o->picture, "draw them to FILE.png or FILE.svg")->type_name("FILE");
  app.add_flag("--json", o->json, "as JSON");
  app.add_flag("--force", o->force, "replace output files that exist");
  return [o] { return encode(*o); };
}

}  // namespace ropewalk::cli
