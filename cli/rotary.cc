#include "cli/rotary.h"

#include <cstring>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/formats/npy.h"
#include "ropewalk/positions/chatglm.h"
#include "ropewalk/positions/mrope.h"

namespace ropewalk::cli {
namespace {

constexpr std::string_view kTwoAxes = " (ChatGLM-6B: position and block position)";

Tensor tensor_of(const std::vector<int64_t>& values, const Dims& shape) {
  Tensor tensor = make_tensor(DType::i64, shape);
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
  return tensor;
}

}  // namespace

std::vector<int64_t> read_token_ids(const std::string& path) {
  const Tensor ids = read_npy(path);
  if (ids.shape.size() != 1 || (ids.dtype != DType::i64 && ids.dtype != DType::i32)) {
    throw Error(
        ErrorCode::malformed,
        fmt::format("{}: expected the token ids of one sequence, i4 or i8 [tokens], found {} {}",
                    escaped(path), name(ids.dtype), to_string(ids.shape)));
  }
  return integers_of(ids);
}

const Layer& layer_option(const ModelEncoding& model, int64_t layer) {
  try {
    return layer_at(model, layer);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--{}", error.what()));
  }
}

const NamedEncoding& part_option(const ModelEncoding& model, const std::string& name) {
  try {
    return part_at(model, name);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--{}", error.what()));
  }
}

const RopeConfig& rope_of_part(const NamedEncoding& part, const std::string& model) {
  if (const auto* rope = std::get_if<RopeConfig>(&part.encoding)) return *rope;
  throw Error(ErrorCode::unsupported, fmt::format("{}: {}: expected rope, found {}", escaped(model),
                                                  part.name, name(part.encoding)));
}

int64_t seq_len_option(const std::string& text) {
  if (text.empty()) return 0;
  const int64_t length = parse_integer(text, "--seq-len");
  if (length >= 1) return length;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("--seq-len: expected at least 1, found {}", length));
}

void warn_of_ignored_length(const RopeConfig& rope, int64_t seq_len) {
  if (!spectra_by_length(rope, seq_len, 0).ignores_length) return;
  fmt::print(stderr,
             "ropewalk: warning: --seq-len changes nothing: rope_type {} does not depend on the "
             "length\n",
             rope.rope_type);
}

namespace {

// A position for each token: a list on the command line that is too short or long is a wrong
// option, a file of the wrong shape a wrong file.
void check_length(const Tensor& ids, const std::string& option, int64_t length) {
  const int64_t found = ids.shape.empty() ? 0 : ids.shape.back();
  if (found == length) return;
  if (option.ends_with(".npy")) {
    throw Error(
        ErrorCode::malformed,
        fmt::format(
            "{}: expected {} position ids for each sequence, one for each token, found shape {}",
            escaped(option), length, to_string(ids.shape)));
  }
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("--positions: expected {} positions, one for each token, found {} in \"{}\"",
                  length, found, escaped(option)));
}

Positions positions_by_tokens(const std::string& token_ids, int64_t length) {
  Positions result;
  const std::vector<int64_t> tokens = read_token_ids(token_ids);
  if (std::ssize(tokens) != length) {
    throw Error(ErrorCode::malformed, fmt::format("{}: expected {} token ids, found {}",
                                                  escaped(token_ids), length, tokens.size()));
  }
  with_input_files(token_ids, [&] {
    const ChatGlmPositions ids = chatglm_positions(tokens);
    result.ids = tensor_of(ids.planes(), {2, 1, std::ssize(ids.position)});
  });
  return result;
}

// What may be given for a layer that turns on several axes.
std::string ways_to_give(int64_t axes, bool one_list) {
  std::string ways;
  if (axes == 2 && !one_list) ways = "--token-ids IDS.npy or ";
  if (one_list) ways = "--positions 0..S, the same on each axis as for text, or ";
  return ways + fmt::format("--positions FILE.npy of shape [{}, batch, seq]", axes);
}

}  // namespace

Positions read_positions(const std::string& positions, const std::string& token_ids, int64_t length,
                         const RopeConfig* rope) {
  const int64_t axes = rope == nullptr ? 1 : rope->position_axes;
  const bool one_list = rope == nullptr || one_list_of_positions(*rope);
  if (!token_ids.empty() && !positions.empty()) {
    throw Error(ErrorCode::invalid_argument, "give either --positions or --token-ids");
  }
  if (!token_ids.empty()) {
    if (axes == 2 && !one_list) return positions_by_tokens(token_ids, length);
    throw Error(ErrorCode::invalid_argument,
                "--token-ids is for ChatGLM-6B, whose positions follow from gMASK and bos");
  }
  if (!positions.empty()) {
    Positions result{load_positions(positions)};
    if (!one_list && result.ids.shape.size() != 3) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("--positions: expected an .npy file [{}, batch, seq]{}, as this "
                              "model turns on {} position axes{}, found shape {}",
                              axes, axes == 2 ? " or --token-ids" : "", axes,
                              axes == 2 ? kTwoAxes : "", to_string(result.ids.shape)));
    }
    check_length(result.ids, positions, length);
    return result;
  }
  if (axes > 1) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("this model turns on {} position axes{}: give {}", axes,
                            axes == 2 ? kTwoAxes : "", ways_to_give(axes, one_list)));
  }
  std::vector<int64_t> run(static_cast<size_t>(length));
  std::iota(run.begin(), run.end(), 0);
  return {tensor_of(run, {length})};
}

void check_head_count(const Layer& layer, const NamedHeads& heads, const std::string& file,
                      std::optional<TensorLayout> given) {
  const TensorLayout layout = given.value_or(TensorLayout::bshd);
  if (!given) with_input_files(file, [&] { check_not_transposed(layer, heads, layout); });
  const std::string strange = strange_head_count(layer, heads, layout);
  if (strange.empty()) return;
  fmt::print(stderr, "ropewalk: warning: {}: {}\n", escaped(file), strange);
}

}  // namespace ropewalk::cli
