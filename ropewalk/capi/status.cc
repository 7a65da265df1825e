#include "ropewalk/capi/status.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "ropewalk/base/error.h"

namespace ropewalk::capi {
namespace {

// The message, which memory for a text may be lacking for.
struct LastError {
  std::string text;
  const char* what = "";
};

thread_local LastError last_error;

void keep(const char* what) noexcept {
  try {
    last_error.text = what;
    last_error.what = last_error.text.c_str();
  } catch (...) {
    last_error.what = "out of memory";
  }
}

ropewalk_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return ROPEWALK_INVALID_ARGUMENT;
    case ErrorCode::out_of_range:
      return ROPEWALK_OUT_OF_RANGE;
    case ErrorCode::malformed:
      return ROPEWALK_MALFORMED;
    case ErrorCode::unsupported:
      return ROPEWALK_UNSUPPORTED;
    case ErrorCode::io:
      return ROPEWALK_IO;
    case ErrorCode::resource_limit:
      return ROPEWALK_RESOURCE_LIMIT;
    case ErrorCode::internal:
      break;
  }
  return ROPEWALK_INTERNAL;
}

}  // namespace

ropewalk_status failed() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    keep(error.what());
    return status_of(error.code());
  } catch (const std::bad_alloc&) {
    last_error.what = "out of memory";
    return ROPEWALK_RESOURCE_LIMIT;
  } catch (const std::length_error&) {  // of a container that cannot be so long
    last_error.what = "out of memory";
    return ROPEWALK_RESOURCE_LIMIT;
  } catch (const std::exception& error) {
    keep(error.what());
  } catch (...) {
    last_error.what = "an unknown exception";
  }
  return ROPEWALK_INTERNAL;
}

void refuse(const std::string& why) { throw Error(ErrorCode::invalid_argument, why); }

void refuse_null(const char* name, const char* what) {
  refuse(std::string(name) + ": expected " + what + ", found NULL");
}

}  // namespace ropewalk::capi

const char* ropewalk_version(void) { return ROPEWALK_VERSION; }

const char* ropewalk_status_name(int32_t status) {
  switch (status) {
    case ROPEWALK_OK:
      return "ok";
    case ROPEWALK_INVALID_ARGUMENT:
      return "invalid_argument";
    case ROPEWALK_OUT_OF_RANGE:
      return "out_of_range";
    case ROPEWALK_MALFORMED:
      return "malformed";
    case ROPEWALK_UNSUPPORTED:
      return "unsupported";
    case ROPEWALK_IO:
      return "io";
    case ROPEWALK_RESOURCE_LIMIT:
      return "resource_limit";
    case ROPEWALK_INTERNAL:
      return "internal";
    default:
      return "unknown";
  }
}

const char* ropewalk_last_error(void) { return ropewalk::capi::last_error.what; }
