#pragma once

#include <span>
#include <string_view>

namespace ropewalk {

// Another name of a model type that is a row of its own: what publishers and other programs write
// for a model whose code is that of the row.
struct OtherName {
  std::string_view name, model_type;
};

// Values of /model_type, of /architectures/0 and of a GGUF's general.architecture.
std::span<const OtherName> other_model_types();
std::span<const OtherName> other_architectures();
std::span<const OtherName> other_gguf_architectures();

// The model type that `names` give for this one; "" for none.
std::string_view type_of_other_name(std::span<const OtherName> names, std::string_view name);

}  // namespace ropewalk
