#include <fmt/format.h>

#include "python/native/model.h"
#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/traps.h"
#include "ropewalk/report/attention_words.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/scaling_words.h"

namespace ropewalk::python {

std::string text_of(const Encoding& encoding) {
  const ModelEncoding& model = *encoding.model;
  std::string text =
      fmt::format("{}: family {}, {}", escaped(model.name), model.family, layer_map(model));
  for (const NamedEncoding& other : model.others) {
    text += fmt::format("\n  and {}: {}", other.name, in_a_line(other.encoding));
  }
  for (const std::vector<std::string>& row : fact_rows(model)) {
    text += fmt::format("\n  {:<24} {:<20} {}", row[0], row[1], row[2]);
  }
  if (!model.layers.empty()) text += "\nAttention\n" + attention_kinds(model);
  while (text.ends_with('\n')) text.pop_back();
  for (const std::string& warning : model.warnings) text += "\nnote: " + warning;
  for (const Trap& trap : known_traps(model)) text += "\nnote: " + in_words(trap, model.model_type);
  return text;
}

}  // namespace ropewalk::python
