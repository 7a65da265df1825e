#include "ropewalk/formats/npy_header.h"

#include <charconv>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

class Scanner {
 public:
  Scanner(std::string_view text, uint64_t offset, const std::string& label)
      : text_(text), offset_(offset), label_(label) {}

  NpyHeader header() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const size_t start = at_;
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        once(has_descr, start, key);
        header.descr = descr();
      } else if (key == "fortran_order") {
        once(has_order, start, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, start, key);
        header.shape = tuple();
      } else {
        fail(start,
             fmt::format("expected one of the keys 'descr', 'fortran_order', 'shape', found '{}'",
                         escaped(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ < text_.size()) {
      fail(at_, fmt::format("expected the end of the header, found {}", found()));
    }
    if (!has_descr) fail(at_, "expected the key 'descr', found none");
    if (!has_order) fail(at_, "expected the key 'fortran_order', found none");
    if (!has_shape) fail(at_, "expected the key 'shape', found none");
    return header;
  }

 private:
  [[noreturn]] void fail(size_t at, const std::string& what,
                         ErrorCode code = ErrorCode::malformed) const {
    throw Error(code, fmt::format("{}: byte {}: NumPy header: {}", label_, offset_ + at, what));
  }

  std::string found() const {
    return at_ == text_.size() ? "the end of the header"
                               : fmt::format("'{}'", escaped(text_.substr(at_), 20));
  }

  void once(bool& seen, size_t at, const std::string& key) const {
    if (seen) fail(at, fmt::format("duplicate key '{}'", key));
    seen = true;
  }

  void skip_space() {
    while (at_ < text_.size() &&
           std::string_view(" \t\n\r\f").find(text_[at_]) != std::string::npos) {
      ++at_;
    }
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(at_, fmt::format("expected '{}', found {}", c, found()));
  }

  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') {
      fail(at_, fmt::format("expected a string in quotes, found {}", found()));
    }
    const size_t start = at_ + 1;
    const size_t end = text_.find(quote, start);
    if (end == std::string_view::npos) fail(at_, "string without an end");
    const std::string_view content = text_.substr(start, end - start);
    if (content.find('\\') != std::string_view::npos) fail(at_, "escape sequence in a string");
    at_ = end + 1;
    return std::string(content);
  }

  std::string descr() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[') {
      fail(at_, "'descr' is a structured type, which is not supported", ErrorCode::unsupported);
    }
    return quoted();
  }

  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    }
    fail(at_, fmt::format("'fortran_order': expected True or False, found {}", found()));
  }

  std::vector<uint64_t> tuple() {
    std::vector<uint64_t> values;
    const size_t start = (skip_space(), at_);
    if (!accept('(')) fail(at_, fmt::format("'shape': expected a tuple, found {}", found()));
    if (accept(')')) return values;
    for (;;) {
      values.push_back(dimension());
      if (values.size() > kMaxRank) fail(start, fmt::format("more than {} dimensions", kMaxRank));
      const bool comma = accept(',');
      if (accept(')')) {
        if (!comma && values.size() == 1) {
          fail(start, fmt::format("'shape': expected a tuple ({},), found a number", values[0]));
        }
        return values;
      }
      if (!comma) fail(at_, fmt::format("'shape': expected ',' or ')', found {}", found()));
    }
  }

  uint64_t dimension() {
    skip_space();
    uint64_t value = 0;
    const char* start = text_.data() + at_;
    const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
    const auto length = static_cast<size_t>(end - start);
    const bool leading_zero = length > 1 && *start == '0';
    constexpr uint64_t kLargest = INT64_MAX;
    if (error == std::errc::result_out_of_range || value > kLargest) {
      fail(at_, fmt::format("'shape': dimension too large: {}",
                            escaped(std::string_view(start, length))));
    }
    if (error != std::errc() || leading_zero) {
      fail(at_,
           fmt::format("'shape': expected an integer that is not negative, found {}", found()));
    }
    at_ += length;
    // Python 2 wrote its long integers so.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  static constexpr size_t kMaxRank = 64;  // of NumPy

  std::string_view text_;
  const uint64_t offset_;
  const std::string& label_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, uint64_t offset, const std::string& label) {
  return Scanner(text, offset, label).header();
}

}  // namespace ropewalk
