#include "ropewalk/models/dimensions.h"

#include <fmt/format.h>

#include "ropewalk/dialects/notes.h"

namespace ropewalk {

int64_t derived_head_dim(ModelEncoding& model, const std::string& source) {
  if (model.hidden_size % model.heads != 0) {
    refuse(ErrorCode::malformed, source,
           fmt::format("expected a multiple of the {} attention heads, found {}", model.heads,
                       model.hidden_size));
  }
  const int64_t head_dim = model.hidden_size / model.heads;
  if (head_dim < kHeadDim.least || head_dim > kHeadDim.most || head_dim % 2 != 0) {
    refuse(ErrorCode::malformed, source,
           fmt::format("expected an even head_dim in {}..{}, found {} = {} / {} heads",
                       kHeadDim.least, kHeadDim.most, head_dim, model.hidden_size, model.heads));
  }
  note(model, "head_dim", fmt::to_string(head_dim), "derived: hidden_size / num_attention_heads");
  return head_dim;
}

void check_kv_heads(const ModelEncoding& model, const std::string& source) {
  if (model.heads % model.kv_heads == 0) return;
  refuse(ErrorCode::malformed, source,
         fmt::format("expected a divisor of the {} attention heads, found {}", model.heads,
                     model.kv_heads));
}

}  // namespace ropewalk
