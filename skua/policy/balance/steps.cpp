// SPDX-License-Identifier: MIT
#include "skua/policy/balance/steps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "skua/parts/base/assert.hpp"

namespace skua::inline v0::policies::balance {
namespace {

/// The children as a heap with the least average on top. Equal averages: the lowest position, so that the order in which
/// messages arrived does not matter.
class least_first {
  [[nodiscard]] auto after() const noexcept {
    return [this](std::uint32_t a, std::uint32_t b) {
      double const load_a = children_[a].average();
      double const load_b = children_[b].average();
      return load_a != load_b ? load_a > load_b : a > b;
    };
  }

 public:
  explicit least_first(std::span<subtree> children) : children_(children), heap_(children.size()) {
    std::iota(heap_.begin(), heap_.end(), 0U);
    std::ranges::make_heap(heap_, after());
  }
  [[nodiscard]] std::uint32_t least() const noexcept { return heap_.front(); }
  /// The heap's key changes with the load; a pool that forgets that gives everything to one child.
  void give_least(load_ns load) {
    std::ranges::pop_heap(heap_, after());
    children_[heap_.back()].load = plus(children_[heap_.back()].load, load);
    std::ranges::push_heap(heap_, after());
  }

 private:
  std::span<subtree> children_;
  std::vector<std::uint32_t> heap_;
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

filling fill_children(std::vector<donated_task> pool, std::span<subtree> children, double limit) {
  filling result;
  if (pool.empty()) return result;
  runtime::expects(!children.empty(), "fill_children: a pool needs somebody to give to");
  std::ranges::sort(pool, longer);
  least_first by_load(children);
  auto next = pool.cbegin();
  // The limit first, then the task: a task that is taken out before the test would be lost when the test fails.
  while (next != pool.cend() && children[by_load.least()].average() < limit) {
    result.given.push_back({*next, by_load.least()});
    by_load.give_least(next->load);
    ++next;
  }
  result.left.assign(next, pool.cend());
  return result;
}

std::vector<assignment> spread(std::vector<donated_task> pool, std::span<subtree> children) {
  return fill_children(std::move(pool), children, std::numeric_limits<double>::infinity()).given;
}

std::vector<assignment> assign_longest_to_least(std::vector<donated_task> pool, std::span<load_ns> loads) {
  std::vector<subtree> ranks(loads.size());
  std::ranges::transform(loads, ranks.begin(), [](load_ns load) { return subtree{load, 1}; });
  std::vector<assignment> given = spread(std::move(pool), ranks);
  std::ranges::transform(ranks, loads.begin(), &subtree::load);
  return given;
}

}  // namespace skua::inline v0::policies::balance
