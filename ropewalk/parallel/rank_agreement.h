#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ropewalk/base/error.h"

namespace ropewalk {

// Something that every rank must have alike: {"dtype of k", "bf16"}. One line.
struct RankFact {
  std::string name, text;

  bool operator==(const RankFact&) const = default;
};

// What a rank says before the first exchange: what went wrong, or its facts.
struct RankReport {
  std::optional<Error> fault = std::nullopt;
  std::vector<RankFact> facts = {};
};

// What is wrong, and in which rank.
struct RankFault {
  int64_t rank = 0;
  Error error;
};

// The first rank with a fault, else the first whose facts are not those of rank 0:
// "dtype of k: expected bf16 as rank 0 has, found f32".
std::optional<RankFault> first_fault(std::span<const RankReport> of_ranks);

// As text, and back; what is no report is a fault of its own.
std::string to_text(const RankReport& report);
RankReport report_from_text(const std::string& text);

// Ranks that a launcher of MPI started, by what Open MPI, MPICH (PMI) or Slurm (PMIx) say in the
// environment: 4 under `mpirun -n 4`, 1 for a program that runs alone.
int64_t launched_ranks();

}  // namespace ropewalk
