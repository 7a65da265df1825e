#include "ropewalk/formats/torch_pickle_machine.h"

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/utf8.h"
#include "ropewalk/formats/byte_order.h"

// The opcodes are those of Lib/pickle.py.
namespace ropewalk {
namespace {

using Kind = PickleValue::Kind;

constexpr size_t kMostValues = 1'000'000;

}  // namespace

std::string_view name(PickleValue::Kind kind) {
  switch (kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return "a truth value";
    case Kind::integer:
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::tuple:
      return "a tuple";
    case Kind::list:
      return "a list";
    case Kind::dict:
      return "a dict";
    case Kind::global:
      return "a name";
    case Kind::storage:
      return "a storage";
    case Kind::tensor:
      return "a tensor";
  }
  return "";
}

void PickleMachine::fail(const std::string& what, ErrorCode code) const {
  const std::string place = done_ ? "" : fmt::format("byte {}: ", offset_ + opcode_at_);
  throw Error(code, fmt::format("{}: {}data.pkl: {}", label_, place, what));
}

std::string_view PickleMachine::take(size_t bytes) {
  if (bytes > pickle_.size() - at_) {
    fail(fmt::format("expected {} bytes more, found {}", bytes, pickle_.size() - at_));
  }
  const std::string_view taken = pickle_.substr(at_, bytes);
  at_ += bytes;
  return taken;
}

uint64_t PickleMachine::number(size_t bytes) {
  const std::string_view taken = take(bytes);
  return little_endian(std::as_bytes(std::span(taken)));
}

std::string_view PickleMachine::line() {
  const size_t end = pickle_.find('\n', at_);
  if (end == pickle_.npos) fail("expected the end of a name, found the end of the pickle");
  const std::string_view taken = pickle_.substr(at_, end - at_);
  at_ = end + 1;
  return taken;
}

void PickleMachine::push(PickleValue value) {
  if (values_.size() == kMostValues) {
    fail(fmt::format("expected at most {} values, found more", kMostValues),
         ErrorCode::resource_limit);
  }
  stack_.push_back(static_cast<uint32_t>(values_.size()));
  values_.push_back(std::move(value));
}

uint32_t PickleMachine::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
    fail("expected a value to take, found none");
  }
  return stack_.back();
}

uint32_t PickleMachine::pop() {
  const uint32_t value = top();
  stack_.pop_back();
  return value;
}

std::vector<uint32_t> PickleMachine::pop_to_mark() {
  if (marks_.empty()) fail("expected a mark, found none");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<uint32_t> items(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return items;
}

uint32_t PickleMachine::run() {
  if (take(1) != "\x80") fail("expected protocol 2 of a pickle, found other bytes");
  if (const uint64_t protocol = number(1); protocol != 2) {
    refuse(fmt::format("expected protocol 2, which torch.save writes, found {}", protocol));
  }
  for (;;) {
    opcode_at_ = at_;
    const auto opcode = static_cast<uint8_t>(take(1)[0]);
    if (opcode == '.') break;
    if (scalar(opcode) || memo(opcode) || container(opcode) || call(opcode)) continue;
    refuse(
        fmt::format("expected what torch.save writes of tensors, found opcode 0x{:02x}: "
                    "nothing was run",
                    opcode));
  }
  const uint32_t result = pop();
  if (!stack_.empty() || !marks_.empty()) fail("expected one result, found more");
  if (at_ != pickle_.size()) fail("expected the end of the pickle, found more bytes");
  done_ = true;
  return result;
}

bool PickleMachine::scalar(uint8_t opcode) {
  switch (opcode) {
    case 'N':
      push({});
      return true;
    case 0x88:
    case 0x89:
      push({Kind::boolean, opcode == 0x88, {}, {}});
      return true;
    case 'K':
    case 'M':
      push({Kind::integer, static_cast<int64_t>(number(opcode == 'K' ? 1 : 2)), {}, {}});
      return true;
    case 'J':
      push({Kind::integer, static_cast<int32_t>(number(4)), {}, {}});
      return true;
    case 0x8a:
      integer_of_length();
      return true;
    case 'G':
      take(8);
      push({Kind::real, 0, {}, {}});
      return true;
    case 'X': {
      const std::string_view text = take(number(4));
      if (find_not_utf8(text) != text.npos) fail("expected a text in UTF-8, found other bytes");
      push({Kind::text, 0, text, {}});
      return true;
    }
    default:
      return false;
  }
}

// LONG1: two's complement.
void PickleMachine::integer_of_length() {
  const size_t size = number(1);
  if (size > 8) refuse(fmt::format("expected an integer of 64 bits, found one of {}", 8 * size));
  const uint64_t bits = number(size);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(size);
  push({Kind::integer, size == 0 ? 0 : static_cast<int64_t>(bits << unused) >> unused, {}, {}});
}

bool PickleMachine::memo(uint8_t opcode) {
  switch (opcode) {
    case 'q':
    case 'r':
      memo_[static_cast<uint32_t>(number(opcode == 'q' ? 1 : 4))] = top();
      return true;
    case 'h':
    case 'j': {
      const auto key = static_cast<uint32_t>(number(opcode == 'h' ? 1 : 4));
      const auto found = memo_.find(key);
      if (found == memo_.end()) fail(fmt::format("expected a value kept as {}, found none", key));
      stack_.push_back(found->second);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::container(uint8_t opcode) {
  switch (opcode) {
    case '(':
      marks_.push_back(stack_.size());
      return true;
    case ')':
      push({Kind::tuple, 0, {}, {}});
      return true;
    case ']':
      push({Kind::list, 0, {}, {}});
      return true;
    case '}':
      push({Kind::dict, 0, {}, {}});
      return true;
    case 't':
      push({Kind::tuple, 0, {}, pop_to_mark()});
      return true;
    case 0x85:
    case 0x86:
    case 0x87: {
      std::vector<uint32_t> items(opcode - 0x84u);
      for (size_t i = items.size(); i-- > 0;) items[i] = pop();
      push({Kind::tuple, 0, {}, std::move(items)});
      return true;
    }
    case 'a': {
      const uint32_t item = pop();
      add_items(Kind::list, {item});
      return true;
    }
    case 'e':
      add_items(Kind::list, pop_to_mark());
      return true;
    case 's': {
      const uint32_t item = pop(), key = pop();
      add_items(Kind::dict, {key, item});
      return true;
    }
    case 'u':
      add_items(Kind::dict, pop_to_mark());
      return true;
    default:
      return false;
  }
}

// Appends to the list or dict on top.
void PickleMachine::add_items(PickleValue::Kind kind, const std::vector<uint32_t>& items) {
  PickleValue& to = values_[top()];
  if (to.kind != kind) fail(fmt::format("expected {}, found {}", name(kind), name(to.kind)));
  if (kind == Kind::dict && items.size() % 2 != 0)
    fail("expected a value for each key, found none");
  to.items.insert(to.items.end(), items.begin(), items.end());
}

}  // namespace ropewalk
