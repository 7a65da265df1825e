#include <fstream>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/bench/lines.h"
#include "cli/bench/workloads.h"
#include "cli/command.h"
#include "cli/output.h"
#include "ropewalk/kernels/simd/targets.h"

namespace ropewalk::cli {
namespace {

struct Options {
  bool json = false, csv = false, large = false, lines = false;
  std::string only, threads, rounds = "11";
};

// As the operating system names it.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string microseconds(double seconds) {
  const double us = seconds * 1e6;
  return fmt::format("{:.{}f}", us, us < 10 ? 3 : us < 1000 ? 1 : 0);
}

double bytes_per_second(const Measured& row) {
  return (row.of_peak ? 1 : 2) * static_cast<double>(row.bytes) / row.work.median;
}

void print_table(const std::vector<Measured>& rows) {
  std::vector<std::vector<std::string>> lines = {
      {"workload", "type", "pairing", "threads", "µs", "memory µs", "of memory", "GB/s",
       "checks µs", "rows µs", "GFLOP/s", "arithmetic µs", "of peak"}};
  for (const Measured& row : rows) {
    lines.push_back({row.workload, row.dtype, row.pairing, fmt::to_string(row.threads),
                     microseconds(row.work.median), microseconds(row.memory.median),
                     fmt::format("{:.0f} %", 100 * row.memory.median / row.work.median),
                     fmt::format("{:.1f}", bytes_per_second(row) / 1e9),
                     row.checks ? microseconds(*row.checks) : "",
                     row.rows ? microseconds(*row.rows) : "",
                     row.of_peak ? fmt::format("{:.1f}", row.flops / row.work.median / 1e9) : "",
                     row.of_peak ? microseconds(row.arithmetic) : "",
                     row.of_peak ? fmt::format("{:.0f} %", 100 * *row.of_peak) : ""});
  }
  fmt::print("{}", table(lines, {false, false, false, true, true, true, true, true, true, true,
                                 true, true, true}));
  fmt::print(
      "\nMedians. memory: touching the same bytes once, in place, in the same run; of memory: its "
      "time as a part\nof the call's, 100 % is the speed of this machine's memory. checks and rows "
      "(of cos and sin) are parts\nof the call's time; the rest is the rotation. GB/s counts each "
      "byte read and written once.\nOf attention, memory is reading keys and values once, "
      "arithmetic "
      "its multiply-adds (of bf16, dot products)\nin registers, both in the same run; of peak: of "
      "one query the slower of both, else arithmetic, as a part of\nthe call's time.\n");
}

void print_lines(const std::vector<Measured>& rows) {
  std::vector<std::vector<std::string>> table_rows = {{"what grows", "type", "threads", "from",
                                                       "to", "ns each", "fixed µs",
                                                       "farthest from the line"}};
  for (const Line& line : straight_lines(rows)) {
    table_rows.push_back({line.unit, line.dtype, fmt::to_string(line.threads),
                          fmt::to_string(line.first), fmt::to_string(line.last),
                          fmt::format("{:.1f}", line.each * 1e9), microseconds(line.fixed),
                          fmt::format("{:+.1f} %", 100 * line.worst)});
  }
  fmt::print("{}", table(table_rows, {false, false, true, true, true, true, true, true}));
  fmt::print(
      "\nq and k of 40 heads of 128 channels in place; heads: 2048 tokens of q and k, four heads "
      "of q "
      "to one of k.\nsequences: one token each, rows shared.\n");
}

void print_csv(const std::vector<Measured>& rows) {
  fmt::print(
      "cpu,threads,workload,dtype,pairing,entry,min_us,median_us,scale_median_us,vs_scale,peer_"
      "over_ropewalk,of_peak,arithmetic_us\n");
  for (const Measured& row : rows) {
    const std::string units = row.unit.empty() ? "" : fmt::format("_{}", row.units);
    fmt::print("{},{},{}{},{},{},ropewalk,{:.4g},{:.4g},{:.4g},{:.3f},1.000,{},{}\n", processor(),
               row.threads, row.workload, units, row.dtype, row.pairing, row.work.least * 1e6,
               row.work.median * 1e6, row.memory.median * 1e6, row.work.median / row.memory.median,
               row.of_peak ? fmt::format("{:.3f}", *row.of_peak) : "",
               row.of_peak ? fmt::format("{:.4g}", row.arithmetic * 1e6) : "");
  }
}

nlohmann::ordered_json json_of(const Measured& row) {
  nlohmann::ordered_json json = {
      {"workload", row.workload},
      {"dtype", row.dtype},
      {"pairing", row.pairing},
      {"threads", row.threads},
      {"bytes", row.bytes},
      {"seconds", {{"min", row.work.least}, {"median", row.work.median}}},
      {"memory_seconds", row.memory.median},
      {"of_memory", row.memory.median / row.work.median}};
  if (!row.unit.empty()) json[row.unit] = row.units;
  if (row.checks) json["checks_seconds"] = *row.checks;
  if (row.rows) json["rows_seconds"] = *row.rows;
  if (row.of_peak) {
    json["arithmetic_seconds"] = row.arithmetic;
    json["flop_per_second"] = row.flops / row.work.median;
    json["of_peak"] = *row.of_peak;
  }
  return json;
}

int within(const std::string& text, const std::string& option, int64_t least, int64_t most) {
  const int64_t value = parse_integer(text, option);
  if (value < least || value > most) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}: expected {}..{}, found {}", option, least, most, value));
  }
  return static_cast<int>(value);
}

int bench(const Options& options) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int rounds = within(options.rounds, "--rounds", 3, 10000);
  BenchOptions bench{
      .rounds = rounds, .large = options.large, .lines = options.lines, .only = options.only};
  if (!options.threads.empty()) {
    bench.threads = {within(options.threads, "--threads", 1, 1024)};
  } else {
    bench.threads = cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1};
  }
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  if (terminal) {
    bench.progress = [](const std::string& name) { fmt::print(stderr, "\r\033[K{}", name); };
  }
  const std::vector<Measured> rows = measure(bench);
  if (terminal) fmt::print(stderr, "\r\033[K");
  if (options.csv) {
    print_csv(rows);
  } else if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const Measured& row : rows) list.push_back(json_of(row));
    print_json({{"cpu", processor()},
                {"target", available_targets().front()},
                {"rounds", rounds},
                {"measured", std::move(list)}});
  } else {
    fmt::print("{}, {} processors, {}\n\n", processor(), cores, available_targets().front());
    options.lines ? print_lines(rows) : print_table(rows);
  }
  return 0;
}

}  // namespace

Run declare_bench(CLI::App& app) {
  app.description(
      "Example: ropewalk bench\n\n"
      "How fast rotation and tables are on this machine, each beside touching the same memory once "
      "in place,\n"
      "measured in turn in the same run, with one thread and with all. Takes under a minute.");
  const auto options = std::make_shared<Options>();
  add_text_option(app, "--threads", options->threads, "this many threads only, 1 to 1024", "N");
  add_text_option(app, "--only", options->only, "the workloads whose name holds this text", "TEXT");
  add_text_option(app, "--rounds", options->rounds, "samples of each, 3 to 10000 (11)", "N");
  app.add_flag("--large", options->large, "32768 tokens too: 1.4 GB of memory");
  app.add_flag("--lines", options->lines,
               "how time grows with tokens, heads and sequences, as straight lines");
  CLI::Option* json = app.add_flag("--json", options->json, "as JSON");
  app.add_flag("--csv", options->csv, "as rows of CSV")->excludes(json);
  return [options] { return bench(*options); };
}

}  // namespace ropewalk::cli
