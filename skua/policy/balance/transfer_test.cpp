// SPDX-License-Identifier: MIT
// Which tasks an overloaded rank gives away, and which two ranks exchange: computed in another way, for random loads.
#include "skua/policy/balance/transfer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance { namespace {

tentative_rank random_rank(std::uint32_t donor, std::uint32_t most, load_ns longest, runtime::dice& roll) {
  tentative_rank r;
  for (std::uint32_t t = roll.below(most); t > 0; --t)
    r.add({donor, t, roll.below(5) == 0 ? 0 : roll.below(static_cast<std::uint32_t>(longest))});
  return r;
}

bool is_longer(donated_task const& a, donated_task const& b) {
  return std::tuple(b.load, a.donor, a.task) < std::tuple(a.load, b.donor, b.task);
}

/// As transfer_order's comments say.
std::vector<donated_task> in_order(std::vector<donated_task> tasks, double over, transfer_order order) {
  std::ranges::sort(tasks, is_longer);
  std::vector<donated_task> const longest_first = tasks;
  std::ranges::reverse(tasks);
  if (order == transfer_order::shortest) return tasks;
  if (order == transfer_order::longest) return longest_first;
  std::vector<donated_task> enough;  // shortest first
  std::vector<donated_task> all;
  for (donated_task const& t : tasks) {
    if (static_cast<double>(t.load) >= over) enough.push_back(t);
  }
  if (!enough.empty()) all.push_back(enough.front());
  for (donated_task const& t : longest_first) {
    if (static_cast<double>(t.load) < over) all.push_back(t);
  }
  if (!enough.empty()) all.insert(all.end(), enough.begin() + 1, enough.end());
  return all;
}

TEST(transfer_rules, a_rank_gives_what_pays_in_the_order_of_its_tasks_until_it_is_no_more_than_the_average) {
  std::uint32_t gives = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    runtime::dice roll(seed);
    tentative_rank self = random_rank(0, 12, 30, roll);
    auto const order = static_cast<transfer_order>(roll.below(3));
    // Whole numbers, so that a rank often has just the average.
    double const average = roll.below(3) == 0 ? static_cast<double>(self.load) : roll.below(80);
    known_rank other{1, roll.below(60)};
    known_ranks known;
    known.hear({&other, 1}, roll);
    load_ns const dear = roll.below(2) == 0 ? 0 : roll.below(10);
    extra_cost extra;
    if (dear > 0) extra = [dear](donated_task const&, std::uint32_t) { return dear; };

    std::vector<std::pair<donated_task, std::uint32_t>> wanted;
    std::vector<donated_task> kept;
    load_ns load = self.load;
    for (donated_task const& t : in_order(self.tasks, static_cast<double>(load) - average, order)) {
      bool const is_over = static_cast<double>(load) > average;
      bool const is_known = static_cast<double>(other.load) < average;
      if (is_over && is_known && other.load < load && t.load + dear + other.load < load) {
        wanted.emplace_back(t, 1U);
        load -= t.load;
        other.load += t.load;
      } else {
        kept.push_back(t);
      }
    }
    std::vector<std::pair<donated_task, std::uint32_t>> given;
    for (transfer const& t : transfers(self, average, known, order, extra, roll))
      given.emplace_back(t.task, t.receiver);
    ASSERT_EQ(given, wanted) << "seed " << seed;
    ASSERT_EQ(self.tasks, kept) << "seed " << seed;
    ASSERT_EQ(self.load, load) << "seed " << seed;
    gives += wanted.empty() ? 0 : 1;
  }
  EXPECT_GT(gives, 300U);
}

// ---- exchanges -----------------------------------------------------------------------------------------------------------

using positions = std::vector<std::size_t>;

/// The longest that still fit, one after the other, of a list that is longest first.
positions fitting(std::vector<donated_task> const& from, load_ns room) {
  positions all;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i].load == 0 || from[i].load > room) continue;
    room -= from[i].load;
    all.push_back(i);
  }
  return all;
}
load_ns sum_of(std::vector<donated_task> const& from, positions const& at) {
  load_ns sum = 0;
  for (std::size_t const i : at) sum += from[i].load;
  return sum;
}

/// One exchange; false: none makes the larger load smaller.
bool exchange_once(tentative_rank& more, tentative_rank& less) {
  std::ranges::sort(more.tasks, is_longer);
  std::ranges::sort(less.tasks, is_longer);
  load_ns const gap = more.load - less.load;
  std::vector<std::pair<positions, positions>> tried;
  for (std::size_t i = 0; i < more.tasks.size(); ++i) {
    load_ns const out = more.tasks[i].load;
    load_ns const wanted = out > gap / 2 ? out - gap / 2 : 0;
    tried.push_back({{i}, fitting(less.tasks, wanted)});
    std::optional<std::size_t> shortest;
    for (std::size_t j = 0; j < less.tasks.size(); ++j) {
      if (less.tasks[j].load > wanted) shortest = j;
    }
    if (shortest) tried.push_back({{i}, {*shortest}});
  }
  for (std::size_t j = 0; j < less.tasks.size(); ++j)
    tried.push_back({fitting(more.tasks, less.tasks[j].load + gap / 2), {j}});
  std::pair<positions, positions> const* best = nullptr;
  load_ns least = more.load;
  for (auto const& t : tried) {
    load_ns const out = sum_of(more.tasks, t.first);
    load_ns const in = sum_of(less.tasks, t.second);
    if (out <= in) continue;
    load_ns const larger = std::max(more.load + in - out, less.load + out - in);
    if (larger < least) least = larger, best = &t;
  }
  if (best == nullptr) return false;
  auto const moves = [](tentative_rank& from, positions const& at, tentative_rank& to) {
    std::vector<donated_task> taken;
    for (std::size_t k = at.size(); k-- > 0;) {
      taken.push_back(from.tasks[at[k]]);
      from.load -= from.tasks[at[k]].load;
      from.tasks.erase(from.tasks.begin() + static_cast<std::ptrdiff_t>(at[k]));
    }
    return std::pair(taken, &to);
  };
  auto const out = moves(more, best->first, less);
  auto const in = moves(less, best->second, more);
  for (donated_task const& t : out.first) less.add(t);
  for (donated_task const& t : in.first) more.add(t);
  return true;
}

TEST(transfer_rules, two_ranks_exchange_what_makes_the_larger_load_smallest_until_nothing_does) {
  std::uint32_t exchanges = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    runtime::dice roll(seed);
    tentative_rank a = random_rank(0, 14, 40, roll);
    tentative_rank b = random_rank(1, 14, 25, roll);
    double const goal = roll.below(3) == 0 ? static_cast<double>(std::max(a.load, b.load)) - roll.below(20) : 0;
    tentative_rank naive_a = a;
    tentative_rank naive_b = b;
    std::uint32_t wanted = 0;
    while (static_cast<double>(std::max(naive_a.load, naive_b.load)) > goal) {
      bool const a_has_more = naive_a.load >= naive_b.load;
      if (!exchange_once(a_has_more ? naive_a : naive_b, a_has_more ? naive_b : naive_a)) break;
      ++wanted;
    }
    std::ranges::sort(naive_a.tasks, is_longer);
    std::ranges::sort(naive_b.tasks, is_longer);
    std::uint32_t const moved = exchange(a, b, goal);
    ASSERT_EQ(a.tasks, naive_a.tasks) << "seed " << seed;
    ASSERT_EQ(b.tasks, naive_b.tasks) << "seed " << seed;
    ASSERT_EQ(a.load, naive_a.load) << "seed " << seed;
    ASSERT_EQ(b.load, naive_b.load) << "seed " << seed;
    ASSERT_EQ(moved == 0, wanted == 0) << "seed " << seed;
    exchanges += wanted;
  }
  EXPECT_GT(exchanges, 1000U);
}

}}}}}  // namespace skua::v0::policies::balance
