#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/formats/torch_pickle_machine.h"
#include "ropewalk/formats/torch_types.h"

// What a pickle may name and call: what torch.save writes of tensors, and nothing else.
namespace ropewalk {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kUntypedStorage = "torch.storage.UntypedStorage";
constexpr std::string_view kRebuild2 = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kRebuild3 = "torch._utils._rebuild_tensor_v3";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";

bool known(std::string_view name) {
  for (const std::string_view each :
       {kOrderedDict, kUntypedStorage, kRebuild2, kRebuild3, kParameter}) {
    if (name == each) return true;
  }
  if (!name.starts_with("torch.")) return false;
  name.remove_prefix(6);
  return torch_storage_type(name) != nullptr || torch_type(name) != nullptr;
}

}  // namespace

bool PickleMachine::call(uint8_t opcode) {
  switch (opcode) {
    case 'c':
      global();
      return true;
    case 'Q':
      persistent_id();
      return true;
    case 'R':
      reduce();
      return true;
    case 'b':
      build();
      return true;
    default:
      return false;
  }
}

void PickleMachine::global() {
  std::string full(line());
  full.append(".").append(line());
  if (!known(full)) {
    refuse(fmt::format("expected a tensor, found a call of {}: nothing was run", escaped(full)));
  }
  push({Kind::global, 0, *names_.insert(std::move(full)).first, {}});
}

// ('storage', type, name of the record, device, number of elements)
void PickleMachine::persistent_id() {
  const uint32_t id = pop();
  const std::vector<uint32_t>& items = values_[id].items;
  constexpr Kind kKinds[] = {Kind::text, Kind::global, Kind::text, Kind::text, Kind::integer};
  bool fits = values_[id].kind == Kind::tuple && items.size() == std::size(kKinds);
  for (size_t i = 0; fits && i < items.size(); ++i) fits = values_[items[i]].kind == kKinds[i];
  if (!fits || values_[items[0]].text != "storage") {
    fail("expected the five parts of a storage, found something else");
  }
  push({Kind::storage, 0, {}, items});
}

void PickleMachine::reduce() {
  const uint32_t arguments = pop(), function = pop();
  if (values_[function].kind != Kind::global || values_[arguments].kind != Kind::tuple) {
    fail(fmt::format("expected a call, found {}", name(values_[function].kind)));
  }
  const std::string_view called = values_[function].text;
  const std::vector<uint32_t>& items = values_[arguments].items;
  if (called == kOrderedDict) {
    if (!items.empty()) refuse("expected an empty OrderedDict to fill, found one with arguments");
    push({Kind::dict, 0, {}, {}});
  } else if (called == kRebuild2 || called == kRebuild3) {
    if (items.size() < 6 || items.size() > 8) {
      fail(fmt::format("expected 6 to 8 arguments of {}, found {}", called, items.size()));
    }
    push({Kind::tensor, called == kRebuild3, {}, items});
  } else if (called == kParameter) {
    if (items.empty() || values_[items[0]].kind != Kind::tensor) {
      fail("expected the tensor of a parameter, found none");
    }
    stack_.push_back(items[0]);
  } else {
    refuse(fmt::format("expected a tensor, found a call of {}: nothing was run", escaped(called)));
  }
}

// The attributes of a state_dict, which change no tensor: dropped.
void PickleMachine::build() {
  pop();
  if (const Kind kind = values_[top()].kind; kind != Kind::dict) {
    refuse(fmt::format("expected attributes of a dict, found those of {}", name(kind)));
  }
}

}  // namespace ropewalk
