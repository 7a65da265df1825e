#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/findings.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "cli/with_option.h"
#include "ropewalk/apply/rope_by_length.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/formats/safetensors.h"

namespace ropewalk::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string q, k, positions, token_ids, output;
  std::string head_dim, rotary_dim, base, pairing, layer, part, seq_len, layout;
  bool inverse = false, json = false, force = false, bf16 = false;
};

// Without a model: one window at the start of the head.
RopeConfig rope_from_options(const Options& o) {
  if (o.head_dim.empty() || o.pairing.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "without a MODEL, --head-dim and --pairing (half_split or interleaved) are needed: "
                "no file says them");
  }
  RopeConfig config;
  config.layout.head_dim = parse_integer(o.head_dim, "--head-dim");
  config.rotary_dim =
      o.rotary_dim.empty() ? config.layout.head_dim : parse_integer(o.rotary_dim, "--rotary-dim");
  const int64_t head_dim = config.layout.head_dim;
  if (head_dim < 2 || head_dim > 65536) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--head-dim: expected 2..65536, found {}", head_dim));
  }
  if (config.rotary_dim < 2 || config.rotary_dim > head_dim || config.rotary_dim % 2 != 0) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("{}: expected an even number in 2..{}, found {}",
                    o.rotary_dim.empty() ? "--head-dim without --rotary-dim" : "--rotary-dim",
                    head_dim, config.rotary_dim));
  }
  if (!o.base.empty()) config.rope_theta = parse_number(o.base, "--base");
  if (config.rope_theta < 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--base: expected at least 1, found {}", config.rope_theta));
  }
  config.layout.windows = {
      {0, config.rotary_dim, parse_name(o.pairing, "--pairing", pairing_from_name)}};
  return config;
}

struct Chosen {
  RopeConfig rope;
  std::optional<Layer> layer;  // of a MODEL
};

Chosen rope_of_model(const Options& o) {
  if (!o.head_dim.empty() || !o.rotary_dim.empty() || !o.base.empty() || !o.pairing.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "--head-dim, --rotary-dim, --base and --pairing are said by the MODEL: give one or "
                "the others");
  }
  if (!o.layer.empty() && !o.part.empty()) {
    throw Error(ErrorCode::invalid_argument, "give either --layer or --part");
  }
  const ModelEncoding model = load(o.model).model;
  if (!o.part.empty()) return {rope_of_part(part_option(model, o.part), model.name), {}};
  const int64_t layer = o.layer.empty() ? 0 : parse_integer(o.layer, "--layer");
  Chosen chosen{.layer = layer_option(model, layer)};
  if (o.model.with.empty()) warn_of_findings(model, o.model.model);
  chosen.rope = rope_at(model, layer);
  return chosen;
}

Chosen rope_from(const Options& o) {
  if (!o.model.model.empty()) return rope_of_model(o);
  for (const auto& [option, value] : {std::pair{"--layer", &o.layer},
                                      {"--part", &o.part},
                                      {"--with", &o.model.with},
                                      {"--assume", &o.model.assume}}) {
    if (value->empty()) continue;
    throw Error(ErrorCode::invalid_argument, fmt::format("{} goes with a MODEL", option));
  }
  return {rope_from_options(o), {}};
}

int64_t sequence_length(const Tensor& x, TensorLayout layout, const std::string& file) {
  int64_t length = 0;
  with_input_files(file, [&] { length = as_bshd(x.view(), layout, "q").shape[1]; });
  return length;
}

// To be known before anything is written or printed.
void check_printable(const Options& o, const Tensor& x, const char* name) {
  constexpr int64_t kMostPrinted = 4096;
  if (num_elements(x.shape) <= kMostPrinted) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{} has {} numbers, more than the {} that are printed: give -o "
                  "FILE.safetensors{}",
                  name, num_elements(x.shape), kMostPrinted, o.json ? " without --json" : ""));
}

void print_rotated(const Tensor& q, const std::optional<Tensor>& k, bool json) {
  nlohmann::ordered_json out;
  for (const auto& [name, tensor] : {std::pair{"q", &q}, {"k", k ? &*k : nullptr}}) {
    if (tensor == nullptr) continue;
    const Tensor numbers = converted(tensor->view(), DType::f32);
    const std::span values(reinterpret_cast<const float*>(numbers.bytes.data()),
                           numbers.bytes.size() / 4);
    if (json) {
      out[name] = {{"shape", std::vector<int64_t>(tensor->shape.begin(), tensor->shape.end())},
                   {"dtype", ropewalk::name(tensor->dtype)},
                   {"values", json_numbers(values)}};
      continue;
    }
    fmt::print("{} {} {}\n", name, ropewalk::name(tensor->dtype), to_string(tensor->shape));
    const auto row = static_cast<size_t>(tensor->shape.back());
    for (size_t i = 0; i < values.size(); ++i) {
      fmt::print("{}{}", values[i], (i + 1) % row == 0 ? "\n" : " ");
    }
  }
  if (json) print_json(out);
}

void write_rotated(const Options& o, const Tensor& q, const std::optional<Tensor>& k) {
  if (o.output.ends_with(".npy")) return write_npy(o.output, q.view(), overwrite(o.force));
  std::vector<std::pair<std::string, ConstTensorView>> tensors = {{"q", q.view()}};
  if (k) tensors.emplace_back("k", k->view());
  write_safetensors(o.output, tensors, {}, overwrite(o.force));
}

void check_output_name(const Options& o) {
  if (o.output.empty()) return;
  const bool npy = o.output.ends_with(".npy");
  if (!npy && !o.output.ends_with(".safetensors")) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("-o: \"{}\" does not end in .safetensors or .npy", escaped(o.output)));
  }
  if (npy && !o.k.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "-o: an .npy file holds one array; q and k together need .safetensors");
  }
  check_output(o.output, overwrite(o.force));
}

int rotate(const Options& o) {
  check_output_name(o);
  const TensorLayout layout = o.layout.empty()
                                  ? TensorLayout::bshd
                                  : parse_name(o.layout, "--layout", tensor_layout_from_name);
  const Chosen chosen = rope_from(o);
  const RopeConfig& rope = chosen.rope;
  const int64_t seq_len = seq_len_option(o.seq_len);
  if (seq_len > 0) warn_of_ignored_length(rope, seq_len);
  Tensor q = load_tensor(o.q, "q", o.bf16);
  std::optional<Tensor> k;
  if (!o.k.empty()) k = load_tensor(o.k, "k", o.bf16);
  if (chosen.layer) {
    const auto given = o.layout.empty() ? std::nullopt : std::optional(layout);
    check_head_count(*chosen.layer, {"q", q.shape}, o.q, given);
    if (k) check_head_count(*chosen.layer, {"k", k->shape, true}, o.k, given);
  }
  const std::string files = o.k.empty() ? o.q : o.q + ", " + o.k;
  const Positions positions =
      read_positions(o.positions, o.token_ids, sequence_length(q, layout, o.q), &rope);
  with_input_files(files, [&] {
    const std::optional<Rotated> rotated_k = k ? std::optional(in_place(k->view())) : std::nullopt;
    ropewalk::rotate(rope, positions.view(), in_place(q.view()), rotated_k,
                     {.tensor_layout = layout,
                      .direction = o.inverse ? Direction::inverse : Direction::forward,
                      .seq_len = seq_len});
  });
  if (o.output.empty() || o.json) {
    check_printable(o, q, "q");
    if (k) check_printable(o, *k, "k");
  }
  if (!o.output.empty()) write_rotated(o, q, k);
  if (o.output.empty() || o.json) print_rotated(q, k, o.json);
  return 0;
}

}  // namespace

Run declare_rotate(CLI::App& app) {
  app.description(
      "Example: ropewalk rotate llama-3-8b --q q.npy --k k.npy --positions 0..16 -o "
      "rotated.safetensors\n\n"
      "Rotates each pair (a, b) of channels of q and k by the angle position x inv_freq:\n"
      "  a' = a cos - b sin,  b' = b cos + a sin\n"
      "Arrays are f2, f4 or bf16: [batch, seq, heads, head_dim] or [seq, heads, head_dim]. "
      "--layout bhsd\n"
      "stands for heads before seq, thd for [tokens, heads, head_dim].");
  const auto o = std::make_shared<Options>();
  app.add_option("MODEL", o->model.model,
                 "a config.json, GGUF or params.json, its folder, or a preset (ropewalk models); "
                 "or the next four options")
      ->type_name("MODEL");
  add_text_option(app, "--head-dim", o->head_dim, "without MODEL: channels of a head", "D");
  add_text_option(app, "--rotary-dim", o->rotary_dim, "without MODEL: channels that turn (all)",
                  "R");
  add_text_option(app, "--base", o->base, "without MODEL: rope_theta (10000)", "B");
  add_choice_option(app, "--pairing", o->pairing, {"half_split", "interleaved"},
                    "without MODEL: half_split (i, i+R/2); interleaved (2i, 2i+1)");
  app.add_option("--q", o->q, "queries: FILE.npy, or q of FILE.safetensors or FILE.pt")
      ->required()
      ->type_name("FILE");
  app.add_option("--k", o->k, "keys: FILE.npy, or k of FILE.safetensors or FILE.pt")
      ->type_name("FILE");
  add_text_option(
      app, "--positions", o->positions,
      "7 | 0..16 | 0,5,9 | FILE.npy of i4/i8 [S], [B, S] or [axes, B, S], B of 1 for all "
      "sequences (0..S); one list serves all axes of M-RoPE (text)",
      "P");
  app.add_option("--token-ids", o->token_ids,
                 "ChatGLM-6B: FILE.npy of the token ids; positions follow from gMASK and bos")
      ->type_name("FILE");
  add_choice_option(app, "--layout", o->layout, {"bshd", "bhsd", "thd"},
                    "order of the dimensions of q and k (bshd)");
  add_text_option(app, "--layer", o->layer, "layer of the model (0)", "N");
  add_text_option(app, "--part", o->part, "a part beside the layers, by the name that show prints",
                  "NAME");
  add_text_option(app, "--seq-len", o->seq_len, kSeqLenHelp, "N");
  add_reading_options(app, o->model);
  app.add_flag("--inverse", o->inverse, "undo the rotation");
  app.add_flag("--bf16", o->bf16, "\"|V2\" arrays of .npy files are bf16");
  app.add_option("-o,--output", o->output,
                 "write q and k to FILE.safetensors, or q alone to FILE.npy; absent: print them")
      ->type_name("FILE");
  app.add_flag("--json", o->json, "print the result as JSON");
  app.add_flag("--force", o->force, "replace an output file that exists");
  return [o] { return rotate(*o); };
}

}  // namespace ropewalk::cli
