// SPDX-License-Identifier: MIT
#include "skua/policy/balance/balance_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

namespace {

constexpr double good_enough = 1.005;
constexpr double hysteresis = 0.995;
constexpr double slowest_decay = 0.95;
constexpr double another_regime = 0.25;

double share(std::uint64_t ns, double bound) { return static_cast<double>(ns) / bound; }

/// How far the largest load may be above its prediction if tasks' times change by `change` (balance_choice.md).
double noise_of(iteration_summary const& s, double change) {
  if (s.ranks < 2 || s.tasks == 0) return 0;
  double const per_rank = std::max(1.0, static_cast<double>(s.tasks) / s.ranks);
  return change * std::sqrt(2 * std::log(static_cast<double>(s.ranks)) / per_rank);
}

double smoothed(std::optional<double> before, double now) {
  if (!before || std::abs(now - *before) > another_regime * *before) return now;
  return (*before + now) / 2;
}

}  // namespace

std::string in_words(next_start s) {
  std::string const from = s.from == start_of_tasks::retained   ? "where tasks ran"
                           : s.from == start_of_tasks::original ? "where tasks started first"
                                                                : "balanced";
  return from + (s.steals ? ", with stealing" : ", without stealing");
}

void balance_choice::learn(iteration_summary const& last, double bound) {
  double const took = share(last.wall_ns, bound);
  // One large change among small ones is a jump: the next iteration will be like this one.
  noise_ = last.change ? noise_of(last, std::min(*last.change, last_change_.value_or(*last.change))) : 0;
  last_change_ = last.change;
  known& now = of(chosen_);
  if (now.predicted > 0) {
    double const ratio = took / now.predicted;
    if (ratio > 1.01) {
      now.correction = std::max(now.correction, 1.0) * ratio;
      now.decay = 1 - (1 - now.decay) / 2;
      now.decay = std::min(now.decay, slowest_decay);
    }
  }
  now.measured = smoothed(now.measured, took);
  for (known& k : known_) k.correction = 1 + (k.correction - 1) * k.decay;
  double const most = share(last.most_ns, bound);
  if (chosen_.steals && most < 1.02) steal_cost_ = std::max(took - most, 0.0);
  if (chosen_.from == start_of_tasks::balanced) {
    cost_ = share(last.balance_ns, bound);
    due_.balanced(last.balance_ns);
    // The tasks stay where the balancer has put them: so would a retained start go.
    known& retained = of({start_of_tasks::retained, chosen_.steals});
    retained.measured = smoothed(retained.measured, took);
    if (!chosen_.steals) {
      double const seen = std::max(took - 1 - noise_, 0.001);
      double const margin = balanced_before_ && seen > margin_ ? (seen + margin_) / 2 : seen;
      // The balancer goes on from its last result, so a further run may mend half of what the one before it has left, until one does not.
      expected_margin_ = margin < 0.9 * margin_ || !balanced_before_ ? margin / 2 : margin;
      margin_ = margin;
      balanced_before_ = true;
    }
  }
}

/// Without the correction; none: not to be considered.
std::optional<double> balance_choice::raw_prediction(next_start s, double most) const {
  auto const measured = [&](start_of_tasks from, bool steals) { return known_[index_of({from, steals})].measured; };
  auto const original = measured(start_of_tasks::original, true);
  switch (s.from) {
    case start_of_tasks::retained:
      if (!s.steals) return most + noise_;
      // An iteration without stealing goes no worse with it, but for what stealing costs.
      if (!chosen_.steals) return most + steal_cost_ + noise_ / 2;
      // Before the first such iteration: it is no worse than the start from which tasks were stolen.
      return measured(start_of_tasks::retained, true).value_or(original.value_or(1));
    case start_of_tasks::original: return s.steals ? original : std::nullopt;
    case start_of_tasks::balanced: {
      if (!may_balance_) return std::nullopt;
      double const even = 1 + expected_margin_ + noise_ + cost_;
      if (!s.steals) return even;
      if (auto const before = measured(start_of_tasks::balanced, true)) return *before + cost_;
      double const stolen = measured(start_of_tasks::retained, true).value_or(original.value_or(even));
      return std::min(stolen, 1 + expected_margin_ + steal_cost_ + noise_ / 2) + cost_;
    }
  }
  return std::nullopt;
}

std::optional<double> balance_choice::prediction(next_start s, double most) {
  auto raw = raw_prediction(s, most);
  if (!raw) return raw;
  of(s).predicted = *raw;
  return *raw * of(s).correction;
}

next_start balance_choice::next(iteration_summary const& last) {
  double const bound = static_cast<double>(std::max({last.mean_ns, last.longest_ns, std::uint64_t{1}}));
  learn(last, bound);
  double const most = share(last.most_ns, bound);
  // What balancing can mend is what no rank can do about its longest task.
  due_.predict(last.wall_ns, static_cast<std::uint64_t>(bound));
  may_balance_ = due_.is_due() && last.ranks > 1;

  next_start best{start_of_tasks::retained, chosen_.steals};
  if (chosen_.from == start_of_tasks::original && of(best).measured) best = chosen_;
  std::optional<double> least = prediction(best, most);
  if (share(last.wall_ns, bound) > good_enough) {
    for (auto const from : {start_of_tasks::retained, start_of_tasks::original, start_of_tasks::balanced}) {
      for (bool const steals : {false, true}) {
        next_start const s{from, steals};
        auto const expected = prediction(s, most);
        if (expected && (!least || *expected < *least * hysteresis)) {
          best = s;
          least = expected;
        }
      }
    }
  }
  chosen_ = best;
  explain(least.value_or(1), last, bound);
  return chosen_;
}

void balance_choice::explain(double expected, iteration_summary const& last, double bound) {
  char text[200];
  std::snprintf(text, sizeof text, "%s: expected at %.3f of the ideal time; the last iteration took %.3f",
                in_words(chosen_).c_str(), expected, share(last.wall_ns, bound));
  reason_ = text;
  if (last.change) {
    std::snprintf(text, sizeof text, ", and tasks' times changed by %.0f %%", 100 * *last.change);
    reason_ += text;
  }
}

}}}}  // namespace skua::v0::policies::balance
