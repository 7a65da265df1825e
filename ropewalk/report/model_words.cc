#include "ropewalk/report/model_words.h"

#include <vector>

#include <fmt/format.h>

#include "ropewalk/base/error.h"
#include "ropewalk/diagnose/traps.h"
#include "ropewalk/report/attention_words.h"
#include "ropewalk/report/columns.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/scaling_words.h"

namespace ropewalk {

std::string facts_in_words(const ModelEncoding& model) {
  std::string text =
      fmt::format("{}: family {}, {}\n", escaped(model.name), model.family, layer_map(model));
  for (const NamedEncoding& other : model.others) {
    text += fmt::format("  and {}: {}\n", other.name, in_a_line(other.encoding));
  }
  std::vector<std::vector<std::string>> rows = fact_rows(model);
  rows.insert(rows.begin(), {"fact", "value", "evidence"});
  text += "\n" + table(rows);
  if (!model.layers.empty()) text += "\nAttention\n" + attention_kinds(model);
  for (const std::string& warning : model.warnings) text += fmt::format("\nnote: {}\n", warning);
  for (const Trap& trap : known_traps(model)) {
    text += fmt::format("\nnote: {}\n", in_words(trap, model.model_type));
  }
  return text;
}

std::string in_words(const ModelEncoding& model) {
  return facts_in_words(model) +
         frequencies_in_words(model, {.layer = first_with_positions(model)}, false);
}

}  // namespace ropewalk
