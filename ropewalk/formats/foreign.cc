#include "ropewalk/formats/foreign.h"

namespace ropewalk {
namespace {

struct Magic {
  std::string_view bytes;
  std::string_view description;
};

constexpr std::string_view kZip =
    "a zip archive (a NumPy .npz or a PyTorch .pt); convert it in Python: "
    "numpy.save('out.npy', numpy.load(file)['name']), or for PyTorch "
    "numpy.save('out.npy', torch.load(file, weights_only=True)['name'].float().numpy())";

constexpr std::string_view kPickle =
    "a Python pickle, which ropewalk does not open; convert it in Python: "
    "numpy.save('out.npy', torch.load(file, weights_only=True)['name'].float().numpy())";

constexpr Magic kMagics[] = {
    {"PK\x03\x04", kZip},
    {"PK\x05\x06", kZip},
    {"\x80\x02", kPickle},
    {"\x80\x03", kPickle},
    {"\x80\x04", kPickle},
    {"\x80\x05", kPickle},
    {"\x93NUMPY", "a NumPy array file (.npy)"},
    {"GGUF", "a GGUF file"},
    {"\x89HDF\r\n", "an HDF5 file"},
    {"\x1f\x8b", "a gzip file; unpack it first"},
};

}  // namespace

std::string_view foreign_format(std::span<const std::byte> start) {
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  for (const Magic& magic : kMagics) {
    if (text.starts_with(magic.bytes)) return magic.description;
  }
  if (text.size() > 8 && text[8] == '{' && text.substr(4, 4) == std::string_view("\0\0\0\0", 4)) {
    return "a safetensors file";
  }
  return {};
}

}  // namespace ropewalk
