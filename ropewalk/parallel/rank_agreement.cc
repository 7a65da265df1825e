#include "ropewalk/parallel/rank_agreement.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

namespace ropewalk {
namespace {

constexpr ErrorCode kCodes[] = {
    ErrorCode::invalid_argument, ErrorCode::out_of_range, ErrorCode::malformed,
    ErrorCode::unsupported,      ErrorCode::io,           ErrorCode::resource_limit,
    ErrorCode::internal};

// Of one line: what is no character of it is shown as such.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

Error no_report(const std::string& text) {
  return {ErrorCode::internal,
          fmt::format("report of a rank: expected lines of names, found \"{}\"", escaped(text))};
}

}  // namespace

std::optional<RankFault> first_fault(std::span<const RankReport> of_ranks) {
  for (size_t rank = 0; rank < of_ranks.size(); ++rank) {
    if (of_ranks[rank].fault) return RankFault{static_cast<int64_t>(rank), *of_ranks[rank].fault};
  }
  for (size_t rank = 1; rank < of_ranks.size(); ++rank) {
    const std::vector<RankFact>&own = of_ranks[rank].facts, &first = of_ranks[0].facts;
    for (size_t i = 0; i < std::max(own.size(), first.size()); ++i) {
      const RankFact found = i < own.size() ? own[i] : RankFact{"facts", "no more"};
      const RankFact expected = i < first.size() ? first[i] : RankFact{"facts", "no more"};
      if (found == expected) continue;
      return RankFault{
          static_cast<int64_t>(rank),
          {ErrorCode::invalid_argument, fmt::format("{}: expected {} as rank 0 has, found {}",
                                                    found.name, expected.text, found.text)}};
    }
  }
  return std::nullopt;
}

std::string to_text(const RankReport& report) {
  if (report.fault) {
    const auto code = std::ranges::find(kCodes, report.fault->code()) - std::begin(kCodes);
    return fmt::format("fault\t{}\t{}\n", code, one_line(report.fault->what()));
  }
  std::string text;
  for (const RankFact& fact : report.facts) {
    text += fmt::format("fact\t{}\t{}\n", one_line(fact.name), one_line(fact.text));
  }
  return text;
}

RankReport report_from_text(const std::string& text) {
  RankReport report;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string kind, name, rest;
    std::getline(fields, kind, '\t');
    std::getline(fields, name, '\t');
    std::getline(fields, rest);
    if (kind == "fact") {
      report.facts.push_back({name, rest});
    } else if (kind == "fault" && name.size() == 1 && name[0] >= '0' &&
               name[0] < '0' + static_cast<char>(std::size(kCodes))) {
      report.fault = Error(kCodes[name[0] - '0'], rest);
    } else {
      report.fault = no_report(line);
    }
  }
  return report;
}

int64_t launched_ranks() {
  const auto number = [](const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? int64_t{0} : int64_t{std::atoll(text)};
  };
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (number(name) > 0) return number(name);
  }
  const bool slurm = std::getenv("PMIX_RANK") != nullptr;
  return slurm ? std::max<int64_t>(1, number("SLURM_STEP_NUM_TASKS")) : 1;
}

}  // namespace ropewalk
