#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ropewalk/base/error.h"
#include "ropewalk/conventions/key_alias.h"
#include "ropewalk/dialects/key_rules.h"
#include "ropewalk/dialects/said.h"
#include "ropewalk/encoding/model_encoding.h"

namespace ropewalk {

// One object of a model's config.json, read key by key. Every value that is taken leaves its
// evidence in the ModelEncoding, and a key of the wrong type or out of range is an error that names
// file and JSON pointer. A key that is null counts as absent.
class ConfigReader {
 public:
  // `object` must outlive the reader; `pointer` is where it is in the file, "" for the top.
  ConfigReader(const nlohmann::ordered_json& object, std::string label, std::string pointer,
               ModelEncoding& findings);

  // An object inside a file, not the file itself.
  bool is_part() const { return !pointer_.empty(); }
  // Present and not null.
  bool has(std::string_view key) const;
  // Present and null.
  bool is_null(std::string_view key) const;
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

  // What the file says of the first of the keys (names of one thing) that it has; names that
  // disagree leave a warning.
  Said<int64_t> said_integer(std::initializer_list<std::string_view> keys, const IntegerRule& rule);
  // What it says of a key, which may be in an object: "attn_config/clip_qkv". Of "" nothing.
  Said<int64_t> said_integer(std::string_view path, const IntegerRule& rule);
  Said<double> said_number(std::string_view path, const NumberRule& rule);
  Said<bool> said_boolean(std::string_view path);
  Said<std::string> said_text(std::string_view path);
  Said<std::vector<int64_t>> said_integers(std::string_view path, const IntegerRule& rule);
  Said<std::vector<double>> said_numbers(std::string_view path, const NumberRule& rule);
  Said<std::vector<std::string>> said_texts(std::string_view path);

  // Keys that the file may call otherwise; they must outlive the reader.
  void know_as(std::span<const KeyAlias> aliases) { aliases_ = aliases; }

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
  ModelEncoding& findings() { return *findings_; }
  // "config.json: /rope_scaling", of an object.
  const std::string& pointer() const { return pointer_; }
  std::string place() const { return label_ + ": " + pointer_; }
  // "/rope_scaling/factor", under the name that the file has: where a key is, safe to print.
  std::string pointer_to(std::string_view key) const;
  // "config.json: /rope_theta": a key as the source of a fact.
  std::string source(std::string_view key) const;
  // Throws "<file>: <pointer of the key>: <what>".
  [[noreturn]] void refuse(ErrorCode code, std::string_view key, const std::string& what) const;
  // The keys as they are in the file.
  const nlohmann::ordered_json& json() const { return *object_; }

 private:
  // The name under which the file has the key.
  std::string_view name_of(std::string_view key) const;
  const nlohmann::ordered_json* entry(std::string_view key) const;
  const nlohmann::ordered_json* find(std::string_view key);
  template <typename T, typename Read>
  Said<T> said(std::string_view path, Read read);
  const nlohmann::ordered_json* find_list(std::string_view key);
  // Refuses the entry `index` of a list.
  [[noreturn]] void refuse_entry(std::string_view key, size_t index,
                                 std::string_view expected) const;

  const nlohmann::ordered_json* object_;
  std::string label_, pointer_;
  ModelEncoding* findings_;
  std::span<const KeyAlias> aliases_;
  std::set<std::string, std::less<>> read_;
};

// A value as a message shows it: a scalar as it is written, else "an array of 3" or "an object".
std::string described(const nlohmann::ordered_json& value);

}  // namespace ropewalk
