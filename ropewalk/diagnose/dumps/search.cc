#include "ropewalk/diagnose/dumps/search.h"

#include <algorithm>
#include <cmath>

#include "ropewalk/base/error.h"

namespace ropewalk {
namespace {

// The same with float32 angles, as most programs have them.
Turning with_float_angles(Turning turning, AngleMode mode) {
  turning.mode = mode;
  return turning;
}

// What a turning leaves, by the angles that explain most: exact or a program's own float32 ones.
Misfit best_misfit(const Turning& turning, DumpEvidence& evidence) {
  Misfit best = evidence.judge(turning, false);
  if (turning.mode != AngleMode::exact || turning.rope.inv_freq_dtype == DType::f64) return best;
  const Misfit floats = evidence.judge(with_float_angles(turning, AngleMode::hf_float32), false);
  return floats.rms < best.rms ? floats : best;
}

class Search {
 public:
  Search(const Turning& expected, DumpEvidence& evidence, bool in_place, int most)
      : expected_(expected), evidence_(evidence), in_place_(in_place), most_(most) {}

  SearchResult run() {
    const std::vector<Proposal> singles = proposals(expected_, 0, nullptr);
    for (const Proposal& single : singles) consider(single.turning, {single.cause});
    if (result_.found.empty() && most_ > 1) pairs_of(singles);
    rank();
    if (result_.found.empty()) find_places(singles);
    return std::move(result_);
  }

 private:
  // Of the hypotheses from number `first` on; without those that move the places where
  // `only_still`.
  std::vector<Proposal> proposals(const Turning& from, size_t first, const Cause* before) {
    std::vector<Proposal> all;
    const bool explained = evidence_.may_explain(from);
    for (size_t i = first; i < hypotheses().size(); ++i) {
      const NamedHypothesis& each = hypotheses()[i];
      if (before != nullptr && !explained && !each.hypothesis->moves_places) continue;
      if (in_place_ && each.hypothesis->moves_places) continue;
      try {
        each.hypothesis->propose(from, evidence_, all);
      } catch (const Error& error) {
        // A config that the hypothesis cannot be thought of for.
        if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::unsupported)
          throw;
      }
    }
    return all;
  }

  static size_t number(std::string_view hypothesis) {
    size_t i = 0;
    while (hypotheses()[i].name != hypothesis) ++i;
    return i;
  }

  void pairs_of(const std::vector<Proposal>& singles) {
    for (const Proposal& single : singles) {
      const size_t first = number(single.cause.hypothesis) + 1;
      for (const Proposal& second : proposals(single.turning, first, &single.cause)) {
        consider(second.turning, {single.cause, second.cause});
      }
    }
  }

  void find_places(const std::vector<Proposal>& singles) {
    if (evidence_.explains(expected_.places)) {
      result_.places = Explanation{{}, expected_};
      return;
    }
    for (const Proposal& single : singles) {
      const Turning& turning = single.turning;
      if (turning.form != SinForm::rotation || turning.places == expected_.places) continue;
      if (!evidence_.explains(turning.places)) continue;
      result_.places = Explanation{{single.cause}, turning};
      return;
    }
  }

  void consider(const Turning& turning, std::vector<Cause> causes) {
    try {
      if (!evidence_.may_explain(turning)) return;
      if (!evidence_.judge(turning, true).holds) return;
      result_.found.push_back({std::move(causes), turning, best_misfit(turning, evidence_).rms});
    } catch (const Error& error) {
      // Numbers that its scaling refuses.
      if (error.code() != ErrorCode::invalid_argument && error.code() != ErrorCode::unsupported)
        throw;
    }
  }

  void rank() {
    std::vector<Explanation>& found = result_.found;
    if (found.empty()) return;
    constexpr double kAlike = 1.25, kRuledOut = 2;
    double least = found.front().rms;
    for (const Explanation& each : found) least = std::min(least, each.rms);
    const double floor = std::max(least, evidence_.rounding() * 0.05);
    std::erase_if(found, [&](const Explanation& each) { return each.rms > kRuledOut * floor; });
    // Those that are as good as the best keep the order of the list.
    std::stable_sort(found.begin(), found.end(), [&](const Explanation& x, const Explanation& y) {
      const bool x_best = x.rms <= kAlike * floor, y_best = y.rms <= kAlike * floor;
      return x_best != y_best ? x_best : !x_best && x.rms < y.rms;
    });
    drop_repeated();
  }

  // The same cause by another way of finding its numbers, and what makes the same dump.
  void drop_repeated() {
    const auto same_kind = [](const Cause& x, const Cause& y) {
      return x.hypothesis == y.hypothesis && x.variant == y.variant && x.name == y.name;
    };
    const auto same_hypothesis = [](const Cause& x, const Cause& y) {
      return x.hypothesis == y.hypothesis;
    };
    std::vector<Explanation> kept;
    for (Explanation& each : result_.found) {
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const Explanation& other) {
        const auto like = [&](const auto& is_same) {
          return std::equal(other.causes.begin(), other.causes.end(), each.causes.begin(),
                            each.causes.end(), is_same);
        };
        return like(same_kind) ||
               (like(same_hypothesis) && std::abs(other.rms - each.rms) <= 1e-9 * each.rms);
      });
      if (!known) kept.push_back(std::move(each));
    }
    result_.found = std::move(kept);
  }

  const Turning& expected_;
  DumpEvidence& evidence_;
  bool in_place_;
  int most_;
  SearchResult result_;
};

}  // namespace

SearchResult explain(const Turning& expected, DumpEvidence& evidence, int most) {
  return Search(expected, evidence, false, most).run();
}

SearchResult explain_in_place(const Turning& expected, DumpEvidence& evidence, int most) {
  return Search(expected, evidence, true, most).run();
}

}  // namespace ropewalk
