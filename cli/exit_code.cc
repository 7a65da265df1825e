#include "cli/exit_code.h"

namespace ropewalk::cli {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::out_of_range:
      return kUsage;
    case ErrorCode::malformed:
    case ErrorCode::unsupported:
      return kInput;
    case ErrorCode::io:
      return kIo;
    case ErrorCode::resource_limit:
      return kLimit;
    case ErrorCode::internal:
      break;
  }
  return kInternal;
}

}  // namespace ropewalk::cli
