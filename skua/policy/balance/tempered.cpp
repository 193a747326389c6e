// SPDX-License-Identifier: MIT
#include "skua/policy/balance/tempered.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

/// All ranks of a tempered balancer, and the best that they have seen.
class tempered_machine {
 public:
  tempered_machine(machine_loads const& loads, tempered_options const& options, std::uint64_t seed,
                   extra_cost const& extra)
      : options_(options), extra_(extra), roll_(seed), start_(loads.size()) {
    load_ns longest = 0;
    for (std::uint32_t r = 0; r < loads.size(); ++r) {
      for (std::uint32_t t = 0; t < loads[r].size(); ++t) {
        start_[r].add({r, t, loads[r][t]});
        longest = std::max(longest, loads[r][t]);
      }
    }
    now_ = best_ = start_;
    average_ = average_of(loads_now());
    goal_ = options.goal * std::max(average_, static_cast<double>(longest));
    best_max_ = max_now();
  }

  /// Until nothing more is to be had, or all iterations are done.
  void search() {
    for (std::uint32_t trial = 0; trial < options_.trials && !done(); ++trial) {
      now_ = start_;
      for (std::uint32_t i = 0; i < options_.iterations && !done(); ++i) iterate(&tempered_machine::transfer_all);
      if (!extra_) exchange_until_vain();
    }
  }

  /// The migrations that lead to the best distribution.
  [[nodiscard]] std::vector<migration> migrations() const {
    std::vector<migration> all;
    for (std::uint32_t r = 0; r < best_.size(); ++r) {
      for (donated_task const& t : best_[r].tasks) {
        if (t.donor != r) all.push_back({t.donor, t.task, r});
      }
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<load_ns> loads_now() const {
    std::vector<load_ns> loads(now_.size());
    std::ranges::transform(now_, loads.begin(), &tentative_rank::load);
    return loads;
  }
  [[nodiscard]] load_ns max_now() const {
    return now_.empty() ? 0 : std::ranges::max(now_, {}, &tentative_rank::load).load;
  }
  [[nodiscard]] bool done() const { return static_cast<double>(best_max_) <= goal_; }

  void exchange_until_vain() {
    constexpr std::uint32_t patience = 3;
    constexpr double little = 0.001;
    std::uint32_t vain = 0;
    for (std::uint32_t i = 0; i < options_.exchanges && vain < patience && !done(); ++i) {
      auto const before = static_cast<double>(max_now());
      iterate(&tempered_machine::exchange_all);
      vain = before - static_cast<double>(max_now()) > little * before ? 0 : vain + 1;
    }
  }

  void iterate(void (tempered_machine::*step)(std::vector<known_ranks>&)) {
    std::vector<known_ranks> known = gossip(loads_now(), average_, options_.gossip, roll_);
    (this->*step)(known);
    if (load_ns const most = max_now(); most < best_max_) {
      best_max_ = most;
      best_ = now_;
    }
  }

  /// Every rank decides on what it has heard, and knows nothing of what the others are deciding.
  void transfer_all(std::vector<known_ranks>& known) {
    std::vector<transfer> all;
    for (std::uint32_t r = 0; r < now_.size(); ++r) {
      if (static_cast<double>(now_[r].load) <= average_) continue;
      auto const given = transfers(now_[r], average_, known[r], options_.order, extra_, roll_);
      all.insert(all.end(), given.begin(), given.end());
    }
    for (transfer const& t : all) now_[t.receiver].add(t.task);
  }

  void exchange_all(std::vector<known_ranks>& known) {
    for (std::uint32_t i = 0; i < options_.partners; ++i) exchange_once(known);
  }

  /// Each overloaded rank asks one rank; a rank that several ask accepts the most loaded one.
  void exchange_once(std::vector<known_ranks>& known) {
    constexpr std::uint32_t nobody = ~std::uint32_t{0};
    std::vector<std::uint32_t> accepted(now_.size(), nobody);
    for (std::uint32_t r = 0; r < now_.size(); ++r) {
      if (static_cast<double>(now_[r].load) <= goal_) continue;
      auto const partner = known[r].choose(average_, roll_);
      if (!partner || static_cast<double>(now_[partner->rank].load) > goal_) continue;
      std::uint32_t& best = accepted[partner->rank];
      if (best == nobody || now_[best].load < now_[r].load) best = r;
    }
    for (std::uint32_t to = 0; to < now_.size(); ++to) {
      if (accepted[to] == nobody) continue;
      exchange(now_[accepted[to]], now_[to], goal_);
      known[accepted[to]].update(to, now_[to].load);
    }
  }

  tempered_options const& options_;
  extra_cost const& extra_;
  runtime::dice roll_;
  std::vector<tentative_rank> start_;
  std::vector<tentative_rank> now_;
  std::vector<tentative_rank> best_;
  double average_ = 0;
  double goal_ = 0;
  load_ns best_max_ = 0;
};

}  // namespace

balance_plan tempered(machine_loads const& loads, tempered_options const& options, std::uint64_t seed,
                      extra_cost const& extra) {
  tempered_machine machine(loads, options, seed, extra);
  machine.search();
  return plan_of(loads, machine.migrations(), 3);
}

}}}}  // namespace skua::v0::policies::balance
