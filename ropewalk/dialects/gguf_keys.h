#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ropewalk/dialects/key_rules.h"
#include "ropewalk/dialects/said.h"
#include "ropewalk/formats/gguf.h"

namespace ropewalk {

// The keys of a GGUF's own architecture, "<architecture>.rope.freq_base" by "rope.freq_base", and
// which of them were looked at.
class GgufKeys {
 public:
  // `path` is that of `file`, which must outlive the keys.
  GgufKeys(const GgufFile& file, const std::filesystem::path& path);

  const GgufFile& file() const { return file_; }
  // The file, or the other part of a split model beside it, that holds a tensor; null: none.
  const GgufFile* file_with_tensor(std::string_view name) const;
  // Parts of the model that are not beside the file.
  const std::vector<std::string>& missing_parts() const { return missing_parts_; }
  const std::string& architecture() const { return architecture_; }
  // The whole key. It counts as looked at.
  std::string key(std::string_view name);

  // As the getters of GgufFile. A number must be finite, and a float32 is read as the shortest
  // decimal that rounds to it, as the model's config.json had it: 0.1, not 0.10000000149.
  std::optional<int64_t> integer(std::string_view name) { return file_.integer(key(name)); }
  std::optional<double> number(std::string_view name);
  std::optional<bool> boolean(std::string_view name) { return file_.boolean(key(name)); }
  std::optional<std::string> text(std::string_view name) { return file_.text(key(name)); }
  // Nothing where the key is absent or no array.
  std::optional<std::vector<int64_t>> integers(std::string_view name);

  // What the file says of a key; throws malformed for a value that the rule does not allow.
  Said<int64_t> said_integer(std::string_view name, const IntegerRule& rule);
  Said<double> said_number(std::string_view name, const NumberRule& rule);
  // A key that says nothing, or something else, as the place of a value.
  template <typename T>
  Said<T> said(std::string_view name, std::optional<T> value = {}) {
    const std::string full = escaped(key(name));
    return {std::move(value), file_.label() + ": " + full, full};
  }

  [[noreturn]] void fail(std::string_view name, const std::string& what) {
    file_.fail(key(name), what);
  }
  // Keys of the rope that were not looked at, each a line for a warning.
  std::vector<std::string> unread_rope_keys() const;

 private:
  const GgufFile& file_;
  std::string architecture_;
  std::deque<GgufFile> other_parts_;
  std::vector<std::string> missing_parts_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace ropewalk
