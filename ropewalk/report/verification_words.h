#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/diagnose/permuted_rows.h"
#include "ropewalk/diagnose/table_check.h"
#include "ropewalk/diagnose/verify.h"

namespace ropewalk {

// One line of what verify found.
struct FindingLine {
  enum class Level {
    fault,   // contradicts the config
    unread,  // is there, and could not be read
    note,    // worth knowing
    right,   // was compared and is as it should be
  };
  Level level = Level::fault;
  std::string_view kind;  // "stored_inv_freq", "wrong_shape", "layers", "weights", "config",
                          // "rows", "table"
  std::string text;
  std::string change = {};  // what mends it, where that is one command
};

std::string_view name(FindingLine::Level level);

// Layers whose rows lie in the same way share a line: those that are wrong first. `b` is also the
// path that a command to mend it takes.
std::vector<FindingLine> lines_of(const std::vector<PermutedRows>& rows, const std::string& a,
                                  const std::string& b);

// How another checkpoint differs: the config, then the rows. `model` is the file of the first.
std::vector<FindingLine> lines_of(const OtherCheck& other, const std::string& model);

std::string in_words(const TableCheck& table);

// Everything, faults first. `name` is that of the model's file.
std::vector<FindingLine> lines_of(const Verification& verification, const std::string& name);

}  // namespace ropewalk
