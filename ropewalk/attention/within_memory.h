#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "ropewalk/base/error.h"

namespace ropewalk {

// What body() returns; memory that runs out, or a size that no memory has, is a resource_limit that
// names `what`.
template <typename Body>
auto within_memory(const char* what, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::resource_limit, std::string(what) + ": not enough memory");
  } catch (const std::length_error&) {
    throw Error(ErrorCode::resource_limit, std::string(what) + ": not enough memory");
  }
}

}  // namespace ropewalk
