#include "ropewalk/formats/checkpoint_index.h"

#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file.h"
#include "ropewalk/formats/file_errors.h"
#include "ropewalk/formats/json.h"

namespace ropewalk {
namespace {

constexpr uint64_t kLargestIndex = uint64_t{64} << 20;

[[noreturn]] void fail(const std::string& label, const std::string& what) {
  throw Error(ErrorCode::malformed, fmt::format("{}: {}", label, what));
}

std::string found(const nlohmann::ordered_json& value) {
  return escaped(value.is_structured() ? value.type_name() : value.dump(), 40);
}

// A file beside the index, whatever the index says.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

}  // namespace

CheckpointIndex read_checkpoint_index(const std::filesystem::path& path) {
  const std::string label = file_label(path);
  const auto json = parse_json(read_text(path, kLargestIndex), label, {.python_constants = true});
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (map == json.end()) fail(label, "expected an object with the key weight_map, found none");
  if (!map->is_object()) {
    fail(label, fmt::format("/weight_map: expected an object, found {}", found(*map)));
  }
  CheckpointIndex index;
  std::unordered_map<std::string, size_t> places;
  for (const auto& [tensor, value] : map->items()) {
    const std::string* name = value.get_ptr<const std::string*>();
    if (name == nullptr || !is_plain_name(*name)) {
      fail(label, fmt::format("/weight_map: tensor \"{}\": expected the name of a file beside the "
                              "index, found {}",
                              escaped(tensor), found(value)));
    }
    const auto [place, fresh] = places.emplace(*name, index.files.size());
    if (fresh) index.files.push_back({*name, tensor});
    ++index.files[place->second].tensors;
    index.tensors.emplace(tensor, place->second);
  }
  if (index.files.empty()) fail(label, "/weight_map: expected the name of a tensor, found none");
  if (const auto metadata = json.find("metadata"); metadata != json.end()) {
    if (metadata->is_object() && metadata->contains("total_size") &&
        (*metadata)["total_size"].is_number()) {
      index.total_size = (*metadata)["total_size"].get<double>();
    }
  }
  return index;
}

}  // namespace ropewalk
