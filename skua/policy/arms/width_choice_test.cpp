// SPDX-License-Identifier: MIT
#include "skua/policy/arms/width_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace arms { namespace {

/// Figure 4: two packages of four. Numbers of partitions: widths 1: 0..7, 2: 8..11, 4: 12, 13.
partitions figure_4() { return partitions(layout(topology::synthetic("package:2 numa:1 core:4 pu:1"))); }
constexpr auto nobody = [](partition const&) { return 0U; };
constexpr task_kind kind{.type = 3, .key = 5};

/// Runs tasks of one kind on one worker, with times as a function of the partition; what was chosen, in order.
template <class Model>
struct bench {
  partitions all = figure_4();
  width_choice<Model> choice;

  explicit bench(cost what = cost::product) : choice(all, 5, what) {}

  std::vector<std::uint32_t> run(int tasks, std::uint32_t worker, std::function<std::uint64_t(partition)> const& time) {
    std::vector<std::uint32_t> widths;
    for (int i = 0; i < tasks; ++i) {
      partition_id const p = choice.choose(kind, all.inclusive(worker_id{worker}), nobody);
      widths.push_back(all[p].width);
      choice.learn(kind, p, time(all[p]));
    }
    return widths;
  }
};

int count(std::vector<std::uint32_t> const& in, std::uint32_t what) {
  return static_cast<int>(std::count(in.begin(), in.end(), what));
}

TEST(width_choice, what_is_not_measured_comes_first_in_increasing_width) {
  bench<history_model> b;
  EXPECT_EQ(b.run(3, 1, [](partition) { return 1000; }), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(b.run(2, 2, [](partition) { return 1000; }), (std::vector<std::uint32_t>{1, 2}))
      << "[0, 4] was measured by another worker";
}

struct scene {
  std::string name;
  cost what;
  std::uint64_t t1, t2, t4;
  std::uint32_t chosen;
};

TEST(width_choice, the_width_of_least_cost_is_chosen_and_the_smaller_of_equals) {
  scene const table[] = {
      {"perfect speedup: all products alike", cost::product, 4000, 2000, 1000, 1},
      {"superlinear: the caches of two hold it", cost::product, 4000, 1500, 1000, 2},
      {"superlinear up to four", cost::product, 4000, 1900, 900, 4},
      {"no speedup", cost::product, 4000, 4000, 4000, 1},
      {"latency: any speedup counts", cost::time, 4000, 3999, 3998, 4},
      {"latency: no speedup", cost::time, 4000, 4000, 4000, 1},
      {"latency: overhead beyond two", cost::time, 4000, 2500, 2600, 2},
      {"idle partners cost nothing", cost::idle, 4000, 2500, 2400, 4},
  };
  for (scene const& s : table) {
    bench<history_model> b(s.what);
    auto const time = [&](partition p) { return p.width == 1 ? s.t1 : p.width == 2 ? s.t2 : s.t4; };
    b.run(3, 0, time);
    EXPECT_EQ(b.run(1, 0, time).front(), s.chosen) << s.name;
  }
}

TEST(width_choice, busy_partners_make_a_partition_dearer_where_idle_ones_are_free) {
  bench<history_model> b(cost::idle);
  b.run(3, 0, [](partition p) { return std::uint64_t{p.width == 1 ? 4000U : p.width == 2 ? 2500U : 2400U}; });
  auto const choose = [&](auto busy) {
    return b.all[b.choice.choose(kind, b.all.inclusive(worker_id{0}), busy)].width;
  };
  EXPECT_EQ(choose(nobody), 4);
  EXPECT_EQ(choose([](partition const& p) { return p.width == 4 ? 2U : 0U; }), 2);
  EXPECT_EQ(choose([](partition const& p) { return p.width - 1U; }), 1);
}

TEST(width_choice, the_choice_follows_a_kernel_whose_cost_changes_within_100_tasks) {
  bench<history_model> b;
  auto const wide = [](partition p) { return std::uint64_t{p.width == 4 ? 500U : 4000U}; };
  auto const narrow = [](partition p) { return std::uint64_t{p.width == 1 ? 600U : 4000U}; };
  EXPECT_GT(count(b.run(1000, 0, wide), 4), 960);
  auto const after = b.run(100, 0, narrow);
  EXPECT_EQ(after.back(), 1U);
  EXPECT_GT(count(b.run(1000, 0, narrow), 1), 960);
}

TEST(width_choice, a_partition_that_lost_once_and_became_better_is_found_by_a_trial) {
  bench<history_model> b;
  EXPECT_GT(count(b.run(1000, 0, [](partition p) { return std::uint64_t{p.width == 1 ? 100U : 4000U}; }), 1), 960);
  auto const better = [](partition p) { return std::uint64_t{p.width == 4 ? 10U : p.width == 1 ? 100U : 4000U}; };
  auto const after = b.run(3 * 64 + 1, 0, better);
  EXPECT_EQ(after.back(), 4U) << "each of three partitions is measured once in 192 tasks";
  EXPECT_GT(count(b.run(640, 0, better), 4), 600);
}

TEST(width_choice, trials_are_one_task_in_64) {
  bench<history_model> b;
  auto const widths = b.run(6400, 0, [](partition p) { return std::uint64_t{1000U * p.width}; });
  EXPECT_EQ(count(widths, 1), 6400 - 2 - 100) << "two were measured at first, each trial took another width";
}

TEST(width_choice, a_power_law_needs_two_widths_to_choose_among_three) {
  bench<power_law_model> superlinear;
  auto const good = [](partition p) { return std::uint64_t{p.width == 1 ? 4000U : p.width == 2 ? 1500U : 600U}; };
  EXPECT_EQ(superlinear.run(3, 0, good), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(superlinear.run(1, 5, good).front(), 4U) << "what one worker learnt holds for all: leaders are alike";
  bench<power_law_model> sublinear;
  auto const bad = [](partition p) { return std::uint64_t{p.width == 1 ? 4000U : p.width == 2 ? 3000U : 2600U}; };
  EXPECT_EQ(sublinear.run(4, 0, bad), (std::vector<std::uint32_t>{1, 2, 1, 1}));
}

TEST(width_choice, a_worker_is_in_the_partition_of_the_globally_least_cost_or_is_not) {
  bench<history_model> b;
  auto const home = b.all.inclusive(worker_id{1});
  auto const members = [&] {
    std::vector<std::uint32_t> in;
    for (std::uint32_t w = 0; w < 8; ++w) {
      if (b.choice.is_in_least(kind, worker_id{w}, home)) in.push_back(w);
    }
    return in;
  };
  EXPECT_EQ(members(), (std::vector<std::uint32_t>{})) << "nothing is known";
  b.choice.learn(kind, partition_id{1}, 1000);
  EXPECT_EQ(members(), (std::vector<std::uint32_t>{1}));
  b.choice.learn(kind, partition_id{8}, 400);
  EXPECT_EQ(members(), (std::vector<std::uint32_t>{0, 1}));
  b.choice.learn(kind, partition_id{13}, 150);
  EXPECT_EQ(members(), (std::vector<std::uint32_t>{4, 5, 6, 7}));
  for (int i = 0; i < 30; ++i) b.choice.learn(kind, partition_id{13}, 5000);
  EXPECT_EQ(members(), (std::vector<std::uint32_t>{0, 1})) << "the holder became dear: all were looked at";
}

/// The partition kept as the least is that of a search over all, whatever was learnt.
TEST(width_choice, the_kept_least_partition_is_that_of_a_full_search) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    bench<history_model> b;
    runtime::dice roll(seed);
    for (int i = 0; i < 300; ++i) {
      b.choice.learn(kind, partition_id{roll.below(14)}, 1000 + roll.below(100'000));
      std::uint64_t least = ~std::uint64_t{0};
      for (std::uint32_t p = 0; p < 14; ++p) {
        std::uint64_t const t = b.choice.time_ns(kind, partition_id{p}) * b.all[partition_id{p}].width;
        if (t != 0) least = std::min(least, t);
      }
      std::uint32_t members = 0;
      for (std::uint32_t w = 0; w < 8; ++w) {
        bool is_in = false;
        for (std::uint32_t p = 0; p < 14; ++p) {
          auto const t = b.choice.time_ns(kind, partition_id{p}) * b.all[partition_id{p}].width;
          is_in = is_in || (t == least && b.all[partition_id{p}].has(worker_id{w}));
        }
        bool const kept = b.choice.is_in_least(kind, worker_id{w}, {});
        ASSERT_TRUE(is_in || !kept) << "seed " << seed << ", step " << i;
        members += kept ? 1 : 0;
      }
      ASSERT_GT(members, 0U);
    }
  }
}

/// The rules in another way: everything is remembered, and looked at.
struct naive_choice {
  struct measured {
    std::uint64_t ns = 0;
    std::uint32_t at = 0;
  };
  struct of_kind {
    std::map<std::uint32_t, measured> times;  ///< by partition
    std::uint32_t measurements = 0;
    std::optional<std::uint32_t> last;
  };
  partitions const& all;
  cost const what;
  std::map<std::pair<std::uint32_t, std::uint32_t>, of_kind> kinds = {};

  void learn(task_kind k, std::uint32_t p, std::uint64_t ns) {
    of_kind& m = kinds[{k.type, k.key}];
    auto const found = m.times.find(p);
    std::uint32_t const now = ++m.measurements;
    bool const counts_alone = found == m.times.end() || now - found->second.at >= 64;
    m.times[p] = {counts_alone ? ns : (4 * found->second.ns + ns) / 5, now};
  }
  [[nodiscard]] double cost_of(std::uint32_t p, std::uint64_t ns, std::uint32_t busy) const {
    auto const t = static_cast<double>(ns);
    return what == cost::product ? t * all[partition_id{p}].width : what == cost::time ? t : t * (1 + 1.5 * busy);
  }
  std::uint32_t choose(task_kind k, std::span<partition_id const> from, auto const& busy) {
    of_kind& m = kinds[{k.type, k.key}];
    for (partition_id const p : from) {
      if (!m.times.contains(index(p))) return index(p);
    }
    bool const is_trial = m.measurements % 64 == 63;
    std::optional<std::uint32_t> best;
    double least = 0;
    for (partition_id const p : from) {
      measured const& t = m.times.at(index(p));
      std::uint32_t const others = busy(all[p]);
      if (is_trial) {
        double const age = m.measurements - t.at;
        if (age > least && (what != cost::idle || others == 0)) best = index(p), least = age;
      } else {
        double const c = cost_of(index(p), t.ns, others) * (what == cost::idle && m.last == index(p) ? 0.85 : 1);
        if (!best || c < least) best = index(p), least = c;
      }
    }
    if (!is_trial) m.last = best;
    return best.value_or(index(from.front()));
  }
  /// All of them.
  std::vector<partition> least(task_kind k) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<partition> found;
    for (auto const& [p, t] : kinds[{k.type, k.key}].times) {
      double const c = cost_of(p, t.ns, 0);
      if (c < least) found.clear();
      if (c <= least) found.push_back(all[partition_id{p}]);
      least = std::min(least, c);
    }
    return found;
  }
};

TEST(width_choice, chooses_what_the_rules_say_among_random_times) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    runtime::dice roll(seed);
    cost const what = seed % 3 == 0 ? cost::product : seed % 3 == 1 ? cost::time : cost::idle;
    bench<history_model> b(what);
    naive_choice naive{b.all, what};
    for (int i = 0; i < 1000; ++i) {
      // Few kinds are met often, and some share a row: types from 63 on.
      std::uint32_t const type = roll.below(4) == 0 ? 60 + roll.below(10) : 3;
      task_kind const k{.type = type, .key = roll.below(2) == 0 ? 6U : 5U};
      task_kind const row{.type = std::min(type, 63U), .key = k.key};
      std::uint64_t const busy_workers = roll.below(3) == 0 ? roll.next() : 0;
      worker_id const w{roll.below(8)};
      auto const busy = [&](partition const& p) {
        std::uint32_t n = 0;
        for (std::uint32_t o = index(p.leader); o < index(p.leader) + p.width; ++o)
          n += worker_id{o} != w && (busy_workers >> o & 1) != 0 ? 1 : 0;
        return n;
      };
      auto const from = b.all.inclusive(w);
      partition_id const p = b.choice.choose(k, from, busy);
      ASSERT_EQ(index(p), naive.choose(row, from, busy)) << "seed " << seed << ", task " << i;
      std::uint64_t const ns = 1000 + roll.below(100'000);
      b.choice.learn(k, p, ns);
      naive.learn(row, index(p), ns);
      ASSERT_EQ(b.choice.time_ns(k, p), (naive.kinds[{row.type, row.key}].times[index(p)].ns));
      auto const least = naive.least(row);
      for (std::uint32_t o = 0; o < 8 && least.size() == 1; ++o)
        ASSERT_EQ(b.choice.is_in_least(k, worker_id{o}, from), least[0].has(worker_id{o})) << "seed " << seed;
    }
    std::uint64_t known = 0;
    b.choice.for_each_known([&](task_kind k, partition_id p, std::uint64_t ns) {
      ++known;
      EXPECT_EQ(ns, (naive.kinds[{k.type, k.key}].times[index(p)].ns)) << "seed " << seed;
    });
    std::uint64_t all = 0;
    for (auto const& [k, m] : naive.kinds) all += m.times.size();
    EXPECT_EQ(known, all) << "seed " << seed;
  }
}

TEST(width_choice, a_power_law_has_its_least_partition_around_the_address) {
  bench<power_law_model> b;
  auto const home = b.all.inclusive(worker_id{6});
  EXPECT_FALSE(b.choice.is_in_least(kind, worker_id{6}, home)) << "nothing is known";
  b.choice.learn(kind, partition_id{0}, 4000);
  b.choice.learn(kind, partition_id{8}, 1500);
  EXPECT_TRUE(b.choice.is_in_least(kind, worker_id{4}, home)) << "a width of four is best, and 4..7 are at the address";
  EXPECT_FALSE(b.choice.is_in_least(kind, worker_id{0}, home));
}

}}}}}  // namespace skua::v0::policies::arms
