// ropewalk for C: positional encoding for transformers, exact to the model. C99 and C++.
//
//   cc engine.c $(pkg-config --cflags --libs ropewalk_c)
//
// - Every function that can fail returns a ropewalk_status, 0 for success; ropewalk_last_error()
//   then says in words what was expected and what was found. Nothing throws, prints or ends the
//   program.
// - A handle (ropewalk_model, ropewalk_rope, ropewalk_rows) is made by one call, never changed
//   after it, and freed once. Any number of threads may use one at the same time; free it when none
//   does any more. A ropewalk_kv_cache alone changes: while a call changes one, no other uses it.
// - Options are structs that begin with their size: set them to their initializer,
//   `ropewalk_rotate_options how = ROPEWALK_ROTATE_OPTIONS;`, and then the fields that you mean.
//   NULL stands for the initializer, where a function says so.
// - Tensors are DLPack's: any strides, in the caller's memory, never copied. See ropewalk_tensor.
// - A result that cannot be written (wrong shape, dtype, overlap) is refused before anything is
//   written.
//
// docs/c.md shows a whole program; docs/threads.md says which calls may run at once.
#ifndef ROPEWALK_H_
#define ROPEWALK_H_

#include "ropewalk/capi/attention.h"
#include "ropewalk/capi/kv_cache.h"
#include "ropewalk/capi/model.h"
#include "ropewalk/capi/positions.h"
#include "ropewalk/capi/rotate.h"
#include "ropewalk/capi/tables.h"
#include "ropewalk/capi/types.h"

#endif  // ROPEWALK_H_
