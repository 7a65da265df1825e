// DLPack's header first: its tensor is taken as it is, and has the places that numbers.txt has of
// ours.
#include <dlpack/dlpack.h>

#include "ropewalk/capi/capi_testing.h"

int main(void) {
  float x[] = {1, 2, 3, 4};
  int64_t shape[] = {1, 1, 4};
  DLTensor q;
  ropewalk_positions at = ropewalk_run(0, 1);
  ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;
  ropewalk_rope_options options = ROPEWALK_ROPE_OPTIONS;
  ropewalk_rope* rope = NULL;
  CHECK(sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8 &&
        offsetof(DLTensor, ndim) == 16);
  CHECK(offsetof(DLTensor, dtype) == 20 && offsetof(DLTensor, shape) == 24);
  CHECK(offsetof(DLTensor, strides) == 32 && offsetof(DLTensor, byte_offset) == 40);
  CHECK(ROPEWALK_F32 == kDLFloat * 256 + 32 && ROPEWALK_BF16 == kDLBfloat * 256 + 16);
  CHECK(ROPEWALK_I64 == kDLInt * 256 + 64 && ROPEWALK_U8 == kDLUInt * 256 + 8);
  q = ropewalk_tensor_of(x, ROPEWALK_F32, 3, shape);
  CHECK(q.device.device_type == kDLCPU && q.dtype.code == kDLFloat);
  options.head_dim = 4;
  options.pairing = ROPEWALK_PAIRING_INTERLEAVED;
  how.layout = ROPEWALK_BSHD;
  CHECK_OK(ropewalk_make_rope(&options, &rope));
  CHECK_OK(ropewalk_rotate(rope, &at, &q, NULL, &how));
  CHECK(x[0] == 1 && x[3] == 4);
  q.device.device_type = kDLCUDA;
  CHECK_FAILS(ropewalk_rotate(rope, &at, &q, NULL, &how), ROPEWALK_UNSUPPORTED, "device_type 2");
  ropewalk_free_rope(rope);
  return failures != 0;
}
