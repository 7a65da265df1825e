#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "ropewalk/base/error.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// Which integers a key may hold.
struct IntegerRule {
  int64_t least = 1;
  int64_t most = int64_t{1} << 53;  // up to here a number written 1e6 is exact
  int64_t multiple_of = 1;
};

// Which numbers a key may hold, in words for the message and as a test. NaN and infinities never
// reach the test: in the file they are not numbers.
struct NumberRule {
  std::string_view expected;  // "a number of at least 1"
  bool (*holds)(double value);
};

// What holds when a key is absent or null.
template <typename T>
struct Default {
  T value;
  std::string_view reason;  // "default of LlamaConfig"
};

// What the file itself calls a key, by the key's JSON pointer, where the object was made of a file
// that is no JSON: "/rope_parameters/rope_theta" is "llama.rope.freq_base" in a GGUF.
using KeyNames = std::map<std::string, std::string, std::less<>>;

// One object of a model's config.json, read key by key. Every value that is taken leaves its
// evidence in the ModelEncoding, and a key of the wrong type or out of range is an error that names
// file and JSON pointer. A key that is null counts as absent.
class ConfigReader {
 public:
  // `object` must outlive the reader; `pointer` is where it is in the file, "" for the top. So must
  // `names`, for an object that was made of another file.
  ConfigReader(const nlohmann::ordered_json& object, std::string label, std::string pointer,
               ModelEncoding& findings, const KeyNames* names = nullptr);

  // An object inside a file, not the file itself.
  bool is_part() const { return !pointer_.empty(); }
  // Present and not null.
  bool has(std::string_view key) const;
  // Present and null.
  bool is_null(std::string_view key) const {
    const auto found = object_->find(std::string(key));
    return found != object_->end() && found->is_null();
  }
  // The first of the keys that the object has.
  std::optional<std::string_view> first_of(std::initializer_list<std::string_view> keys) const;

  // The value of a key and no evidence; nothing when the object has no such key.
  std::optional<int64_t> find_integer(std::string_view key, const IntegerRule& rule);
  std::optional<double> find_number(std::string_view key, const NumberRule& rule);
  std::optional<bool> find_boolean(std::string_view key);
  std::optional<std::string> find_text(std::string_view key);
  std::optional<ConfigReader> find_object(std::string_view key);
  // Lists of at most 65536 entries, each as above.
  std::optional<std::vector<int64_t>> find_integers(std::string_view key, const IntegerRule& rule);
  std::optional<std::vector<double>> find_numbers(std::string_view key, const NumberRule& rule);
  std::optional<std::vector<std::string>> find_texts(std::string_view key);

  // The same with evidence for `field`, from the first of the keys (names of one thing) that the
  // object has. Without a default the field must be there. Names that disagree leave a warning.
  int64_t integer(std::string_view field, std::initializer_list<std::string_view> keys,
                  const IntegerRule& rule, std::optional<Default<int64_t>> fallback = {});
  double number(std::string_view field, std::string_view key, const NumberRule& rule,
                const Default<double>& fallback);
  bool boolean(std::string_view field, std::string_view key, const Default<bool>& fallback);

  // The same place with some keys under other names; both arguments must outlive the reader.
  ConfigReader renamed(const nlohmann::ordered_json& object, const KeyNames& names) const {
    return ConfigReader(object, label_, pointer_, *findings_, &names);
  }

  // Another object as if it stood in the place of this one: defaults of a class, say.
  ConfigReader of(const nlohmann::ordered_json& object, std::string_view label) const {
    return ConfigReader(object, std::string(label), "", *findings_);
  }

  // The base of layers without a window is the class's own.
  void base_is_not_stated() { findings_->states_base = false; }

  // The key was looked at and says nothing that matters.
  void ignore(std::string_view key) { read_.emplace(key); }

  // Evidence for what no key says: a value that follows from others, or from the model's code.
  void note(std::string_view field, std::string value, std::string source);
  // The same words twice are one warning.
  void warn(std::string text);
  // A warning for each key of the object that was not looked at.
  void warn_unread();
  // The same for the keys that have to do with positions, at the top of a file where most have not.
  void warn_unread_position_keys(std::string_view family);

  const std::string& label() const { return label_; }
  // "/rope_scaling/factor", or the file's own name of it: where a key is, safe to print.
  std::string pointer_to(std::string_view key) const;
  // "config.json: /rope_theta": a key as the source of a fact.
  std::string source(std::string_view key) const;
  // Throws "<file>: <pointer of the key>: <what>".
  [[noreturn]] void refuse(ErrorCode code, std::string_view key, const std::string& what) const;
  // The keys as they are in the file.
  const nlohmann::ordered_json& json() const { return *object_; }

 private:
  std::string json_pointer(std::string_view key) const;
  const nlohmann::ordered_json* find(std::string_view key);
  const nlohmann::ordered_json* find_list(std::string_view key);
  // Refuses the entry `index` of a list.
  [[noreturn]] void refuse_entry(std::string_view key, size_t index,
                                 std::string_view expected) const;

  const nlohmann::ordered_json* object_;
  std::string label_, pointer_;
  ModelEncoding* findings_;
  const KeyNames* names_;
  std::set<std::string, std::less<>> read_;
};

// A value as a message shows it: a scalar as it is written, else "an array of 3" or "an object".
std::string described(const nlohmann::ordered_json& value);

// Rules that every family shares.
inline constexpr IntegerRule kHiddenSize{1, int64_t{1} << 31};
inline constexpr IntegerRule kHeadCount{1, int64_t{1} << 20};
inline constexpr IntegerRule kLayerCount{1, 4096};
inline constexpr IntegerRule kHeadDim{2, 65536, 2};
inline constexpr IntegerRule kPositionCount{};

}  // namespace ropewalk
