#include "cli/rank_options.h"

#include <fmt/format.h>

#include "cli/arguments.h"
#include "ropewalk/base/error.h"
#include "ropewalk/parallel/rank_agreement.h"

namespace ropewalk::cli {

void declare_rank_options(CLI::App& app, RankOptions& o) {
  add_text_option(app, "--cu-seqlens", o.cu_seqlens,
                  "packed sequences in [tokens, heads, head_dim]: 0, the end of the first, ...",
                  "LIST");
  add_choice_option(app, "--order", o.order, {"zigzag", "contiguous"},
                    "how the ranks of mpirun share each sequence (zigzag: even where causal)");
  add_text_option(app, "--deadline", o.deadline,
                  "seconds without a sign of life of another rank, after which all end (120)",
                  "SECONDS");
  add_text_option(app, "--largest-message", o.largest_message,
                  "bytes of one message between ranks; more are sent in parts (2^30)", "BYTES");
  add_text_option(app, "--plan", o.plan,
                  "print what N ranks would send, do and take; nothing is computed", "N");
  add_text_option(app, "--tokens", o.tokens, "with --plan: of one sequence", "N");
  add_choice_option(app, "--dtype", o.dtype, {"f32", "bf16", "f16"},
                    "with --plan: of keys and values (f32)");
  add_text_option(app, "--rate", o.rate, "with --plan: GFLOP/s of a rank (what this machine does)",
                  "GFLOPS");
  add_text_option(app, "--link", o.link, "with --plan: GB/s from rank to rank (1.25)", "GBS");
  app.add_flag("--json", o.json, "print the plan, or the time and bytes of each rank, as JSON");
}

void check_rank_options(const RankOptions& o) {
  shard_order(o);
  const bool of_plan = !o.tokens.empty() || !o.dtype.empty() || !o.rate.empty() || !o.link.empty();
  if (!o.plan.empty() || !of_plan) return;
  throw Error(ErrorCode::invalid_argument, "--tokens, --dtype, --rate and --link go with --plan");
}

bool is_for_ranks(const RankOptions& o) {
  return launched_ranks() > 1 || o.json || !o.cu_seqlens.empty() || !o.order.empty();
}

ShardOrder shard_order(const RankOptions& o) {
  if (o.order == "contiguous") return ShardOrder::contiguous;
  if (o.order == "zigzag" || o.order.empty()) return ShardOrder::zigzag;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("--order: expected zigzag or contiguous, found \"{}\"", escaped(o.order)));
}

}  // namespace ropewalk::cli
