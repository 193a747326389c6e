// SPDX-License-Identifier: MIT
#include "skua/policy/balance/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

/// Sorts the tasks into the order in which they are tried.
void arrange(std::vector<donated_task>& tasks, double over, transfer_order order) {
  std::ranges::sort(tasks, longer);
  if (order == transfer_order::longest) return;
  if (order == transfer_order::shortest) {
    std::ranges::reverse(tasks);
    return;
  }
  // The longest that are not enough begin after the shortest that is.
  auto const enough = [over](donated_task const& t) { return static_cast<double>(t.load) >= over; };
  auto const first_short = std::ranges::partition_point(tasks, enough);
  std::reverse(tasks.begin(), first_short);
  if (first_short != tasks.begin()) std::rotate(tasks.begin() + 1, first_short, tasks.end());
}

/// True if the move lowers the larger of the two loads.
bool pays(donated_task const& task, load_ns from, load_ns to, load_ns extra) {
  return to < from && plus(task.load, extra) < from - to;
}

}  // namespace

void tentative_rank::add(donated_task const& t) {
  tasks.push_back(t);
  load = plus(load, t.load);
}

std::vector<transfer> transfers(tentative_rank& self, double average, known_ranks& known, transfer_order order,
                                extra_cost const& extra, runtime::dice& roll) {
  std::vector<transfer> given;
  arrange(self.tasks, static_cast<double>(self.load) - average, order);
  auto const goes = [&](donated_task const& t) {
    if (static_cast<double>(self.load) <= average) return false;
    std::optional<known_rank> const to = known.choose(average, roll);
    if (!to || !pays(t, self.load, to->load, extra ? extra(t, to->rank) : 0)) return false;
    given.push_back({t, to->rank});
    self.load -= t.load;
    known.update(to->rank, plus(to->load, t.load));
    return true;
  };
  std::erase_if(self.tasks, goes);
  return given;
}

namespace {

/// The best exchange of one task of one side for some of the other's. Positions in lists that are longest first.
struct best_exchange {
  std::vector<std::size_t> out;  ///< of the more loaded rank
  std::vector<std::size_t> in;   ///< of the less loaded one
  load_ns larger = 0;            ///< of the two loads afterwards
};

/// Picks tasks of a list that is longest first whose sum is at most `wanted`: each time the longest that still fits.
load_ns pick(std::vector<donated_task> const& from, load_ns wanted, std::vector<std::size_t>& picked) {
  picked.clear();
  load_ns sum = 0;
  for (std::size_t i = 0; i < from.size() && sum < wanted; ++i) {
    if (from[i].load == 0 || from[i].load > wanted - sum) continue;
    sum += from[i].load;
    picked.push_back(i);
  }
  return sum;
}

/// Searches the exchange that makes the larger load smallest; a has more.
class exchange_search {
 public:
  exchange_search(tentative_rank const& a, tentative_rank const& b) : a_(a), b_(b), gap_(a.load - b.load) {
    best_.larger = a.load;
  }
  best_exchange best() {
    for (std::size_t i = 0; i < a_.tasks.size(); ++i) one_of_a(i);
    for (std::size_t j = 0; j < b_.tasks.size(); ++j) one_of_b(j);
    return std::move(best_);
  }

 private:
  /// Tries this task for as many of b as leave half the gap, and for the shortest one that leaves less.
  void one_of_a(std::size_t i) {
    load_ns const out = a_.tasks[i].load;
    load_ns const wanted = out > gap_ / 2 ? out - gap_ / 2 : 0;
    load_ns const in = pick(b_.tasks, wanted, picked_);
    if (better(out, in)) best_ = {{i}, picked_, larger(out, in)};
    auto const shorter = std::ranges::lower_bound(b_.tasks, wanted, std::ranges::greater{}, &donated_task::load);
    if (shorter == b_.tasks.begin()) return;
    auto const j = static_cast<std::size_t>(shorter - b_.tasks.begin()) - 1;
    if (better(out, b_.tasks[j].load)) best_ = {{i}, {j}, larger(out, b_.tasks[j].load)};
  }
  /// Tries this task for as many of a as make up for it and half the gap.
  void one_of_b(std::size_t j) {
    load_ns const in = b_.tasks[j].load;
    load_ns const out = pick(a_.tasks, plus(in, gap_ / 2), picked_);
    if (better(out, in)) best_ = {picked_, {j}, larger(out, in)};
  }
  [[nodiscard]] load_ns larger(load_ns out, load_ns in) const noexcept {
    return std::max(a_.load - (out - in), b_.load + (out - in));
  }
  [[nodiscard]] bool better(load_ns out, load_ns in) const noexcept {
    return out > in && out - in < gap_ && larger(out, in) < best_.larger;
  }

  tentative_rank const& a_;
  tentative_rank const& b_;
  load_ns gap_;
  best_exchange best_;
  std::vector<std::size_t> picked_;
};

/// Removes these tasks; the rest stays longest first.
std::vector<donated_task> take(tentative_rank& from, std::vector<std::size_t> const& at) {
  std::vector<donated_task> taken;
  for (auto i = at.rbegin(); i != at.rend(); ++i) {
    taken.push_back(from.tasks[*i]);
    from.load -= from.tasks[*i].load;
    from.tasks.erase(from.tasks.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  return taken;
}

void put(tentative_rank& into, std::vector<donated_task> const& tasks) {
  for (donated_task const& t : tasks) {
    into.tasks.insert(std::ranges::lower_bound(into.tasks, t, longer), t);
    into.load = plus(into.load, t.load);
  }
}

}  // namespace

std::uint32_t exchange(tentative_rank& a, tentative_rank& b, double goal) {
  std::ranges::sort(a.tasks, longer);
  std::ranges::sort(b.tasks, longer);
  std::uint32_t moved = 0;
  for (;;) {
    tentative_rank& more = a.load >= b.load ? a : b;
    tentative_rank& less = a.load >= b.load ? b : a;
    if (static_cast<double>(more.load) <= goal) return moved;
    best_exchange const found = exchange_search(more, less).best();
    if (found.out.empty()) return moved;
    std::vector<donated_task> const out = take(more, found.out);
    std::vector<donated_task> const in = take(less, found.in);
    put(less, out);
    put(more, in);
    moved += static_cast<std::uint32_t>(out.size() + in.size());
  }
}

}}}}  // namespace skua::v0::policies::balance
