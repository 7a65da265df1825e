#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/base/error.h"

namespace ropewalk {

// A value of a pickle. Values refer to others by number, so that no depth costs stack.
struct PickleValue {
  enum class Kind {
    none,
    boolean,
    integer,
    real,
    text,
    tuple,
    list,
    dict,
    global,
    storage,
    tensor
  };
  Kind kind = Kind::none;
  int64_t number = 0;           // of a boolean or an integer; of a tensor, 1: by _rebuild_tensor_v3
  std::string_view text;        // of a text; "torch.FloatStorage" of a global
  std::vector<uint32_t> items;  // of a dict, keys and values in turn; of a storage or a tensor,
                                // the arguments that it is made of
};

// "a number", for messages.
std::string_view name(PickleValue::Kind kind);

// The part of Python's pickle machine, protocol 2, that tensors need. No code is called: the known
// globals are names, and REDUCE of one makes a value of its arguments.
class PickleMachine {
 public:
  PickleMachine(std::string_view pickle, uint64_t offset, const std::string& label)
      : pickle_(pickle), offset_(offset), label_(label) {}

  // The number of the result. To be called once.
  uint32_t run();
  const PickleValue& value(uint32_t number) const { return values_[number]; }
  // Names the opcode's place, until the result is there.
  [[noreturn]] void fail(const std::string& what, ErrorCode code = ErrorCode::malformed) const;
  [[noreturn]] void refuse(const std::string& what) const { fail(what, ErrorCode::unsupported); }

 private:
  uint64_t number(size_t bytes);
  std::string_view take(size_t bytes);
  std::string_view line();
  void push(PickleValue value);
  uint32_t pop();
  uint32_t top() const;
  std::vector<uint32_t> pop_to_mark();

  // Each says whether the opcode is one of its own.
  bool scalar(uint8_t opcode);
  bool memo(uint8_t opcode);
  bool container(uint8_t opcode);
  bool call(uint8_t opcode);

  void global();
  void integer_of_length();
  void add_items(PickleValue::Kind kind, const std::vector<uint32_t>& items);
  void persistent_id();
  void reduce();
  void build();

  std::string_view pickle_;
  uint64_t offset_;
  const std::string& label_;
  size_t at_ = 0, opcode_at_ = 0;
  bool done_ = false;
  std::vector<PickleValue> values_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::map<uint32_t, uint32_t> memo_;
  std::set<std::string> names_;
};

}  // namespace ropewalk
