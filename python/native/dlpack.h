#pragma once

#include <cstdint>

// The part of DLPack 1 by which arrays are handed from one library to another without a copy.
// Source: include/dlpack/dlpack.h of github.com/dmlc/dlpack; the names are its own.
namespace ropewalk::python::dlpack {

struct Version {
  uint32_t major, minor;
};

struct Device {
  int32_t device_type, device_id;
};
constexpr int32_t kCpu = 1;

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
enum Code : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kBool = 6,
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major
  uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};

constexpr uint64_t kReadOnly = 1;

struct ManagedTensorVersioned {
  Version version;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor dl_tensor;
};

// What `type.__dlpack_c_exchange_api__` points to: the same from C, in tens of nanoseconds.
struct ExchangeApi {
  Version version;
  const ExchangeApi* previous;
  void* managed_tensor_allocator;
  void* managed_tensor_from_py_object_no_sync;
  void* managed_tensor_to_py_object_no_sync;
  int (*dltensor_from_py_object_no_sync)(void* py_object, Tensor* out);  // may be null
  void* current_work_stream;
};

}  // namespace ropewalk::python::dlpack
