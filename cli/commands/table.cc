#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "cli/table_output.h"
#include "cli/with_option.h"
#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/dump_reports.h"
#include "ropewalk/positions/mrope.h"
#include "ropewalk/spectrum/spectrum.h"
#include "ropewalk/tables/cos_sin.h"

namespace ropewalk::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string layer, part, positions, seq_len;
  std::string angles, dtype, form, output;
  bool inv_freq = false, json = false, force = false;
};

// The rotation of a layer or part, with what names it.
struct Chosen {
  RopeConfig rope;
  std::vector<std::pair<std::string, nlohmann::ordered_json>> facts;
};

Chosen choose(const Options& o) {
  if (!o.layer.empty() && !o.part.empty()) {
    throw Error(ErrorCode::invalid_argument, "give either --layer or --part");
  }
  const ModelEncoding model = load(o.model).model;
  Chosen chosen{.facts = {{"model", model.name}}};
  if (!o.part.empty()) {
    chosen.rope = rope_of_part(part_option(model, o.part), model.name);
    chosen.facts.emplace_back("part", o.part);
    return chosen;
  }
  const int64_t layer =
      o.layer.empty() ? first_with_positions(model) : parse_integer(o.layer, "--layer");
  layer_option(model, layer);
  chosen.rope = rope_at(model, layer);
  chosen.facts.emplace_back("layer", layer);
  return chosen;
}

Tensor read_ids(const Options& o, const RopeConfig& rope, int64_t axes) {
  Tensor ids = load_positions(o.positions);
  if (ids.shape.empty() || ids.shape.size() > 3) {
    throw Error(ErrorCode::malformed,
                fmt::format("{}: expected position ids [S], [B, S] or [axes, B, S], found {}",
                            escaped(o.positions), to_string(ids.shape)));
  }
  if (ids.shape.size() == 3 || one_list_of_positions(rope)) return ids;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("--positions: expected an .npy file [{}, batch, seq], as this model turns "
                  "on {} position axes, found shape {}",
                  axes, axes, to_string(ids.shape)));
}

DType dtype_option(const std::string& text) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
    if (text.empty() || text == name(dtype)) return dtype;
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--dtype: expected f32, bf16 or f16, found \"{}\"", escaped(text)));
}

RowForm form_option(const std::string& text) {
  for (const RowForm form : {RowForm::half, RowForm::doubled, RowForm::interleaved}) {
    if (text == name(form)) return form;
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--form: expected half, doubled, interleaved or complex, found \"{}\"",
                          escaped(text)));
}

// What a row is: its sequence where there is more than one, its position on each axis.
void name_rows(const Tensor& ids, int64_t axes, TokenTable& table) {
  const int rank = ids.shape.size();
  const int64_t length = ids.shape[rank - 1], batch = rank > 1 ? ids.shape[rank - 2] : 1;
  const PositionReader reader(positions_of(ids.view()), batch, length, axes);
  if (batch != 1) table.position_names.emplace_back("sequence");
  const int64_t planes = rank == 3 ? axes : 1;
  for (int64_t axis = 0; axis < planes; ++axis) {
    table.position_names.push_back(planes == 1 ? "position" : fmt::format("position_{}", axis));
  }
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t s = 0; s < length; ++s) {
      std::vector<int64_t> row;
      if (batch != 1) row.push_back(b);
      for (int64_t axis = 0; axis < planes; ++axis) row.push_back(reader.at(axis, b, s));
      table.positions.push_back(std::move(row));
    }
  }
}

// --seq-len, else what transformers takes: 1 + the largest position.
int64_t length_of(const Options& o, const Tensor& ids) {
  if (!o.seq_len.empty()) return seq_len_option(o.seq_len);
  const auto count = static_cast<int64_t>(num_elements(ids.shape));
  Tensor flat = ids;
  flat.shape = {count};
  const PositionReader reader(positions_of(std::as_const(flat).view()), 1, count, 1);
  int64_t largest = -1;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, reader.at(0, 0, i));
  return largest == std::numeric_limits<int64_t>::max() ? largest : largest + 1;
}

void check_size(const RopeConfig& rope, const Tensor& ids) {
  constexpr int64_t kMostNumbers = int64_t{1} << 28;
  const auto numbers =
      checked_mul(static_cast<int64_t>(num_elements(ids.shape)), 2 * pair_count(rope.layout));
  if (numbers && *numbers <= kMostNumbers) return;
  throw Error(ErrorCode::resource_limit,
              fmt::format("--positions: expected positions for at most {} numbers in one call, "
                          "found {} with {} pairs each",
                          kMostNumbers, num_elements(ids.shape), pair_count(rope.layout)));
}

TokenTable cos_sin_table(const Options& o, const Chosen& chosen) {
  const bool complex = o.form == "complex";
  CosSinOptions options{.dtype = dtype_option(o.dtype)};
  if (!o.angles.empty()) options.mode = parse_name(o.angles, "--angles", angle_mode_from_name);
  if (!o.form.empty() && !complex) options.form = form_option(o.form);
  if (!o.output.empty()) check_table_file(o.output, options.dtype, complex);
  if (complex && options.dtype != DType::f32) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--form complex: expected --dtype f32, found {}", name(options.dtype)));
  }
  const int64_t axes = axis_count(make_spectrum(chosen.rope));
  const Tensor ids = read_ids(o, chosen.rope, axes);
  TokenTable table{.facts = chosen.facts, .complex = complex};
  with_input_files(o.positions.ends_with(".npy") ? o.positions : "--positions",
                   [&] { name_rows(ids, axes, table); });
  check_size(chosen.rope, ids);
  options.seq_len = length_of(o, ids);
  const Spectrum spectrum = make_spectrum(chosen.rope, options.seq_len);
  if (!o.seq_len.empty()) warn_of_ignored_length(chosen.rope, options.seq_len);
  CosSin rows = cos_sin(chosen.rope, ids.view(), options);
  table.facts.insert(table.facts.end(), {{"angles", name(options.mode)},
                                         {"form", o.form.empty() ? "half" : o.form},
                                         {"dtype", name(options.dtype)},
                                         {"seq_len", options.seq_len},
                                         {"attention_scaling", spectrum.attention_scaling}});
  if (complex) {
    table.names = {"freqs_cis"};
    table.tensors.push_back(as_complex(rows));
  } else {
    table.names = {"cos", "sin"};
    table.tensors.push_back(std::move(rows.cos));
    table.tensors.push_back(std::move(rows.sin));
  }
  return table;
}

TokenTable frequency_table(const Options& o, const Chosen& chosen) {
  if (!o.positions.empty() || !o.angles.empty() || !o.dtype.empty() || !o.form.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "--inv-freq: give no --positions, --angles, --dtype or --form with it");
  }
  if (!o.output.empty()) check_table_file(o.output, DType::f32, false);
  const int64_t seq_len = seq_len_option(o.seq_len);
  if (seq_len > 0) warn_of_ignored_length(chosen.rope, seq_len);
  const Spectrum spectrum = make_spectrum(chosen.rope, seq_len);
  TokenTable table{.facts = chosen.facts, .names = {"inv_freq"}, .position_names = {"pair"}};
  table.facts.emplace_back("seq_len", seq_len > 0 ? nlohmann::ordered_json(seq_len) : nullptr);
  table.facts.emplace_back("attention_scaling", spectrum.attention_scaling);
  const bool axes = axis_count(spectrum) > 1;
  if (axes) table.position_names.emplace_back("axis");
  for (size_t i = 0; i < spectrum.inv_freq.size(); ++i) {
    table.positions.push_back({static_cast<int64_t>(i)});
    if (axes) table.positions.back().push_back(spectrum.axis[i]);
  }
  const auto pairs = static_cast<int64_t>(spectrum.inv_freq.size());
  const ConstTensorView numbers =
      make_view(static_cast<const void*>(spectrum.inv_freq.data()), DType::f64, {pairs});
  const bool wide = chosen.rope.inv_freq_dtype == DType::f64;
  table.tensors.push_back(converted(numbers, wide ? DType::f64 : DType::f32));
  return table;
}

int run_table(const Options& o) {
  if (o.positions.empty() && !o.inv_freq) {
    throw Error(ErrorCode::invalid_argument,
                "give --positions, as 0..16, or --inv-freq for the frequencies alone");
  }
  if (!o.output.empty()) check_output(o.output, overwrite(o.force));
  const Chosen chosen = choose(o);
  const TokenTable table = o.inv_freq ? frequency_table(o, chosen) : cos_sin_table(o, chosen);
  if (!o.output.empty()) write_token_table(table, o.output, overwrite(o.force));
  if (o.json) {
    print_json(token_table_json(table));
  } else if (o.output.empty()) {
    print_token_table(table);
  }
  return 0;
}

}  // namespace

Run declare_table(CLI::App& app) {
  app.description(
      "Example: ropewalk table llama-3-8b --positions 0..4096 --form doubled -o "
      "rope.safetensors\n\n"
      "cos(p x inv_freq) and sin(p x inv_freq) of each pair of channels at chosen positions p, as "
      "a "
      "layer or\n"
      "part of the model has them: both times attention_scaling (YaRN, LongRoPE), as in "
      "transformers.\n"
      "FILE.safetensors holds cos and sin; FILE.npy one array [2, ...]: cos, sin = np.load(FILE). "
      "In form\n"
      "complex they hold freqs_cis, cos + i sin: f32 [..., pairs, 2] (torch.view_as_complex) and "
      "complex64.");
  const auto o = std::make_shared<Options>();
  app.add_option("MODEL", o->model.model,
                 "a config.json, GGUF or params.json, its folder, or a preset (ropewalk models)")
      ->type_name("MODEL")
      ->required();
  add_text_option(
      app, "--positions", o->positions,
      "7 | 0..16 | 0,5,9 | FILE.npy of i4/i8 [S], [B, S] or [axes, B, S]; a list is that "
      "of a text, the same on each axis of M-RoPE",
      "P");
  add_text_option(app, "--layer", o->layer, "layer of the model (the first that knows positions)",
                  "N");
  add_text_option(app, "--part", o->part, "a part beside the layers, by the name that show prints",
                  "NAME");
  add_text_option(app, "--seq-len", o->seq_len,
                  "the length of the sequence, for scalings that depend on it (1 + the largest "
                  "position, as in transformers; with --inv-freq a short one)",
                  "N");
  add_choice_option(app, "--angles", o->angles,
                    {"exact", "ideal", "hf_float32", "ggml_float32", "bf16_frequency",
                     "bf16_position", "fp16", "tf32"},
                    "whose angles (exact)");
  add_choice_option(app, "--form", o->form, {"half", "doubled", "interleaved", "complex"},
                    "half (default): [..., pairs]; doubled: cat(c, c), as in Hugging Face's LLaMA; "
                    "interleaved: each number twice in a row, as in GPT-J; complex, as in Meta's "
                    "LLaMA");
  add_choice_option(app, "--dtype", o->dtype, {"f32", "bf16", "f16"},
                    "exact angles are rounded to it once (f32)");
  app.add_flag("--inv-freq", o->inv_freq,
               "the frequencies instead, radians per position [pairs], without attention_scaling");
  add_reading_options(app, o->model);
  app.add_option("-o,--output", o->output,
                 "write to FILE.safetensors, FILE.npy or FILE.csv; absent: print some")
      ->type_name("FILE");
  app.add_flag("--json", o->json, "print all as JSON");
  app.add_flag("--force", o->force, "replace an output file that exists");
  return [o] { return run_table(*o); };
}

}  // namespace ropewalk::cli
