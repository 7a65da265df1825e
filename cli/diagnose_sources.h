#pragma once

#include <string>

#include "cli/with_option.h"

namespace ropewalk::cli {

// Dumps of q and k, tables and lists of frequencies, and what they are of, as diagnose is given
// them.
struct DumpSources {
  ModelOptions model;
  std::string before, after, mine, reference, cos, sin, freqs_cis, inv_freq, sinusoidal;
  std::string positions, token_ids, layer, part, seq_len, layout;
  bool json = false, bf16 = false;
};

// Compares them with what the model says and prints what is wrong. Throws as diagnose_dump and the
// readers. The exit code: 1 for a fault.
int diagnose_sources(const DumpSources& sources);

// Prints the encoding that was found of them without a model; 1 where none was.
int find_encoding_of(const DumpSources& sources);

}  // namespace ropewalk::cli
