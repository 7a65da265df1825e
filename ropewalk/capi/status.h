#pragma once

#include <string>

#include "ropewalk/capi/types.h"

// How an exception of the library becomes a status of the C interface.
namespace ropewalk::capi {

// The status of the exception that is being handled; its message becomes ropewalk_last_error.
ropewalk_status failed() noexcept;

// Runs a body that may throw. Nothing leaves it but a status.
template <typename Body>
ropewalk_status guarded(const Body& body) noexcept {
  try {
    body();
    return ROPEWALK_OK;
  } catch (...) {
    return failed();
  }
}

[[noreturn]] void refuse(const std::string& why);

// "NAME: expected WHAT, found NULL"
[[noreturn]] void refuse_null(const char* name, const char* what);

template <typename T>
T& not_null(T* pointer, const char* name, const char* what) {
  if (pointer == nullptr) refuse_null(name, what);
  return *pointer;
}

// Where a new handle goes: NULL there until it is made.
template <typename Handle>
Handle*& out_handle(Handle** where, const char* name) {
  Handle*& handle = not_null(where, name, "the address of a handle");
  handle = nullptr;
  return handle;
}

}  // namespace ropewalk::capi
