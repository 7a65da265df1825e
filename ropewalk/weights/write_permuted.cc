#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/formats/file_folder.h"
#include "ropewalk/formats/safetensors.h"
#include "ropewalk/weights/permute_qk.h"

namespace ropewalk {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPiece = uint64_t{4} << 20;

// Counts what is written of all files.
struct Counter {
  const WriteProgress& progress;
  uint64_t done = 0, total = 0;

  void add(uint64_t bytes) {
    done += bytes;
    if (progress) progress(done, total);
  }
};

using Bytes = std::vector<std::byte>;

// Copies a piece of a file as it is.
void copy_range(const InputFile& file, uint64_t begin, uint64_t end, const ByteSink& sink,
                Counter& counter) {
  Bytes piece(std::min(kPiece, end - begin));
  while (begin < end) {
    const std::span<std::byte> now(piece.data(), std::min<uint64_t>(piece.size(), end - begin));
    file.read(begin, now);
    sink(now);
    begin += now.size();
    counter.add(now.size());
  }
}

// The row before which every row comes from before it, from `first` on.
size_t end_of_run(const std::vector<int64_t>& source, size_t first) {
  size_t end = first + 1;
  for (size_t r = first; r < end; ++r) {
    end = std::max(end, static_cast<size_t>(source[r]) + 1);
  }
  return end;
}

// Writes the rows of a tensor in their new order, so many at a time as change places only among
// each other: a head at most.
void write_rows(const InputFile& file, const StoredTensor& entry, const RowMove& move,
                const ByteSink& sink, Counter& counter) {
  const uint64_t row = (entry.end - entry.begin) / move.source.size();
  if (row * move.source.size() != entry.end - entry.begin) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: tensor \"{}\": expected rows of whole bytes, found {} bytes in {} "
                            "rows",
                            file.label(), escaped(move.tensor.name), entry.end - entry.begin,
                            move.source.size()));
  }
  if (row == 0) return;
  Bytes in, out;
  for (size_t first = 0; first < move.source.size();) {
    size_t end = end_of_run(move.source, first);
    while (end < move.source.size()) {
      const size_t next = end_of_run(move.source, end);
      if ((next - first) * row > kPiece) break;
      end = next;
    }
    in.resize((end - first) * row);
    out.resize(in.size());
    file.read(entry.begin + first * row, in);
    for (size_t r = first; r < end; ++r) {
      const size_t from = static_cast<size_t>(move.source[r]) - first;
      std::memcpy(out.data() + (r - first) * row, in.data() + from * row, row);
    }
    sink(out);
    counter.add(out.size());
    first = end;
  }
}

// The plan was made from the header of the same file.
void check_unchanged(const StoredTensors& stored, size_t number, const InputFile& file) {
  uint64_t end = 0;
  for (const auto& [name, entry] : stored.tensors) {
    if (entry.file == number) end = std::max(end, entry.end);
  }
  if (end == 0 || end == file.size_in_bytes()) return;
  throw Error(ErrorCode::io, fmt::format("{}: expected {} bytes as before, found {}; it changed",
                                         file.label(), end, file.size_in_bytes()));
}

void write_file(const PermutePlan& plan, size_t number, const fs::path& output, Overwrite overwrite,
                Counter& counter) {
  using Place = std::pair<const StoredTensor*, const RowMove*>;
  std::vector<Place> places;
  for (const RowMove& move : plan.moves) {
    const StoredTensor& entry = plan.stored.tensors.find(move.tensor.name)->second;
    if (entry.file == number && !move.source.empty()) places.emplace_back(&entry, &move);
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.first->begin < b.first->begin; });
  const InputFile file(plan.stored.files[number]);
  check_unchanged(plan.stored, number, file);
  write_file_atomically(
      output, file.size_in_bytes(),
      [&](const ByteSink& sink) {
        uint64_t at = 0;
        for (const auto& [entry, move] : places) {
          copy_range(file, at, entry->begin, sink, counter);
          write_rows(file, *entry, *move, sink, counter);
          at = entry->end;
        }
        copy_range(file, at, file.size_in_bytes(), sink, counter);
      },
      overwrite);
}

void copy_file(const fs::path& from, const fs::path& to, Counter& counter) {
  const InputFile file(from);
  write_file_atomically(
      to, file.size_in_bytes(),
      [&](const ByteSink& sink) { copy_range(file, 0, file.size_in_bytes(), sink, counter); },
      Overwrite::refuse);
}

// Weights of another kind or another copy of them.
bool holds_weights(const fs::path& file) {
  const std::string extension = file.extension().string();
  for (const char* known : {".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".h5",
                            ".msgpack", ".onnx", ".npz", ".ot"}) {
    if (extension == known) return true;
  }
  return file.string().ends_with(".index.json");
}

fs::path folder_of(const PermutePlan& plan) {
  const fs::path& file = plan.stored.index ? *plan.stored.index : plan.stored.files[0];
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// A message without the folder whose name nobody chose.
std::string without(std::string message, const fs::path& folder) {
  const std::string before = escaped((folder / "").string());
  const size_t at = message.find(before);
  if (at != message.npos) message.erase(at, before.size());
  return message;
}

void check_space(const fs::path& folder, uint64_t needed, const fs::path& output) {
  std::error_code none;
  const fs::space_info space = fs::space(folder, none);
  if (none || space.available >= needed) return;
  throw Error(ErrorCode::io, fmt::format("{}: expected {} bytes of free space, found {}",
                                         escaped(output.string()), needed, space.available));
}

}  // namespace

void write_permuted_file(const PermutePlan& plan, size_t file, const fs::path& output,
                         Overwrite overwrite, const WriteProgress& progress) {
  Counter counter{progress, 0, fs::file_size(plan.stored.files[file])};
  write_file(plan, file, output, overwrite, counter);
}

FilesBeside files_beside(const PermutePlan& plan) {
  FilesBeside beside;
  for (const auto& entry : fs::directory_iterator(folder_of(plan))) {
    const std::string name = entry.path().filename().string();
    const auto is_part = [&](const fs::path& file) { return file.filename() == name; };
    const auto& files = plan.stored.files;
    if (std::any_of(files.begin(), files.end(), is_part)) continue;
    const bool index = plan.stored.index && is_part(*plan.stored.index);
    const bool plain = entry.is_regular_file() && !name.starts_with('.');
    const bool copied = index || (plain && !holds_weights(entry.path()));
    (copied ? beside.copied : beside.left).push_back(name);
  }
  std::sort(beside.copied.begin(), beside.copied.end());
  std::sort(beside.left.begin(), beside.left.end());
  return beside;
}

void write_permuted_folder(const PermutePlan& plan, const fs::path& output,
                           const WriteProgress& progress) {
  const fs::path folder = folder_of(plan);
  const FilesBeside beside = files_beside(plan);
  Counter counter{progress};
  for (const fs::path& file : plan.stored.files) counter.total += fs::file_size(file);
  for (const std::string& name : beside.copied) counter.total += fs::file_size(folder / name);
  UnfinishedFolder made(output);
  check_space(made.path(), counter.total, output);
  try {
    for (const std::string& name : beside.copied) {
      copy_file(folder / name, made.path() / name, counter);
    }
    for (size_t i = 0; i < plan.stored.files.size(); ++i) {
      write_file(plan, i, made.path() / plan.stored.files[i].filename(), Overwrite::refuse,
                 counter);
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: not written: {}", escaped(output.string()),
                                          without(error.what(), made.path())));
  }
  made.publish();
}

}  // namespace ropewalk
