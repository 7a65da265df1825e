#include "ropewalk/formats/torch_pickle.h"

#include <fmt/format.h>

#include "ropewalk/base/checked.h"
#include "ropewalk/base/error.h"
#include "ropewalk/formats/torch_pickle_machine.h"

namespace ropewalk {
namespace {

using Kind = PickleValue::Kind;

constexpr int kDeepest = 4;
constexpr size_t kMostVisits = 1'000'000;  // values may be shared, and shared again

class Reader {
 public:
  explicit Reader(const PickleMachine& machine) : machine_(machine) {}

  std::vector<PickledTensor> tensors(uint32_t result) {
    const PickleValue& top = machine_.value(result);
    if (top.kind != Kind::tensor && !holds_values(top.kind)) {
      machine_.refuse(
          fmt::format("expected a tensor, or a dict or list of tensors, found {}", name(top.kind)));
    }
    visit(top, "", 0);
    return std::move(tensors_);
  }

 private:
  static bool holds_values(Kind kind) {
    return kind == Kind::dict || kind == Kind::list || kind == Kind::tuple;
  }

  const PickleValue& expect(uint32_t number, Kind kind, std::string_view what) const {
    const PickleValue& value = machine_.value(number);
    if (value.kind != kind) {
      machine_.fail(
          fmt::format("{}: expected {}, found {}", what, ropewalk::name(kind), name(value.kind)));
    }
    return value;
  }

  void visit(const PickleValue& value, const std::string& place, int depth) {
    if (++visits_ > kMostVisits) {
      machine_.fail(fmt::format("expected at most {} values, found more", kMostVisits),
                    ErrorCode::resource_limit);
    }
    if (value.kind == Kind::tensor) {
      tensors_.push_back(tensor(value, place));
      return;
    }
    if (!holds_values(value.kind)) return;
    if (depth == kDeepest) {
      machine_.refuse(fmt::format("\"{}\": expected tensors at most {} deep, found {}",
                                  escaped(place), kDeepest, name(value.kind)));
    }
    const size_t step = value.kind == Kind::dict ? 2 : 1;
    for (size_t i = 0; i < value.items.size(); i += step) {
      const PickleValue& item = machine_.value(value.items[i + step - 1]);
      if (item.kind != Kind::tensor && !holds_values(item.kind)) continue;
      const std::string key = step == 1 ? std::to_string(i) : key_of(value.items[i]);
      visit(item, place.empty() ? key : place + "." + key, depth + 1);
    }
  }

  std::string key_of(uint32_t number) const {
    const PickleValue& key = machine_.value(number);
    if (key.kind == Kind::integer) return std::to_string(key.number);
    if (key.kind == Kind::text && !key.text.empty()) return std::string(key.text);
    machine_.refuse(fmt::format("expected a text or an integer as key of a tensor, found {}",
                                key.kind == Kind::text ? "an empty text" : name(key.kind)));
  }

  // _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks, metadata);
  // _rebuild_tensor_v3 has the type before the metadata.
  PickledTensor tensor(const PickleValue& value, const std::string& place) const {
    const std::vector<uint32_t>& arguments = value.items;
    const bool v3 = value.number != 0;
    const size_t known = v3 ? 7 : 6;
    if (arguments.size() < known) {
      machine_.fail(fmt::format("{}: expected {} arguments, found {}", tensor_words(place), known,
                                arguments.size()));
    }
    for (size_t i = known; i < arguments.size(); ++i) {
      const PickleValue& more = machine_.value(arguments[i]);
      if (more.kind == Kind::none || (more.kind == Kind::dict && more.items.empty())) continue;
      // torch._utils.set_tensor_metadata: a sign or a conjugation that is still to be applied.
      machine_.refuse(
          fmt::format("{}: expected plain numbers, found a view that negates or conjugates them; "
                      "save its .clone()",
                      tensor_words(place)));
    }
    PickledTensor tensor;
    tensor.name = place;
    const PickleValue& storage = expect(arguments[0], Kind::storage, "storage of a tensor");
    fill_type(storage, v3 ? &expect(arguments[6], Kind::global, "type of a tensor") : nullptr,
              tensor);
    tensor.offset = expect(arguments[1], Kind::integer, "offset of a tensor").number;
    tensor.shape = integers(expect(arguments[2], Kind::tuple, "size of a tensor"));
    tensor.strides = integers(expect(arguments[3], Kind::tuple, "strides of a tensor"));
    return tensor;
  }

  void fill_type(const PickleValue& storage, const PickleValue* type, PickledTensor& tensor) const {
    constexpr size_t kTorch = std::string_view("torch.").size();
    const std::string_view kind = machine_.value(storage.items[1]).text;
    const TorchType* stored = torch_storage_type(kind.substr(kTorch));
    tensor.type = type ? torch_type(type->text.substr(kTorch)) : stored;
    const bool bytes = kind == "torch.storage.UntypedStorage";
    if (tensor.type == nullptr || (!bytes && stored != tensor.type)) {
      machine_.fail(fmt::format("{}: expected a storage of its type, found {}",
                                tensor_words(tensor.name), escaped(kind)));
    }
    const int64_t count = machine_.value(storage.items[4]).number;
    const auto size = checked_mul<int64_t>(count, bytes ? 1 : tensor.type->bytes);
    if (count < 0 || !size) {
      machine_.fail(fmt::format("{}: expected a count of elements, found {}",
                                tensor_words(tensor.name), count));
    }
    tensor.storage = machine_.value(storage.items[2]).text;
    tensor.storage_bytes = *size;
  }

  std::vector<int64_t> integers(const PickleValue& tuple) const {
    // PyTorch has at most 64 dimensions.
    if (tuple.items.size() > 64) {
      machine_.fail(fmt::format("expected at most 64 dimensions, found {}", tuple.items.size()));
    }
    std::vector<int64_t> numbers;
    for (const uint32_t item : tuple.items) {
      numbers.push_back(expect(item, Kind::integer, "size or stride").number);
    }
    return numbers;
  }

  const PickleMachine& machine_;
  std::vector<PickledTensor> tensors_;
  size_t visits_ = 0;
};

}  // namespace

std::string tensor_words(std::string_view name) {
  return name.empty() ? "the tensor" : fmt::format("tensor \"{}\"", escaped(name));
}

std::vector<PickledTensor> parse_torch_pickle(std::string_view pickle, uint64_t offset,
                                              const std::string& label) {
  PickleMachine machine(pickle, offset, label);
  const uint32_t result = machine.run();
  return Reader(machine).tensors(result);
}

}  // namespace ropewalk
