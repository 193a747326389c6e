// SPDX-License-Identifier: MIT
#include "skua/policy/balance/locality.hpp"

#include <cmath>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "skua/policy/balance/plan.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

/// Of the bytes that travel: a smaller gain is not worth the tasks' own way.
constexpr double least_gain = 0.01;

load_ns limit_of(std::span<load_ns const> totals, double tolerance) noexcept {
  load_ns const most = totals.empty() ? 0 : std::ranges::max(totals);
  double const allowed = average_of(totals) * (1 + tolerance);
  return allowed < 0x1p63 ? std::max(most, static_cast<load_ns>(allowed)) : most;
}

/// A placement on its way. **Feasible at the start**: no rank is above the limit. **Ends**: a task returns once at most, and is pinned then; so at
/// worst all tasks have returned, and the placement is the one of the start.
class search {
 public:
  search(std::span<placed_task const> tasks, std::uint32_t ranks, double tolerance)
      : tasks_(tasks), totals_(ranks, 0), placed_(tasks.size()), pinned_(tasks.size(), false), at_(ranks) {
    for (std::uint32_t t = 0; t < tasks.size(); ++t) {
      placed_[t] = tasks[t].rank;
      totals_[tasks[t].rank] = plus(totals_[tasks[t].rank], tasks[t].load);
    }
    limit_ = limit_of(totals_, tolerance);
  }

  [[nodiscard]] load_ns most() const noexcept { return totals_.empty() ? 0 : std::ranges::max(totals_); }
  [[nodiscard]] std::uint64_t away() const noexcept {
    std::uint64_t sum = 0;
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) sum = plus(sum, tasks_[t].needs.away_from(placed_[t]));
    return sum;
  }
  /// Sums that stop at their largest value cannot be lowered again.
  [[nodiscard]] bool is_exact() const noexcept {
    load_ns sum = 0;
    for (load_ns const t : totals_) sum = plus(sum, t);
    return sum < std::numeric_limits<load_ns>::max();
  }
  void run() {
    attract();
    for (std::uint32_t r = 0; r < totals_.size(); ++r) by_load_.emplace(totals_[r], r);
    for (std::uint32_t r = 0; r < totals_.size(); ++r) {
      if (totals_[r] > limit_) above_.push_back(r);
    }
    while (!above_.empty()) {
      std::uint32_t const rank = above_.back();
      above_.pop_back();
      relieve(rank);
      send_home(rank);
    }
  }
  [[nodiscard]] std::vector<std::uint32_t> take() noexcept { return std::move(placed_); }

 private:
  /// Each task goes to the rank that has most of what it needs, whatever the load there. Ties stay.
  void attract() {
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
      placed_task const& task = tasks_[t];
      std::uint32_t best = task.rank;
      for (auto const& share : task.needs.heaviest) {
        if (share.bytes > task.needs.on(best)) best = share.owner;
      }
      totals_[placed_[t]] -= task.load;
      placed_[t] = best;
      totals_[best] += task.load;
      at_[best].push_back(t);
    }
  }

  /// What a task loses, per load, if it leaves its rank for the best one with room.
  struct departure {
    double loss;
    std::uint32_t task;
    std::uint32_t to;
    friend bool operator<(departure const& a, departure const& b) noexcept {
      return a.loss != b.loss ? a.loss > b.loss : a.task > b.task;  // the least loss is on top of a heap
    }
  };
  [[nodiscard]] double per_load(std::uint32_t t, std::uint32_t from, std::uint32_t to) const noexcept {
    placed_task const& task = tasks_[t];
    return (static_cast<double>(task.needs.on(from)) - static_cast<double>(task.needs.on(to))) /
           static_cast<double>(task.load);
  }
  [[nodiscard]] std::optional<departure> way_out(std::uint32_t t) const {
    placed_task const& task = tasks_[t];
    std::uint32_t const from = placed_[t];
    std::optional<departure> best;
    auto const consider = [&](std::uint32_t to) {
      if (to == from || totals_[to] > limit_ || task.load > limit_ - totals_[to]) return;
      double const loss = per_load(t, from, to);
      if (!best || loss < best->loss) best = departure{loss, t, to};
    };
    consider(task.rank);
    for (auto const& share : task.needs.heaviest) {
      if (share.bytes > 0) consider(share.owner);
    }
    consider(by_load_.begin()->second);
    return best;
  }

  /// While a rank is above the limit, the task leaves that loses least, for a rank with room.
  void relieve(std::uint32_t rank) {
    std::priority_queue<departure> ways;
    auto const push = [&](std::uint32_t t) {
      if (placed_[t] != rank || pinned_[t] || tasks_[t].load == 0) return;
      if (auto const way = way_out(t)) ways.push(*way);
    };
    std::erase_if(at_[rank], [&](std::uint32_t t) { return placed_[t] != rank; });
    for (std::uint32_t const t : at_[rank]) push(t);
    while (totals_[rank] > limit_ && !ways.empty()) {
      departure const first = ways.top();
      ways.pop();
      auto const now = way_out(first.task);  // rooms have become smaller since
      if (!now) continue;
      if (now->loss > first.loss) {
        ways.push(*now);
      } else {
        move(first.task, now->to);
      }
    }
  }

  /// Where no room is left, tasks return to where the balancer had put them: those first that gain least here. One that stays above the limit has such a
  /// task, because it was not above it at the start.
  void send_home(std::uint32_t rank) {
    if (totals_[rank] <= limit_) return;
    std::erase_if(at_[rank], [&](std::uint32_t t) { return placed_[t] != rank; });
    std::vector<std::uint32_t> guests;
    for (std::uint32_t const t : at_[rank]) {
      if (tasks_[t].rank != rank && tasks_[t].load > 0) guests.push_back(t);
    }
    std::ranges::sort(guests, [&](std::uint32_t a, std::uint32_t b) {
      double const gain_a = per_load(a, rank, tasks_[a].rank);
      double const gain_b = per_load(b, rank, tasks_[b].rank);
      return gain_a != gain_b ? gain_a < gain_b : a < b;
    });
    for (std::uint32_t const t : guests) {
      if (totals_[rank] <= limit_) return;
      pinned_[t] = true;
      move(t, tasks_[t].rank);
    }
  }

  void move(std::uint32_t t, std::uint32_t to) {
    std::uint32_t const from = placed_[t];
    bool const was_above = totals_[to] > limit_;
    change(from, totals_[from] - tasks_[t].load);
    change(to, totals_[to] + tasks_[t].load);
    placed_[t] = to;
    at_[to].push_back(t);
    if (!was_above && totals_[to] > limit_) above_.push_back(to);
  }
  void change(std::uint32_t rank, load_ns total) {
    by_load_.erase({totals_[rank], rank});
    totals_[rank] = total;
    by_load_.emplace(total, rank);
  }

  std::span<placed_task const> tasks_;
  std::vector<load_ns> totals_;
  std::vector<std::uint32_t> placed_;
  std::vector<bool> pinned_;
  std::vector<std::vector<std::uint32_t>> at_;  ///< of each rank: its tasks, and some that have left
  std::set<std::pair<load_ns, std::uint32_t>> by_load_;
  std::vector<std::uint32_t> above_;  ///< ranks above the limit
  load_ns limit_ = 0;
};

}  // namespace

owner_footprint footprint_of(std::span<owner_footprint::share> shares) noexcept {
  owner_footprint all;
  std::ranges::sort(
      shares, [](auto const& a, auto const& b) { return a.bytes != b.bytes ? a.bytes > b.bytes : a.owner < b.owner; });
  for (std::size_t n = 0; n < shares.size(); ++n) {
    if (n < all.heaviest.size()) all.heaviest[n] = shares[n];
    all.bytes = plus(all.bytes, shares[n].bytes);
  }
  return all;
}

near_placement prefer_owners(std::span<placed_task const> tasks, std::uint32_t ranks, double tolerance) {
  search s(tasks, ranks, tolerance);
  near_placement found;
  found.most_before = found.most_after = s.most();
  found.away_before = found.away_after = s.away();
  found.ranks.reserve(tasks.size());
  for (placed_task const& t : tasks) found.ranks.push_back(t.rank);
  if (ranks < 2 || found.away_before == 0 || !s.is_exact()) return found;
  s.run();
  std::uint64_t const away = s.away();
  if (static_cast<double>(away) > static_cast<double>(found.away_before) * (1 - least_gain)) return found;
  found.away_after = away;
  found.most_after = s.most();
  found.ranks = s.take();
  return found;
}

}}}}  // namespace skua::v0::policies::balance
