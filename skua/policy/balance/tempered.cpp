// SPDX-License-Identifier: MIT
#include "skua/policy/balance/tempered.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "skua/policy/balance/machine_totals.hpp"
#include "skua/policy/balance/tempered_search.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

machine_totals totals_of_all(machine_loads const& loads) {
  machine_totals all;
  for (auto const& tasks : loads) all.add(machine_totals::of(tasks));
  return all;
}

/// All ranks of a tempered balancer, and the best that they have seen.
class tempered_machine {
 public:
  tempered_machine(machine_loads const& loads, tempered_options const& options, std::uint64_t seed,
                   extra_cost const& extra)
      : options_(options), extra_(extra), gossip_(options.gossip), common_(common_dice(seed)), start_(loads.size()),
        search_(options, !extra, totals_of_all(loads), static_cast<std::uint32_t>(loads.size())) {
    for (std::uint32_t r = 0; r < loads.size(); ++r) {
      rolls_.push_back(dice_of_rank(seed, r));
      for (std::uint32_t t = 0; t < loads[r].size(); ++t) start_[r].add({r, t, loads[r][t]});
    }
    now_ = best_ = start_;
    auto const below = std::ranges::count_if(
        start_, [this](tentative_rank const& r) { return static_cast<double>(r.load) < search_.average(); });
    gossip_.rounds =
        gossip_rounds(static_cast<std::uint32_t>(loads.size()), static_cast<std::uint32_t>(below), gossip_);
  }

  /// Until nothing more is to be had, or all iterations are done.
  void search() {
    using act = tempered_search::act;
    for (act next = search_.next(); next != act::end; next = search_.next()) {
      if (next == act::start_over) {
        now_ = start_;
        continue;
      }
      std::vector<known_ranks> known = gossip(loads_now(), search_.average(), gossip_, rolls_, common_);
      if (next == act::transfer) transfer_all(known);
      if (next == act::exchange) exchange_all(known);
      if (search_.saw(max_now())) best_ = now_;
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

  /// Every rank decides on what it has heard, and knows nothing of what the others are deciding.
  void transfer_all(std::vector<known_ranks>& known) {
    std::vector<transfer> all;
    for (std::uint32_t r = 0; r < now_.size(); ++r) {
      if (static_cast<double>(now_[r].load) <= search_.average()) continue;
      auto const given = transfers(now_[r], search_.average(), known[r], options_.order, extra_, rolls_[r]);
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
      if (static_cast<double>(now_[r].load) <= search_.goal()) continue;
      auto const partner = known[r].choose(search_.average(), rolls_[r]);
      if (!partner || static_cast<double>(now_[partner->rank].load) > search_.goal()) continue;
      std::uint32_t& best = accepted[partner->rank];
      if (best == nobody || now_[best].load < now_[r].load) best = r;
    }
    for (std::uint32_t to = 0; to < now_.size(); ++to) {
      if (accepted[to] == nobody) continue;
      exchange(now_[accepted[to]], now_[to], search_.goal());
      known[accepted[to]].update(to, now_[to].load);
    }
  }

  tempered_options const& options_;
  extra_cost const& extra_;
  gossip_options gossip_;
  std::vector<runtime::dice> rolls_;  ///< by rank
  runtime::dice common_;
  std::vector<tentative_rank> start_;
  std::vector<tentative_rank> now_;
  std::vector<tentative_rank> best_;
  tempered_search search_;
};

}  // namespace

balance_plan tempered(machine_loads const& loads, tempered_options const& options, std::uint64_t seed,
                      extra_cost const& extra) {
  if (loads.empty()) return plan_of(loads, {}, 3);
  tempered_machine machine(loads, options, seed, extra);
  machine.search();
  return plan_of(loads, machine.migrations(), 3);
}

}}}}  // namespace skua::v0::policies::balance
