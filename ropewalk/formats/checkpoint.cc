#include "ropewalk/formats/checkpoint.h"

#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/base/nearest_name.h"
#include "ropewalk/formats/checkpoint_index.h"
#include "ropewalk/formats/file_errors.h"

namespace ropewalk {
namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr size_t kMostWarnings = 16;

// The file or index that stands for a folder.
std::filesystem::path file_of(const std::filesystem::path& path, const std::string& label) {
  std::error_code none;
  if (!std::filesystem::is_directory(path, none)) return path;
  for (const char* name : {kSingleFile, kIndex}) {
    if (std::filesystem::exists(path / name, none)) return path / name;
  }
  throw Error(ErrorCode::io, fmt::format("{}: expected {} or {} in this folder, found neither",
                                         label, kSingleFile, kIndex));
}

// Calls visit(name, size in bytes) for each tensor of a file, those that cannot be read too.
template <typename Visit>
void for_each_tensor(const SafetensorsFile& file, const Visit& visit) {
  for (const auto& [name, entry] : file.entries()) visit(name, entry.end - entry.begin);
  for (const auto& [name, entry] : file.unsupported()) visit(name, entry.end - entry.begin);
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& path) : label_(file_label(path)) {
  const std::filesystem::path file = file_of(path, label_);
  label_ = file_label(file);
  if (file.extension() == ".json") {
    open_index(file);
    return;
  }
  files_ = {file};
  single_.emplace(file);
  warnings_ = single_->warnings();
  for_each_tensor(*single_, [&](const std::string& name, uint64_t) { tensors_.emplace(name, 0); });
}

void Checkpoint::open_index(const std::filesystem::path& path) {
  CheckpointIndex index = read_checkpoint_index(path);
  tensors_ = std::move(index.tensors);
  for (const auto& file : index.files) files_.push_back(path.parent_path() / file.name);
  uint64_t bytes = 0;
  for (size_t i = 0; i < files_.size(); ++i) {
    try {
      bytes += add_file(i, index.files[i].tensors);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      throw Error(ErrorCode::io,
                  fmt::format("{} (the first tensor of it is \"{}\" in {})", error.what(),
                              escaped(index.files[i].first_tensor), label_));
    }
  }
  if (index.total_size && *index.total_size != static_cast<double>(bytes) &&
      warnings_.size() < kMostWarnings) {
    warnings_.push_back(fmt::format("{}: /metadata/total_size: expected {} bytes in all, found {}",
                                    label_, bytes, *index.total_size));
  }
}

uint64_t Checkpoint::add_file(size_t file, size_t expected) {
  const SafetensorsFile opened(files_[file]);
  for (const std::string& warning : opened.warnings()) {
    if (warnings_.size() < kMostWarnings) warnings_.push_back(warning);
  }
  uint64_t bytes = 0;
  size_t held = 0;
  for_each_tensor(opened, [&](const std::string& name, uint64_t size) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end() || found->second != file) {
      const std::string index_says =
          found == tensors_.end()
              ? "is not in its weight_map"
              : fmt::format("is in {} by its weight_map", file_label(files_[found->second]));
      throw Error(ErrorCode::malformed, fmt::format("{}: tensor \"{}\" {}, but {} holds it", label_,
                                                    escaped(name), index_says, opened.label()));
    }
    bytes += size;
    ++held;
  });
  if (held == expected) return bytes;
  for (const auto& [name, place] : tensors_) {
    if (place != file || opened.contains(name) || opened.unsupported().contains(name)) continue;
    throw Error(ErrorCode::malformed,
                fmt::format("{}: tensor \"{}\" is in {} by its weight_map, but that file does not "
                            "hold it",
                            label_, escaped(name), opened.label()));
  }
  return bytes;
}

Tensor Checkpoint::read(std::string_view name) const {
  if (single_) return single_->read(name);
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return SafetensorsFile(files_[found->second]).read(name);
  std::vector<std::string_view> names;
  for (const auto& [other, file] : tensors_) names.push_back(other);
  throw Error(ErrorCode::malformed,
              fmt::format("{}: tensor \"{}\": not among the {} of its weight_map{}", label_,
                          escaped(name), names.size(), did_you_mean(name, names)));
}

}  // namespace ropewalk
