#include "cli/attend_share.h"

#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/rotary.h"
#include "cli/version.h"
#include "ropewalk/base/version.h"
#include "ropewalk/encoding/to_json.h"
#include "ropewalk/parallel/prepare_shard.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::cli {
namespace {

[[noreturn]] void fail(const std::string& why, ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, why);
}

// FNV-1a, for "the same or not".
std::string fingerprint(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("#{:016x}", hash);
}

template <typename T>
std::string fingerprint_of(std::span<const T> numbers) {
  return fmt::format(
      "{} numbers {}", numbers.size(),
      fingerprint({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}));
}

std::string fingerprint_of(const std::optional<Tensor>& tensor) {
  if (!tensor) return "none";
  return fingerprint_of(std::span<const std::byte>(tensor->bytes));
}

// Sequences of `length` tokens, one behind the other.
std::vector<int64_t> even_starts(int64_t count, int64_t length) {
  std::vector<int64_t> starts;
  for (int64_t s = 0; s <= count; ++s) starts.push_back(s * length);
  return starts;
}

// 1 where a key is shown, of all sequences.
std::vector<uint8_t> shown_keys(const std::string& path, int64_t batch, int64_t keys) {
  if (path.empty()) return {};
  const Tensor mask = *read_key_mask(path);
  if (!(mask.shape == Dims{batch, keys})) {
    fail(fmt::format("{}: key_mask: expected shape [batch, keys] = {}, found {}", escaped(path),
                     to_string(Dims{batch, keys}), to_string(mask.shape)),
         ErrorCode::malformed);
  }
  std::vector<uint8_t> shown;
  const size_t size = size_in_bytes(mask.dtype);
  for (size_t at = 0; at < mask.bytes.size(); at += size) {
    uint64_t value = 0;  // the lowest byte first; negative numbers are above 1
    std::memcpy(&value, mask.bytes.data() + at, size);
    if (value > 1 || is_floating(mask.dtype)) {
      fail(fmt::format("{}: key_mask: expected 0 and 1 of bool, u8, i32 or i64, found {} of {}",
                       escaped(path), value, name(mask.dtype)),
           ErrorCode::malformed);
    }
    shown.push_back(static_cast<uint8_t>(value));
  }
  return shown;
}

// [axes, 1, keys of all sequences] from [S], [B, S] or [axes, B, S].
std::vector<int64_t> of_stream(const Tensor& ids, int64_t axes, int64_t batch, int64_t keys) {
  const PositionReader reader(positions_of(ids.view()), batch, keys, axes);
  std::vector<int64_t> result;
  for (int64_t axis = 0; axis < axes; ++axis) {
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t i = 0; i < keys; ++i) result.push_back(reader.at(axis, b, i));
    }
  }
  return result;
}

// What changes what it is written into is float32.
Tensor read_rows(const HeadsFile& file, const RingShard& shard, TensorLayout layout, bool changed) {
  Tensor rows = file.rows(shard.rows, layout);
  if (rows.dtype == DType::f32 || !changed) return rows;
  return converted(std::as_const(rows).view(), DType::f32);
}

}  // namespace

void AttendShare::find_sequences(const AttendInput& input, const RankOptions& how, const Dims& q,
                                 const Dims& k) {
  const auto bshd = [&](const Dims& shape, const char* what) {
    return as_bshd(make_view(static_cast<const void*>(nullptr), DType::f32, shape), layout_, what)
        .shape;
  };
  const Dims q4 = bshd(q, "q"), k4 = bshd(k, "k");
  batch_ = k4[0];
  keys_ = k4[1];
  if (q4[0] != batch_) {
    fail(fmt::format("q has shape {} but k has {}: {} and {} sequences", to_string(q), to_string(k),
                     q4[0], batch_));
  }
  sequences_.query_starts = even_starts(batch_, q4[1]);
  sequences_.key_starts = even_starts(batch_, keys_);
  if (!how.cu_seqlens.empty()) {
    if (q.size() != 3 || layout_ == TensorLayout::bhsd) {
      fail("--cu-seqlens: packed sequences are [tokens, heads, head_dim], found q of shape " +
           to_string(q));
    }
    const std::vector<int64_t> starts = load_position_list(how.cu_seqlens);
    for (const auto& [what, tokens] : {std::pair{"q", q4[1]}, {"k", keys_}}) {
      if (!starts.empty() && starts.back() == tokens) continue;
      fail(fmt::format("--cu-seqlens: expected boundaries up to the {} tokens of {}, found {}",
                       tokens, what, starts.empty() ? "none" : std::to_string(starts.back())));
    }
    sequences_.query_starts = sequences_.key_starts = starts;
  }
  sequences_.key_shown = shown_keys(input.key_mask, batch_, keys_);
}

void AttendShare::prepare(const Layer& layer, const AttendInput& input, int64_t rank) {
  StreamPositions positions{.seq_len = input.seq_len};
  const auto* rope = std::get_if<RopeConfig>(&layer.positions);
  const int64_t axes = rope == nullptr ? 1 : rope->position_axes;
  if (reads_position_ids(layer) && (!input.positions.empty() || axes > 1)) {
    const Positions read = read_positions(input.positions, input.token_ids, keys_, rope);
    const int64_t planes = read.ids.shape.size() == 3 ? read.ids.shape[0] : 1;
    positions_ = of_stream(read.ids, planes, batch_, keys_);
    positions.ids = positions_of(make_view(static_cast<const void*>(positions_.data()), DType::i64,
                                           {planes, 1, batch_ * keys_}));
  }
  prepare_shard(layer, learned_.norms(), sequences_, rank, positions,
                {q_.view(), k_.view(), v_.view()});
}

void AttendShare::state(const Layer& layer, const AttendInput& input, const HeadsFile& q,
                        const HeadsFile& k, const HeadsFile& v) {
  facts_ = {{"version", fmt::format("{} {}", ROPEWALK_VERSION, kCommit)},
            {"layer", fingerprint(to_json(layer).dump())}};
  if (const auto* rope = std::get_if<RopeConfig>(&layer.positions)) {
    const int64_t length = input.seq_len > 0 ? input.seq_len : keys_;
    const Spectrum spectrum = make_spectrum(*rope, length);
    facts_.push_back({"spectrum", fingerprint(to_json(spectrum).dump())});
  }
  for (const auto& [name, file] : {std::pair{"q", &q}, {"k", &k}, {"v", &v}}) {
    facts_.push_back({fmt::format("shape of {}", name), to_string(file->shape())});
    facts_.push_back(
        {fmt::format("dtype of {}", name), std::string(ropewalk::name(file->dtype()))});
  }
  facts_.push_back({"layout", std::string(ropewalk::name(layout_))});
  facts_.push_back({"ranks", std::to_string(sequences_.ranks)});
  facts_.push_back({"order", sequences_.order == ShardOrder::zigzag ? "zigzag" : "contiguous"});
  facts_.push_back({"cu_seqlens", fingerprint_of(std::span<const int64_t>(sequences_.key_starts))});
  facts_.push_back({"key_mask", fingerprint_of(std::span<const uint8_t>(sequences_.key_shown))});
  facts_.push_back({"positions", fingerprint_of(std::span<const int64_t>(positions_))});
  facts_.push_back({"prefix", std::to_string(prefix_[0])});
  facts_.push_back({"q_norm", fingerprint_of(learned_.q_norm)});
  facts_.push_back({"k_norm", fingerprint_of(learned_.k_norm)});
  facts_.push_back({"sinks", fingerprint_of(learned_.sinks)});
  facts_.push_back({"bucket_bias", fingerprint_of(learned_.bucket_bias)});
}

AttendShare::AttendShare(const Layer& layer, const AttendInput& input, const RankOptions& how,
                         int64_t rank, int64_t ranks)
    : files_(fmt::format("{}, {}, {}", input.q, input.k, input.v)) {
  check_computed(layer);
  learned_ = read_learned_numbers(layer, input);
  const HeadsFile q(input.q, "q", input.bf16), k(input.k, "k", input.bf16),
      v(input.v, "v", input.bf16);
  const auto given =
      input.layout.empty()
          ? std::nullopt
          : std::optional(parse_name(input.layout, "--layout", tensor_layout_from_name));
  layout_ = given.value_or(TensorLayout::bshd);
  if (rank == 0) {
    check_head_count(layer, {"q", q.shape()}, input.q, given);
    check_head_count(layer, {"k", k.shape(), true}, input.k, given);
  }
  prefix_[0] = prefix_of(layer, input.prefix, input.token_ids);
  sequences_.ranks = ranks;
  sequences_.order = shard_order(how);
  with_input_files(files_, [&] {
    find_sequences(input, how, q.shape(), k.shape());
    scores_ = scores_of(layer, learned_.scores());
    scores_.options.alibi_slopes = scores_.slopes;
    scores_.options.distance_bias = scores_.distance_bias;
    scores_.options.prefix = prefix_;
    const RingShard queries = query_shard(sequences_, rank), keys = key_shard(sequences_, rank);
    if (!(v.shape().size() == k.shape().size() &&
          as_bshd(make_view(static_cast<const void*>(nullptr), DType::f32, v.shape()), layout_, "v")
                  .shape[1] == keys_)) {
      fail(fmt::format("k has shape {} but v has {}", to_string(k.shape()), to_string(v.shape())));
    }
    q_ = read_rows(q, queries, layout_, changes_q_and_k(layer));
    k_ = read_rows(k, keys, layout_, changes_q_and_k(layer));
    v_ = read_rows(v, keys, layout_, changes_v(layer));
    prepare(layer, input, rank);
    Tensor out = own_output();
    check_ring({q_.view(), k_.view(), v_.view(), out.view()}, sequences_, scores_.options, rank);
  });
  out_shape_ = q.shape();
  out_shape_[out_shape_.size() - 1] = v.shape().back();
  state(layer, input, q, k, v);
}

Tensor AttendShare::own_output() const {
  return make_tensor(DType::f32, {q_.shape[0], q_.shape[1], v_.shape[2]});
}

Tensor AttendShare::attend(const RingExchange& exchange, int threads) const {
  Tensor out = own_output();
  AttentionOptions options = scores_.options;
  options.parallel.threads = threads;
  if (exchange.rank == 0) options.progress = attend_progress();
  ring_attend({q_.view(), k_.view(), v_.view(), out.view()}, sequences_, options, exchange);
  if (options.progress) fmt::print(stderr, "\r\033[K");
  return out;
}

Tensor AttendShare::whole() const { return make_tensor(DType::f32, out_shape_); }

void AttendShare::place(const RingShard& shard, std::span<const std::byte> rows,
                        Tensor& whole) const {
  const TensorView to = as_bshd(whole.view(), layout_, "out");
  const size_t piece = static_cast<size_t>(to.shape[3]) * sizeof(float);
  if (rows.size() != shard.rows.size() * static_cast<size_t>(to.shape[2]) * piece) {
    fail(fmt::format("output of a rank: expected {} tokens, found {} bytes", shard.rows.size(),
                     rows.size()),
         ErrorCode::internal);
  }
  const std::byte* from = rows.data();
  for (const int64_t row : shard.rows) {
    for (int64_t h = 0; h < to.shape[2]; ++h, from += piece) {
      const int64_t at =
          row / to.shape[1] * to.strides[0] + row % to.shape[1] * to.strides[1] + h * to.strides[2];
      std::memcpy(static_cast<float*>(to.data) + at, from, piece);
    }
  }
}

}  // namespace ropewalk::cli
