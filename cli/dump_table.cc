#include "cli/dump_table.h"

#include <utility>

#include "cli/dump_files.h"
#include "cli/output.h"
#include "ropewalk/diagnose/dumps/made_dumps.h"

namespace ropewalk::cli {

DumpTable load_table(const DumpSources& o) {
  if (o.freqs_cis.empty()) {
    return {load_dump(o.cos, "--cos", o.bf16), load_dump(o.sin, "--sin", o.bf16),
            o.cos + ", " + o.sin, ""};
  }
  const Tensor numbers = load_complex(o.freqs_cis, "--freqs-cis", o.bf16);
  ComplexParts parts;
  with_input_files(o.freqs_cis, [&] { parts = parts_of_complex(numbers.view()); });
  return {std::move(parts.cos), std::move(parts.sin), o.freqs_cis, "complex numbers"};
}

}  // namespace ropewalk::cli
