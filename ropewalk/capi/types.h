// What all functions of ropewalk.h share: status, tensors, position ids. Include ropewalk.h.
#ifndef ROPEWALK_CAPI_TYPES_H_
#define ROPEWALK_CAPI_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#include "ropewalk/base/version.h"  // ROPEWALK_VERSION, _MAJOR, _MINOR, _PATCH: of these headers

#if defined(__GNUC__)
#define ROPEWALK_API __attribute__((visibility("default")))
// A status that nobody reads may hide that nothing was computed.
#define ROPEWALK_CHECKED ROPEWALK_API __attribute__((warn_unused_result))
#else
#define ROPEWALK_API
#define ROPEWALK_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

// "0.1.0": of the library that is running.
ROPEWALK_API const char* ropewalk_version(void);

// What a call came to. The numbers never change; a later version may have more of them.
typedef enum ropewalk_status {
  ROPEWALK_OK = 0,
  ROPEWALK_INVALID_ARGUMENT = 1,  // an argument breaks a stated rule; NULL where something must be
  ROPEWALK_OUT_OF_RANGE = 2,      // an index or position lies outside a table
  ROPEWALK_MALFORMED = 3,         // a file is not what its format says
  ROPEWALK_UNSUPPORTED = 4,       // well formed, but outside what ropewalk handles: a GPU's tensor
  ROPEWALK_IO = 5,                // the operating system refused: open, read
  ROPEWALK_RESOURCE_LIMIT = 6,    // larger than a stated limit, or no memory left
  ROPEWALK_INTERNAL = 7           // a broken promise of ropewalk itself
} ropewalk_status;

// "invalid_argument"; "unknown" for a number that this version has not.
ROPEWALK_API const char* ropewalk_status_name(int32_t status);

// What the last call of this thread that failed had to say, in one line: which argument, file or
// key, what was expected and what was found. "" if none has failed. Valid until the next call of
// this thread fails.
ROPEWALK_API const char* ropewalk_last_error(void);

// An array in the caller's memory: DLPack's DLTensor, field for field. Include <dlpack/dlpack.h>
// before ropewalk.h and it is that type; without it the same is declared here, and a DLTensor* from
// elsewhere may be cast. Its device must be the CPU, its lanes 1. data may be unaligned; `data +
// byte_offset` is element 0.
#ifdef DLPACK_DLPACK_H_
typedef DLTensor ropewalk_tensor;
#define ROPEWALK_DEVICE_TYPE(type) ((DLDeviceType)(type))
#else
typedef struct ropewalk_device {
  int32_t device_type;  // 1: the CPU (kDLCPU)
  int32_t device_id;
} ropewalk_device;

typedef struct ropewalk_data_type {
  uint8_t code;  // 0 int, 1 uint, 2 float, 4 bfloat, 6 bool
  uint8_t bits;
  uint16_t lanes;
} ropewalk_data_type;

typedef struct ropewalk_tensor {
  void* data;
  ropewalk_device device;
  int32_t ndim;
  ropewalk_data_type dtype;
  int64_t* shape;
  // In elements, negative ones too; NULL: compact, the last dimension varies fastest.
  int64_t* strides;
  uint64_t byte_offset;
} ropewalk_tensor;
#define ROPEWALK_DEVICE_TYPE(type) ((int32_t)(type))
#endif

// Element types: DLPack's code times 256, plus bits.
typedef enum ropewalk_dtype {
  ROPEWALK_I8 = 0x008,
  ROPEWALK_I16 = 0x010,
  ROPEWALK_I32 = 0x020,
  ROPEWALK_I64 = 0x040,
  ROPEWALK_U8 = 0x108,
  ROPEWALK_U16 = 0x110,
  ROPEWALK_U32 = 0x120,
  ROPEWALK_U64 = 0x140,
  ROPEWALK_F16 = 0x210,
  ROPEWALK_F32 = 0x220,
  ROPEWALK_F64 = 0x240,
  ROPEWALK_BF16 = 0x410,
  ROPEWALK_BOOL = 0x608
} ropewalk_dtype;

// A compact tensor on the CPU. The shape is not copied; set .strides for another order in memory.
static inline ropewalk_tensor ropewalk_tensor_of(void* data, ropewalk_dtype dtype, int ndim,
                                                 const int64_t* shape) {
  ropewalk_tensor tensor;
  tensor.data = data;
  tensor.device.device_type = ROPEWALK_DEVICE_TYPE(1);
  tensor.device.device_id = 0;
  tensor.ndim = ndim;
  tensor.dtype.code = (uint8_t)((unsigned)dtype >> 8);
  tensor.dtype.bits = (uint8_t)((unsigned)dtype & 255u);
  tensor.dtype.lanes = 1;
  tensor.shape = (int64_t*)(uintptr_t)shape;  // DLPack's struct knows no const
  tensor.strides = NULL;
  tensor.byte_offset = 0;
  return tensor;
}

// The position of each token, in tokens, any int64: ids of int64 or int32, or a run.
typedef struct ropewalk_positions {
  // [S]: the same for every sequence of a batch; [B, S]; [axes, B, S] for M-RoPE, ChatGLM-6B and
  // pictures. A B of 1 serves every sequence. NULL: the run of `count` positions from `first` on.
  const ropewalk_tensor* ids;
  int64_t first, count;
} ropewalk_positions;

static inline ropewalk_positions ropewalk_run(int64_t first, int64_t count) {
  ropewalk_positions positions;
  positions.ids = NULL;
  positions.first = first;
  positions.count = count;
  return positions;
}

static inline ropewalk_positions ropewalk_position_ids(const ropewalk_tensor* ids) {
  ropewalk_positions positions;
  positions.ids = ids;
  positions.first = 0;
  positions.count = 0;
  return positions;
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // ROPEWALK_CAPI_TYPES_H_
