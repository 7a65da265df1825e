#include "ropewalk/report/verification_words.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ropewalk/base/error.h"
#include "ropewalk/report/comparison_words.h"
#include "ropewalk/report/finding_words.h"
#include "ropewalk/report/layer_words.h"

namespace ropewalk {
namespace {

using Level = FindingLine::Level;
using Relation = PermutedRows::Relation;

bool alike(const PermutedRows& a, const PermutedRows& b) {
  return a.keys == b.keys && a.relation == b.relation && a.to_half_split == b.to_half_split &&
         a.heads == b.heads && a.wrong_heads == b.wrong_heads && a.whole_head == b.whole_head &&
         a.expected == b.expected && a.exact == b.exact && a.origins == b.origins;
}

// Of heads in another order, or repeated.
std::string heads_words(const PermutedRows& rows) {
  constexpr size_t kMost = 12;
  const std::vector<int64_t>& order = rows.origins.head_order;
  const auto count = std::ssize(order);
  if (rows.expected) {
    return fmt::format("are the {} heads, each {} times", rows.layer_heads,
                       count / std::max<int64_t>(rows.layer_heads, 1));
  }
  std::string text = fmt::format(
      "are heads {}",
      fmt::join(order.begin(), order.begin() + std::min<std::ptrdiff_t>(count, kMost), " "));
  if (order.size() > kMost) text += " ...";
  text += fmt::format(" of {}", rows.layer_heads);
  return count > rows.layer_heads ? text + ": copies of a head stand apart, not side by side"
                                  : text + ": another order of heads";
}

std::string order_words(const PermutedRows& rows) {
  const RowOrigins& origins = rows.origins;
  if (!origins.head_order.empty()) return heads_words(rows);
  const int64_t own = rows.layer_heads * rows.layer_head_dim;
  std::string text = "are in an order that is of no pairing";
  for (size_t r = 0; r < origins.source.size(); ++r) {
    const int64_t from = origins.source[r];
    if (from < 0 || from == static_cast<int64_t>(r)) continue;
    text += fmt::format(": row {} is row {} of {}", r, from < own ? from : from - own,
                        (from < own) == rows.keys ? "k" : "q");
    break;
  }
  const int64_t neither = std::ssize(origins.source) - origins.found;
  if (origins.of_other > 0)
    text += fmt::format(", {} are rows of {}", origins.of_other, rows.keys ? "q" : "k");
  if (neither > 0) text += fmt::format(", {} of neither q nor k", neither);
  return origins.of_other + neither > 0 ? text + ", as of a fused tensor that was cut otherwise"
                                        : text;
}

std::string_view direction(const PermutedRows& rows) {
  return rows.to_half_split ? "from interleaved to half_split" : "from half_split to interleaved";
}

// What is the case; the heading says whose rows.
std::string what_is(const PermutedRows& rows) {
  if (rows.relation == Relation::differs) {
    return fmt::format("are other numbers, in whatever order: cosine {:.3f} at best", rows.cosine);
  }
  if (rows.relation == Relation::ordered) return order_words(rows);
  std::string text;
  if (rows.relation == Relation::same) {
    text = "are the same, row for row";
  } else {
    text = fmt::format("moved {}", direction(rows));
    if (rows.wrong_heads) {
      text += fmt::format(" by {} heads of {} channels, not by the {} of {} that they are",
                          rows.heads, rows.head_dim, rows.layer_heads, rows.layer_head_dim);
    } else if (rows.whole_head) {
      text += " over the whole head, of which only a part turns";
    }
  }
  if (!rows.exact) text += fmt::format(", but for other numbers (cosine {:.3f})", rows.cosine);
  return text;
}

// Why that is wrong, where the heads do not say it.
std::string why_wrong(const PermutedRows& rows, const std::string& a, const std::string& b) {
  const bool of_pairs = rows.relation == Relation::same || rows.relation == Relation::moved;
  if (rows.expected || !of_pairs || rows.wrong_heads || rows.whole_head) {
    return "";
  }
  if (rows.reads_a == rows.reads_b) {
    return fmt::format("; both are read as {} pairs, so one of them is wrong", name(rows.reads_a));
  }
  return fmt::format("; {} is read as {} pairs, {} as {}", a, name(rows.reads_a), b,
                     name(rows.reads_b));
}

std::string_view form(Pairing pairing) { return pairing == Pairing::half_split ? "hf" : "meta"; }

// The command, where the rows of `b` are those of the other pairing and nothing else.
std::string what_mends(const PermutedRows& rows, const std::string& b) {
  const bool moved = rows.relation == Relation::moved;
  if (rows.expected || (!moved && rows.relation != Relation::same)) return "";
  if (moved && (rows.wrong_heads || rows.whole_head)) {
    return fmt::format("convert again, {} by its own {} heads of {} channels",
                       rows.keys ? "k" : "q", rows.layer_heads, rows.layer_head_dim);
  }
  Pairing from = rows.reads_a, to = rows.reads_b;  // not moved, where the code reads other pairs
  if (moved) {
    from = rows.to_half_split ? Pairing::half_split : Pairing::interleaved;
    to = rows.to_half_split ? Pairing::interleaved : Pairing::half_split;
    if (rows.reads_a != rows.reads_b) return "";  // the other way: twice
  }
  if (from == to) return "";
  if (b.ends_with(".gguf")) return "convert it again: rows of a GGUF are not moved in place";
  return fmt::format("ropewalk permute {} --from {} --to {} -o NEW", b, form(from), form(to));
}

void add_differences(const Comparison& comparison, Level level, const std::string& path,
                     const std::string& model, std::vector<FindingLine>& lines) {
  for (const auto& row : difference_rows(comparison)) {
    lines.push_back({level, "config",
                     fmt::format("{}: {}: {}, but {} in {}{}", path, row[1], row[3], row[2], model,
                                 row[4].empty() ? "" : " (layers " + row[4] + ")")});
  }
}

void add_checkpoint(const Verification& found, std::vector<FindingLine>& lines) {
  for (const WrongShape& shape : found.checkpoint.shapes) {
    lines.push_back({Level::fault, "wrong_shape", in_words(shape)});
  }
  for (const StoredFrequencies& stored : found.checkpoint.frequencies) {
    const bool rounded = stored.fault == StoredFrequencies::Fault::rounded;
    lines.push_back({rounded ? Level::note : Level::fault, "stored_inv_freq", in_words(stored)});
  }
  const auto note = [&](std::string_view kind, const std::string& before, const std::string& text) {
    if (!text.empty()) lines.push_back({Level::note, kind, before + text});
  };
  note("stored_inv_freq",
       "stored frequencies were not looked for: ", found.checkpoint.frequencies_unread);
  note("wrong_shape",
       "the shapes of the weights were not looked at: ", found.checkpoint.shapes_unread);
  note("layers", "the layers of the weights were not looked at: ", found.layers_unread);
  if (!found.layers_fault.empty()) lines.push_back({Level::fault, "layers", found.layers_fault});
  if (!found.layers_beyond.empty()) {
    const std::vector<size_t> layers(found.layers_beyond.begin(), found.layers_beyond.end());
    lines.push_back({Level::note, "layers",
                     fmt::format("the weights have layer{} {}, which the config does not count",
                                 layers.size() == 1 ? "" : "s", ranges(layers))});
  }
}

}  // namespace

std::string_view name(FindingLine::Level level) {
  switch (level) {
    case Level::fault:
      return "fault";
    case Level::unread:
      return "unread";
    case Level::note:
      return "note";
    case Level::right:
      return "right";
  }
  return "";
}

std::vector<FindingLine> lines_of(const std::vector<PermutedRows>& rows, const std::string& a,
                                  const std::string& b) {
  std::vector<std::pair<PermutedRows, std::vector<size_t>>> groups;
  for (const PermutedRows& each : rows) {
    const auto layer = static_cast<size_t>(each.layer);
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& other) { return alike(other.first, each); });
    if (group == groups.end()) {
      groups.push_back({each, {layer}});
    } else {
      group->second.push_back(layer);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const auto& x, const auto& y) {
    return !x.first.expected && y.first.expected;
  });
  std::vector<FindingLine> lines;
  for (const auto& [each, layers] : groups) {
    const Level level = !each.expected ? Level::fault : each.exact ? Level::right : Level::note;
    lines.push_back(
        {level, "rows",
         fmt::format("{} beside {}: rows of {} in layer{} {} {}{} (tensor \"{}\")", b, a,
                     each.keys ? "k" : "q", layers.size() == 1 ? "" : "s", ranges(layers),
                     what_is(each), why_wrong(each, a, b), escaped(each.tensor_b)),
         what_mends(each, b)});
  }
  return lines;
}

std::vector<FindingLine> lines_of(const OtherCheck& other, const std::string& model) {
  std::vector<FindingLine> lines;
  const std::string path = escaped(other.path.string());
  if (!other.unread.empty()) lines.push_back({Level::unread, "other", other.unread});
  add_differences(other.comparison, Level::fault, path, escaped(model), lines);
  Comparison minor;
  minor.differences = other.minor;
  minor.common_layers = other.comparison.common_layers;
  add_differences(minor, Level::note, path, escaped(model), lines);
  for (FindingLine& line : lines_of(other.rows, escaped(model), path)) {
    lines.push_back(std::move(line));
  }
  if (!other.rows_unread.empty()) {
    lines.push_back(
        {Level::note, "rows",
         fmt::format("{}: rows of q and k were not compared: {}", path, other.rows_unread)});
  }
  return lines;
}

std::string in_words(const TableCheck& table) {
  switch (table.fault) {
    case TableCheck::Fault::none:
      return fmt::format("{} rows of {} numbers are those of the model, form {}", table.rows,
                         table.columns, name(table.form));
    case TableCheck::Fault::shape:
      return fmt::format("has rows of {} numbers, but the {} pairs of the model give {} or {}",
                         table.columns, table.pairs, table.pairs, 2 * table.pairs);
    case TableCheck::Fault::differs:
      return fmt::format(
          "{} of position {}, number {} is {:.9g}, but the model gives {:.9g}; {} of {} numbers "
          "are wrong, at most by {:.3g} (form {})",
          table.in_sin ? "sin" : "cos", table.position, table.column, table.found, table.expected,
          table.wrong, 2 * table.rows * table.columns, table.largest, name(table.form));
  }
  return "";
}

std::vector<FindingLine> lines_of(const Verification& found, const std::string& model) {
  std::vector<FindingLine> lines;
  if (!found.weights_unread.empty()) {
    lines.push_back({Level::unread, "weights", found.weights_unread});
  }
  add_checkpoint(found, lines);
  if (found.table) {
    const bool right = found.table->fault == TableCheck::Fault::none;
    lines.push_back(
        {right ? Level::right : Level::fault, "table", "the table: " + in_words(*found.table)});
  }
  for (const OtherCheck& other : found.others) {
    for (FindingLine& line : lines_of(other, model)) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const FindingLine& a, const FindingLine& b) { return a.level < b.level; });
  return lines;
}

}  // namespace ropewalk
