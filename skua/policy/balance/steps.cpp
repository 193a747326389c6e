// SPDX-License-Identifier: MIT
#include "skua/policy/balance/steps.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {
namespace {

/// The children as a heap with the least average load on top. Equal ones: the lowest position, so that the order in
/// which messages arrived does not matter.
class least_first {
 public:
  explicit least_first(std::span<subtree> children) : children_(children) {
    heap_.reserve(children.size());
    for (std::uint32_t c = 0; c < children.size(); ++c) heap_.push_back({children[c].average(), c});
    std::ranges::make_heap(heap_, later);
  }
  [[nodiscard]] std::uint32_t least() const noexcept { return heap_.front().child; }
  [[nodiscard]] double average() const noexcept { return heap_.front().average; }
  /// The heap's key changes with the load; a pool that ignored that would give everything to one child.
  void give_least(load_ns load) {
    std::ranges::pop_heap(heap_, later);
    entry& last = heap_.back();
    children_[last.child].load = plus(children_[last.child].load, load);
    last.average = children_[last.child].average();
    std::ranges::push_heap(heap_, later);
  }

 private:
  struct entry {
    double average;
    std::uint32_t child;
  };
  static bool later(entry const& a, entry const& b) noexcept {
    return a.average != b.average ? a.average > b.average : a.child > b.child;
  }

  std::span<subtree> children_;
  std::vector<entry> heap_;
};

}  // namespace

donation donate(std::uint32_t rank, load_database& database, double average, double factor) {
  donation offered;
  if (average > 0) {
    while (database.tasks() > 1 && static_cast<double>(database.total()) > factor * average) {
      measured_task const shortest = *database.remove_shortest();
      offered.tasks.push_back({rank, shortest.task, shortest.load});
    }
  }
  offered.kept = database.total();
  return offered;
}

double sweep_limit(std::uint32_t i, std::uint32_t sweeps, double average) noexcept {
  if (i + 1 >= sweeps) return -1;
  double limit = average / 4;
  for (; i > 0; --i) limit /= 4;
  return limit;
}

std::vector<donated_task> take_longer(std::vector<donated_task>& shortest_first, double limit) {
  auto const first = std::ranges::find_if(
      shortest_first, [limit](donated_task const& t) { return static_cast<double>(t.load) > limit; });
  std::vector<donated_task> const longer_ones(first, shortest_first.end());
  shortest_first.erase(first, shortest_first.end());
  return longer_ones;
}

subtree whole_of(std::span<subtree const> children) noexcept {
  subtree whole{0, 0};
  for (subtree const& c : children) whole = {plus(whole.load, c.load), whole.size + c.size};
  return whole;
}

filling fill_children(std::vector<donated_task> pool, std::span<subtree> children, fill_rule const& rule) {
  filling result;
  if (pool.empty()) return result;
  runtime::expects(!children.empty(), "fill_children: a pool needs a child that takes its tasks");
  std::ranges::sort(pool, longer);
  least_first by_load(children);
  for (donated_task const& t : pool) {
    // Check before the removal: a task that was removed first would be lost if the check failed.
    double const room = rule.limit - by_load.average();
    if (room > 0 && (!rule.fits || static_cast<double>(t.load) <= room)) {
      result.given.push_back({t, by_load.least()});
      by_load.give_least(t.load);
    } else {
      result.left.push_back(t);
    }
  }
  return result;
}

std::vector<assignment> spread(std::vector<donated_task> pool, std::span<subtree> children) {
  return fill_children(std::move(pool), children, {std::numeric_limits<double>::infinity(), false}).given;
}

std::vector<assignment> assign_longest_to_least(std::vector<donated_task> pool, std::span<load_ns> loads) {
  std::vector<subtree> ranks;
  ranks.reserve(loads.size());
  for (load_ns const load : loads) ranks.push_back({load, 1});
  std::vector<assignment> given = spread(std::move(pool), ranks);
  std::ranges::transform(ranks, loads.begin(), &subtree::load);
  return given;
}

}}}}  // namespace skua::v0::policies::balance
