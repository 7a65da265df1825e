#include "ropewalk/formats/json.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/json_events.h"

namespace ropewalk {
namespace {

using nlohmann::ordered_json;

std::string position(std::string_view text, size_t offset) {
  size_t line = 1, column = 1;
  const bool has_mark = text.starts_with("\xEF\xBB\xBF");
  for (size_t i = has_mark ? 3 : 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      ++column;  // characters, not bytes
    }
  }
  return fmt::format("line {} column {} (byte {})", line, column, offset);
}

// Builds the document from the inside out, with its own stack.
class DocumentBuilder : public JsonEvents {
 public:
  DocumentBuilder(std::string_view text, const std::string& label) : text_(text), label_(label) {}

  ordered_json take() { return std::move(document_); }

  void start_object(size_t) override { frames_.push_back({ordered_json::object(), {}, {}}); }
  void start_array(size_t) override { frames_.push_back({ordered_json::array(), {}, {}}); }
  void end_object() override { end(); }
  void end_array() override { end(); }

  void key(std::string&& name, size_t offset) override {
    Frame& frame = frames_.back();
    const auto [first, fresh] = frame.keys.emplace(name, offset);
    frame.key = std::move(name);
    if (!fresh) {
      fail(offset, fmt::format("duplicate key, first at {}", position(text_, first->second)));
    }
  }

  void scalar(ordered_json&& value, std::string_view, size_t) override { add(std::move(value)); }

  [[noreturn]] void fail(size_t offset, const std::string& what) override {
    const std::string pointer = json_pointer();
    throw Error(ErrorCode::malformed, fmt::format("{}: {}{}{}: {}", label_, position(text_, offset),
                                                  pointer.empty() ? "" : " at ", pointer, what));
  }

 private:
  struct Frame {
    ordered_json value;
    std::string key;                               // of an object: the member being read
    std::unordered_map<std::string, size_t> keys;  // where each key was
  };

  void add(ordered_json&& value) {
    if (frames_.empty()) {
      document_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.is_array()) {
      frame.value.push_back(std::move(value));
    } else {
      // Keys are known to be new: appending skips the search of ordered_map, which is linear.
      frame.value.get_ref<ordered_json::object_t&>().emplace_back(std::move(frame.key),
                                                                  std::move(value));
      frame.key.clear();
    }
  }

  void end() {
    ordered_json value = std::move(frames_.back().value);
    frames_.pop_back();
    add(std::move(value));
  }

  std::string json_pointer() const {
    std::string pointer;
    for (const Frame& frame : frames_) {
      if (frame.value.is_array()) {
        pointer += fmt::format("/{}", frame.value.size());
      } else if (!frame.key.empty()) {
        ordered_json::json_pointer step;
        step.push_back(frame.key);
        pointer += step.to_string();
      }
    }
    return escaped(pointer);
  }

  std::string_view text_;
  const std::string& label_;
  std::vector<Frame> frames_;
  ordered_json document_;
};

}  // namespace

ordered_json parse_json(std::string_view text, const std::string& label,
                        const JsonOptions& options) {
  DocumentBuilder builder(text, label);
  read_json_events(text, options, builder);
  return builder.take();
}

}  // namespace ropewalk
