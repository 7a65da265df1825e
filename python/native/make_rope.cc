// A rope from the arguments of its constructor.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/native/arguments.h"
#include "python/native/docs.h"
#include "python/native/rope.h"
#include "ropewalk/base/error.h"
#include "ropewalk/spectrum/scaling_parameters.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk::python {
namespace {

void add_parameter(RopeConfig& config, const std::string& key, nb::handle value) {
  std::vector<std::string_view> known;
  for (const ScalingParameter& parameter : scaling_parameters(config.rope_type)) {
    known.push_back(parameter.key);
  }
  known.push_back(kFreqFactors.key);
  if (std::find(known.begin(), known.end(), key) == known.end()) {
    fail(fmt::format("scaling: expected the keys of rope_type {} ({}), found \"{}\"",
                     config.rope_type, fmt::join(known, ", "), escaped(key)));
  }
  if (value.is_none()) return;
  const auto wrong = [&] {
    fail(fmt::format("scaling: {}: expected a number, true, false or a list of numbers, found {}",
                     key, found(value)));
  };
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    if (!nb::try_cast(value, config.lists[key])) wrong();
  } else if (PyBool_Check(value.ptr())) {
    config.parameters[key] = value.ptr() == Py_True ? 1 : 0;
  } else if (!nb::try_cast(value, config.parameters[key])) {
    wrong();
  }
}

template <typename T>
T value_of(nb::handle value, const std::string& key, const char* expected) {
  T result{};
  if (!nb::try_cast(value, result)) {
    fail(fmt::format("scaling: {}: expected {}, found {}", key, expected, found(value)));
  }
  return result;
}

// A rope block of config.json, as a dict.
void add_scaling(RopeConfig& config, const nb::dict& scaling, bool base_given) {
  std::map<std::string, nb::object> others;
  for (const auto [key, value] : scaling) {
    const std::string name = utf8(key);
    if (name == "rope_type" || name == "type") {
      config.rope_type = text(value, "scaling: rope_type");
    } else if (name == "rope_theta") {
      const double base = value_of<double>(value, name, "a number");
      if (base_given && base != config.rope_theta) {
        fail(fmt::format("base: expected one, found {} and rope_theta {} in scaling",
                         config.rope_theta, base));
      }
      config.rope_theta = base;
    } else if (name == "mrope_section") {
      config.mrope_section = value_of<std::vector<int64_t>>(value, name, "a list of integers");
      config.position_axes = std::ssize(config.mrope_section);
    } else if (name == "mrope_interleaved") {
      if (value_of<bool>(value, name, "true or false"))
        config.mrope_order = MropeOrder::interleaved;
    } else {
      others[name] = nb::borrow(value);
    }
  }
  for (const auto& [name, value] : others) add_parameter(config, name, value);
}

struct Arguments {
  int64_t head_dim = 0;
  std::string pairing;
  std::optional<double> base;
  std::optional<int64_t> rotary_dim, seq_len, heads, kv_heads;
};

Rope rope_of(const Arguments& from, nb::handle scaling) {
  if (from.pairing.empty()) {
    fail("pairing: expected \"half_split\" or \"interleaved\", found none; no number says it");
  }
  RopeConfig config;
  const int64_t head_dim = from.head_dim;
  if (head_dim < 2 || head_dim > 65536) {
    fail(fmt::format("head_dim: expected 2..65536, found {}", head_dim));
  }
  config.rotary_dim = from.rotary_dim.value_or(head_dim);
  if (config.rotary_dim < 2 || config.rotary_dim > head_dim || config.rotary_dim % 2 != 0) {
    fail(fmt::format("{}: expected an even number in 2..{}, found {}",
                     from.rotary_dim ? "rotary_dim" : "head_dim without rotary_dim", head_dim,
                     config.rotary_dim));
  }
  config.rope_theta = from.base.value_or(10000);
  if (!(static_cast<float>(config.rope_theta) > 0) ||
      config.rope_theta > std::numeric_limits<float>::max()) {
    fail(fmt::format("base: expected a positive number that float32 holds, found {}",
                     config.rope_theta));
  }
  config.layout = {
      head_dim,
      {{0, config.rotary_dim, named("pairing", [&] { return pairing_from_name(from.pairing); })}}};
  if (nb::isinstance<nb::dict>(scaling)) {
    add_scaling(config, nb::cast<nb::dict>(scaling), from.base.has_value());
  } else if (!scaling.is_none()) {
    fail(fmt::format("scaling: expected a dict with the keys of a rope block, found {}",
                     found(scaling)));
  }
  for (const auto& [name, count] :
       {std::pair{"heads", from.heads}, {"kv_heads", from.kv_heads}, {"seq_len", from.seq_len}}) {
    if (count.value_or(1) < 1) fail(fmt::format("{}: expected at least 1, found {}", name, *count));
  }
  if (from.heads && from.kv_heads && *from.heads % *from.kv_heads != 0) {
    fail(fmt::format("kv_heads: expected a divisor of heads = {}, found {}", *from.heads,
                     *from.kv_heads));
  }
  Layer heads;
  heads.heads = from.heads.value_or(0);
  heads.kv_heads = from.kv_heads.value_or(heads.heads);
  heads.head_dim = head_dim;
  return make_rope(std::move(config), from.seq_len.value_or(0), heads);
}

}  // namespace

Rope make_rope(RopeConfig config, int64_t seq_len, const Layer& heads) {
  Rope rope{.config = std::move(config), .seq_len = seq_len};
  rope.heads.heads = heads.heads;
  rope.heads.kv_heads = heads.kv_heads;
  rope.heads.head_dim = heads.head_dim;
  rope.spectrum = make_spectrum(rope.config, seq_len);
  check_layout(rope.config.layout);
  constexpr int64_t kLong = int64_t{1} << 31;  // tokens; more than any context
  rope.by_length =
      seq_len == 0 && make_spectrum(rope.config, 1) != make_spectrum(rope.config, kLong);
  return rope;
}

void bind_constructor(nb::class_<Rope>& rope) {
  using nb::arg;
  rope.def(
      "__init__",
      [](Rope* self, nb::handle head_dim, nb::handle pairing, nb::handle base,
         nb::handle rotary_dim, nb::handle scaling, nb::handle seq_len, nb::handle heads,
         nb::handle kv_heads) {
        const Arguments given{.head_dim = integer(head_dim, "head_dim"),
                              .pairing = text_or_none(pairing, "pairing").value_or(""),
                              .base = number_or_none(base, "base"),
                              .rotary_dim = integer_or_none(rotary_dim, "rotary_dim"),
                              .seq_len = integer_or_none(seq_len, "seq_len"),
                              .heads = integer_or_none(heads, "heads"),
                              .kv_heads = integer_or_none(kv_heads, "kv_heads")};
        new (self) Rope(rope_of(given, scaling));
      },
      arg("head_dim").none(), nb::kw_only(), arg("pairing").none() = nb::none(),
      arg("base").none() = nb::none(), arg("rotary_dim").none() = nb::none(),
      arg("scaling").none() = nb::none(), arg("seq_len").none() = nb::none(),
      arg("heads").none() = nb::none(), arg("kv_heads").none() = nb::none(),
      nb::sig(docs::kMakeRopeSig));
  // As define does for other functions.
  rope.def(
      "__init__",
      [](nb::handle, const nb::args& given, const nb::kwargs& keywords) {
        refuse_call(docs::kMakeRopeSig, "Rope", given.size(), keywords);
      },
      nb::sig("def __init__(...)"));
}

}  // namespace ropewalk::python
