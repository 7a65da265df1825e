#include "ropewalk/formats/json_events.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

// The library's parser reports no positions for what it accepts, so it reads through an iterator
// whose place we can look at.
struct Cursor {
  std::string_view text;
  size_t offset = 0;
};

struct CursorIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor* cursor = nullptr;  // null: the end

  bool at_end() const { return cursor == nullptr || cursor->offset == cursor->text.size(); }
  reference operator*() const { return cursor->text[cursor->offset]; }
  CursorIterator& operator++() {
    ++cursor->offset;
    return *this;
  }
  friend bool operator==(const CursorIterator& a, const CursorIterator& b) {
    return a.at_end() == b.at_end();
  }
  friend bool operator!=(const CursorIterator& a, const CursorIterator& b) { return !(a == b); }
};

// A text in which NaN, Infinity and -Infinity were put into quotes, and where the quotes are.
struct Quoted {
  std::string text;
  std::vector<size_t> quotes;  // offsets in `text`, ascending

  // The offset in the text as it was before.
  size_t original(size_t offset) const {
    return offset - static_cast<size_t>(std::lower_bound(quotes.begin(), quotes.end(), offset) -
                                        quotes.begin());
  }
};

std::string_view python_constant_at(std::string_view text) {
  for (const std::string_view constant : {"NaN", "Infinity", "-Infinity"}) {
    if (text.starts_with(constant)) return constant;
  }
  return {};
}

Quoted quote_python_constants(std::string_view text) {
  Quoted result;
  result.text.reserve(text.size());
  bool in_string = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (!in_string && (c == 'N' || c == 'I' || c == '-')) {
      if (const auto constant = python_constant_at(text.substr(i)); !constant.empty()) {
        result.quotes.push_back(result.text.size());
        result.text.append("\"").append(constant);
        result.quotes.push_back(result.text.size());
        result.text += '"';
        i += constant.size();
        continue;
      }
    }
    if (c == '"') in_string = !in_string;
    const size_t length = in_string && c == '\\' && i + 1 < text.size() ? 2 : 1;
    result.text.append(text, i, length);
    i += length;
  }
  return result;
}

bool is_number_character(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Between two things that are told there is only white space, a comma or a colon.
bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The SAX interface of nlohmann::json, made into JsonEvents.
class Adapter {
 public:
  Adapter(const Cursor& cursor, const Quoted& quoted, int max_depth, JsonEvents& events)
      : cursor_(cursor), quoted_(quoted), max_depth_(max_depth), events_(events) {
    if (cursor.text.starts_with(kByteOrderMark)) done_ = kByteOrderMark.size();
  }

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(int64_t value) { return number(value); }
  bool number_unsigned(uint64_t value) { return number(value); }
  bool number_float(double value, const std::string&) { return number(value); }
  bool string(std::string& value) { return scalar(std::move(value)); }
  bool binary(ordered_json::binary_t&) { return false; }  // not in JSON text

  bool start_object(size_t) {
    events_.start_object(open());
    return true;
  }
  bool end_object() {
    close();
    events_.end_object();
    return true;
  }
  bool start_array(size_t) {
    events_.start_array(open());
    return true;
  }
  bool end_array() {
    close();
    events_.end_array();
    return true;
  }
  bool key(std::string& name) {
    const size_t start = next_start();
    done_ = cursor_.offset;
    if (std::binary_search(quoted_.quotes.begin(), quoted_.quotes.end(), start)) {
      events_.fail(quoted_.original(start),
                   fmt::format("expected a key in quotes, found {}", name));
    }
    events_.key(std::move(name), quoted_.original(start));
    return true;
  }

  bool parse_error(size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) {
    const size_t last = position == 0 ? 0 : position - 1;
    const size_t start = std::min(next_start(), last);
    constexpr int kNumberOverflow = 406;
    if (error.id == kNumberOverflow) {
      events_.fail(quoted_.original(start),
                   fmt::format("number too large for a double: {}", escaped(token)));
    }
    std::string what = error.what();
    what.erase(0, std::min(what.find("syntax error"), what.size()));
    // The token may be as long as the file; it is worth its place only when short.
    const std::string read = "; last read: '" + token + "'";
    if (const size_t at = what.find(read); at != std::string::npos) {
      what.replace(at, read.size(), token.size() <= 40 ? ", found '" + token + "'" : "");
    }
    // A token that is well formed but out of place is named by its start, a bad byte by itself.
    const bool out_of_place = what.find(" - unexpected ") != std::string::npos;
    events_.fail(quoted_.original(out_of_place ? start : last), escaped(what, 300));
    return false;
  }

 private:
  size_t next_start() const {
    size_t start = done_;
    while (start < cursor_.text.size() && is_separator(cursor_.text[start])) ++start;
    return start;
  }

  size_t open() {
    const size_t start = quoted_.original(next_start());
    done_ = cursor_.offset;
    if (++depth_ > max_depth_) {
      events_.fail(start, fmt::format("nesting deeper than {}", max_depth_));
    }
    return start;
  }

  void close() {
    done_ = cursor_.offset;
    --depth_;
  }

  bool scalar(ordered_json&& value) {
    const size_t start = next_start();
    done_ = cursor_.offset;
    tell(std::move(value), start);
    return true;
  }

  // A number ends where the parser has already looked one byte further.
  bool number(ordered_json&& value) {
    const size_t start = next_start();
    done_ = start;
    while (done_ < cursor_.offset && is_number_character(cursor_.text[done_])) ++done_;
    tell(std::move(value), start);
    return true;
  }

  void tell(ordered_json&& value, size_t start) {
    events_.scalar(std::move(value), cursor_.text.substr(start, done_ - start),
                   quoted_.original(start));
  }

  const Cursor& cursor_;
  const Quoted& quoted_;
  const int max_depth_;
  JsonEvents& events_;
  size_t done_ = 0;  // end of the last thing told
  int depth_ = 0;
};

bool looks_like_utf16(std::string_view text) {
  if (text.size() < 2) return false;
  return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
         (text[0] == '\0') != (text[1] == '\0');
}

}  // namespace

void read_json_events(std::string_view text, const JsonOptions& options, JsonEvents& events) {
  if (looks_like_utf16(text)) events.fail(0, "not UTF-8: this looks like UTF-16");
  // The parser takes a zero byte for the end of the text.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    events.fail(zero, "zero byte in the text");
  }
  Quoted quoted;
  if (options.python_constants) quoted = quote_python_constants(text);
  Cursor cursor{options.python_constants ? std::string_view(quoted.text) : text};
  Adapter adapter(cursor, quoted, options.max_depth, events);
  ordered_json::sax_parse(CursorIterator{&cursor}, CursorIterator{}, &adapter);
}

}  // namespace ropewalk
