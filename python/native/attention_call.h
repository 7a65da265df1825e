#pragma once

#include <string>

#include <fmt/format.h>

#include "python/native/attention_keywords.h"
#include "ropewalk/base/error.h"

namespace ropewalk::python {

// An array to write, float32 of a shape: the caller's own, or a new one of the kind of `like`.
class Result {
 public:
  Result(nb::handle given, const char* what, const Dims& shape);

  TensorView view();
  nb::object array(nb::handle like);

 private:
  nb::object given_;
  std::optional<Array> array_;
  Tensor made_;
};

// Runs `call` without the GIL. An Error of it is in the words of the keywords, and says what the
// arrays are.
template <typename Call>
void run_attention(const std::string& arrays, const Call& call) {
  try {
    const nb::gil_scoped_release released;
    call();
  } catch (const Error& error) {
    throw Error(error.code(), in_keywords(error.what()) + arrays);
  }
}

}  // namespace ropewalk::python
