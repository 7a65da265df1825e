#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ropewalk/apply/alibi.h"
#include "ropewalk/diagnose/scaling_bands.h"
#include "ropewalk/report/columns.h"
#include "ropewalk/report/layer_words.h"
#include "ropewalk/report/model_words.h"
#include "ropewalk/report/scaling_words.h"
#include "ropewalk/spectrum/spectrum.h"

namespace ropewalk {
namespace {

std::vector<size_t> pairs_to_print(size_t pairs, bool all) {
  std::vector<size_t> chosen;
  const size_t step = all || pairs <= 10 ? 1 : (pairs + 7) / 8;
  for (size_t i = 0; i < pairs; i += step) chosen.push_back(i);
  if (pairs > 0 && chosen.back() != pairs - 1) chosen.push_back(pairs - 1);
  return chosen;
}

std::vector<std::string> head_of(const SpectraByLength& found, bool axes) {
  std::vector<std::string> head = {"pair"};
  if (axes) head.emplace_back("position axis");
  head.emplace_back("inv_freq (rad per position)");
  head.emplace_back("wavelength (positions)");
  if (found.context > 0) head.push_back(fmt::format("turns in {} positions", found.context));
  if (found.in_context) head.push_back(fmt::format("inv_freq for {}", found.context));
  return head;
}

std::vector<std::string> row_of(const SpectraByLength& found, bool axes, size_t pair) {
  const double inv_freq = found.spectrum.inv_freq[pair];
  std::vector<std::string> row = {fmt::to_string(pair)};
  if (axes) row.push_back(fmt::to_string(found.spectrum.axis[pair]));
  row.push_back(fmt::format("{:.9g}", inv_freq));
  row.push_back(fmt::format("{:.6g}", wavelength(inv_freq)));
  if (found.context > 0) {
    // Of the frequencies that a sequence of this length has.
    const double of_context = found.in_context ? found.in_context->inv_freq[pair] : inv_freq;
    row.push_back(
        fmt::format("{:.4g}", static_cast<double>(found.context) / wavelength(of_context)));
  }
  if (found.in_context) row.push_back(fmt::format("{:.9g}", found.in_context->inv_freq[pair]));
  return row;
}

// Which sequences turn so.
std::string length_in_words(const SpectraByLength& found, const RopeConfig& rope, int64_t seq_len) {
  std::string text;
  if (found.ignores_length) {
    text = fmt::format("--seq-len changes nothing: rope_type {} does not depend on the length\n",
                       rope.rope_type);
  } else if (seq_len > 0) {
    text = fmt::format("inv_freq is that of a sequence of {} positions\n", seq_len);
  }
  if (!found.holds_until) return text;
  return text +
         fmt::format(
             "inv_freq holds for sequences of up to {} positions; {} (--seq-len for another)\n",
             *found.holds_until,
             found.in_context
                 ? fmt::format("longer ones have others,\none of {} that of the last column",
                               found.context)
                 : "longer ones have others");
}

std::string rotation_in_words(const ModelEncoding& model, const RopeConfig& rope,
                              const Shown& shown, bool all) {
  const SpectraByLength found = spectra_by_length(rope, shown.seq_len, context_shown(model, shown));
  const bool axes = axis_count(found.spectrum) > 1;
  std::vector<std::vector<std::string>> rows = {head_of(found, axes)};
  for (const size_t pair : pairs_to_print(found.spectrum.inv_freq.size(), all)) {
    rows.push_back(row_of(found, axes, pair));
  }
  std::string text;
  if (shown.layer > 0) text += fmt::format("\nLayer {}", shown.layer);
  if (!shown.part.empty()) text += fmt::format("\nPart {}", shown.part);
  text += fmt::format("\nFrequencies{}\n{}", all ? "" : " (some; --all prints every pair)",
                      table(rows, std::vector<bool>(rows[0].size(), true)));
  text += length_in_words(found, rope, shown.seq_len);
  return text + in_words(bands_shown(rope, shown, found.context), rope, found.context);
}

std::string slopes_in_words(const AlibiConfig& config) {
  const std::vector<float> slopes = alibi_slopes(config);
  std::vector<std::vector<std::string>> rows = {{"head", "slope"}};
  for (size_t h : pairs_to_print(slopes.size(), false)) {
    rows.push_back({fmt::format("{}", h), fmt::format("{}", slopes[h])});
  }
  const char* factor = config.form == AlibiForm::relative       ? "(key - query)"
                       : config.form == AlibiForm::key_position ? "key"
                                                                : "-|key - query|";
  return fmt::format("\nALiBi slopes (slope x {} is added to a score{})\n{}", factor,
                     config.before_scale ? ", before it is scaled" : "", table(rows, {true, true}));
}

}  // namespace

std::string frequencies_in_words(const ModelEncoding& model, const Shown& shown, bool all) {
  const PositionEncoding& encoding = encoding_shown(model, shown);
  if (const auto* rope = std::get_if<RopeConfig>(&encoding)) {
    return rotation_in_words(model, *rope, shown, all);
  }
  if (const auto* alibi = std::get_if<AlibiConfig>(&encoding)) return slopes_in_words(*alibi);
  return shown.part.empty() ? ""
                            : fmt::format("\nPart {}\n  {}\n", shown.part, in_a_line(encoding));
}

}  // namespace ropewalk
