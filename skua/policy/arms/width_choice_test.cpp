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
constexpr auto nobody = [](partition const&) { return partners{}; };
constexpr task_kind kind{.type = 3, .key = 5};

/// Every partition around worker 0 or 1 is measured: width 1 once, teams of 2 and 4 three times.
constexpr int first_measurements = 7;

/// Runs tasks of one kind on one worker, with times as a function of the partition; what was chosen, in order.
template <class Model>
struct bench {
  partitions all = figure_4();
  width_choice<Model> choice;

  explicit bench(cost what = cost::product) : choice(all, 5, what) {}

  void learn(partition_id p, std::uint64_t ns) {
    choice.learn(kind, p, ns);
    choice.learn_of_member(kind, p, ns);
  }
  std::vector<std::uint32_t> run(int tasks, std::uint32_t worker, std::function<std::uint64_t(partition)> const& time) {
    std::vector<std::uint32_t> widths;
    for (int i = 0; i < tasks; ++i) {
      partition_id const p = choice.choose(kind, all.inclusive(worker_id{worker}), nobody);
      widths.push_back(all[p].width);
      learn(p, time(all[p]));
    }
    return widths;
  }
};

int count(std::vector<std::uint32_t> const& in, std::uint32_t what) {
  return static_cast<int>(std::count(in.begin(), in.end(), what));
}

TEST(width_choice, what_is_not_measured_comes_first_in_increasing_width) {
  bench<history_model> b;
  EXPECT_EQ(b.run(first_measurements, 1, [](partition) { return 10'000; }),
            (std::vector<std::uint32_t>{1, 2, 2, 2, 4, 4, 4}));
  EXPECT_EQ(b.run(4, 2, [](partition) { return 10'000; }), (std::vector<std::uint32_t>{1, 2, 2, 2}))
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
      {"perfect speedup: all products alike", cost::product, 40'000, 20'000, 10'000, 1},
      {"superlinear: the caches of two hold it", cost::product, 40'000, 15'000, 10'000, 2},
      {"superlinear up to four", cost::product, 40'000, 19'000, 9'000, 4},
      {"no speedup", cost::product, 40'000, 40'000, 40'000, 1},
      {"latency: any speedup counts", cost::time, 40'000, 39'990, 39'980, 4},
      {"latency: no speedup", cost::time, 40'000, 40'000, 40'000, 1},
      {"latency: overhead beyond two", cost::time, 40'000, 25'000, 26'000, 2},
      {"idle partners cost nothing", cost::idle, 40'000, 25'000, 24'000, 4},
  };
  for (scene const& s : table) {
    bench<history_model> b(s.what);
    auto const time = [&](partition p) { return p.width == 1 ? s.t1 : p.width == 2 ? s.t2 : s.t4; };
    b.run(first_measurements, 0, time);
    EXPECT_EQ(b.run(1, 0, time).front(), s.chosen) << s.name;
  }
}

TEST(width_choice, busy_partners_make_a_partition_dearer_where_idle_ones_are_free) {
  bench<history_model> b(cost::idle);
  b.run(first_measurements, 0, [](partition p) {
    return std::uint64_t{p.width == 1 ? 40'000U : p.width == 2 ? 25'000U : 24'000U};
  });
  auto const choose = [&](auto busy) {
    return b.all[b.choice.choose(kind, b.all.inclusive(worker_id{0}), busy)].width;
  };
  EXPECT_EQ(choose(nobody), 4);
  EXPECT_EQ(choose([](partition const& p) { return partners{.busy = p.width == 4 ? 2U : 0U}; }), 2);
  EXPECT_EQ(choose([](partition const& p) { return partners{.busy = p.width - 1U}; }), 1);
}

TEST(width_choice, the_choice_follows_a_kernel_whose_cost_changes_within_100_tasks) {
  bench<history_model> b;
  auto const wide = [](partition p) { return std::uint64_t{p.width == 4 ? 5'000U : 40'000U}; };
  auto const narrow = [](partition p) { return std::uint64_t{p.width == 1 ? 6'000U : 40'000U}; };
  EXPECT_GT(count(b.run(1000, 0, wide), 4), 960);
  auto const after = b.run(100, 0, narrow);
  EXPECT_EQ(after.back(), 1U);
  EXPECT_GT(count(b.run(1000, 0, narrow), 1), 960);
}

TEST(width_choice, a_partition_that_lost_once_and_became_better_is_found_by_a_trial) {
  bench<history_model> b;
  EXPECT_GT(count(b.run(1000, 0, [](partition p) { return std::uint64_t{p.width == 1 ? 10'000U : 400'000U}; }), 1),
            960);
  auto const better = [](partition p) {
    return std::uint64_t{p.width == 4 ? 1'000U : p.width == 1 ? 10'000U : 400'000U};
  };
  auto const most = static_cast<int>(3 * trials::longest_pause / 10'000);
  EXPECT_EQ(b.run(most, 0, better).back(), 4U) << "three trials, each after the longest pause";
  EXPECT_GT(count(b.run(640, 0, better), 4), 600);
}

TEST(width_choice, trials_that_do_not_pay_lose_one_percent_of_the_time) {
  bench<history_model> b;
  auto const time = [](partition p) { return std::uint64_t{10'000U * p.width}; };
  auto const widths = b.run(64'000, 0, time);
  double lost = 0;
  for (std::uint32_t const w : widths) lost += 10'000.0 * w * w - 10'000.0;
  EXPECT_LE(lost, 0.01 * 64'000 * 10'000 + 2 * 3 * (10'000.0 * 16 - 10'000))
      << "and the trial that is not paid for yet";
  EXPECT_GT(count(widths, 2), 3) << "but they go on";
  EXPECT_GT(count(widths, 4), 3);
}

TEST(width_choice, teams_of_short_tasks_are_tried_once_and_then_seldom) {
  bench<history_model> b;
  auto const time = [](partition p) { return std::uint64_t{p.width == 1 ? 500U : 20'000U}; };
  EXPECT_EQ(b.run(3, 0, time), (std::vector<std::uint32_t>{1, 2, 4}));
  EXPECT_EQ(count(b.run(10'000, 0, time), 1), 10'000);
}

TEST(width_choice, an_unknown_partition_with_members_in_another_region_waits) {
  bench<history_model> b(cost::idle);
  b.learn(partition_id{0}, 10'000);
  auto const choose = [&](partners const& others) {
    return b.all[b.choice.choose(kind, b.all.inclusive(worker_id{0}), [&](partition const&) { return others; })].width;
  };
  EXPECT_EQ(choose({.busy = 1, .away = true}), 1) << "nobody knows when they come back";
  EXPECT_EQ(choose({}), 2) << "a trial begins";
  EXPECT_EQ(choose({.busy = 1, .away = true}), 1) << "and is given up";
}

TEST(width_choice, the_members_parts_count_where_no_team_has_found_its_members_idle) {
  bench<history_model> b(cost::idle);
  b.learn(partition_id{0}, 40'000);
  b.choice.learn_of_member(kind, partition_id{8}, 5'000);  // an eighth: two caches hold what one does not
  b.choice.learn_of_member(kind, partition_id{12}, 30'000);
  auto const choose = [&](partners const& others) {
    return b
        .all[b.choice.choose(kind, b.all.inclusive(worker_id{0}),
                             [&](partition const& p) { return p.width == 1 ? partners{} : others; })]
        .width;
  };
  EXPECT_EQ(choose({.busy = 1}), 2);
  EXPECT_EQ(choose({.busy = 1, .away = true}), 1);
  b.choice.learn(kind, partition_id{8}, 20'000);  // but its members come late
  EXPECT_EQ(choose({.busy = 1}), 1);
}

/// A member that is late once makes the team dear; the next trial finds it as good as before.
TEST(width_choice, a_team_with_a_late_member_is_left_for_10_ms) {
  bench<history_model> b(cost::idle);
  auto const time = [](partition p) {
    return std::uint64_t{p.width == 1 ? 40'000U : p.width == 2 ? 20'000U : 50'000U};
  };
  b.run(first_measurements, 0, time);
  EXPECT_EQ(b.run(1, 0, [](partition) { return std::uint64_t{4'000'000}; }).front(), 2U);
  auto const after = b.run(1000, 0, time);
  auto const back = std::ranges::find(after, 2U) - after.begin();
  EXPECT_GE(back, static_cast<int>(trials::shortest_pause / 40'000));
  EXPECT_LE(back, static_cast<int>(2 * trials::shortest_pause / 40'000)) << "the other width may have its turn first";
  EXPECT_EQ(after.back(), 2U);
}

TEST(width_choice, a_power_law_needs_two_widths_to_choose_among_three) {
  bench<power_law_model> superlinear;
  auto const good = [](partition p) { return std::uint64_t{p.width == 1 ? 40'000U : p.width == 2 ? 15'000U : 6'000U}; };
  EXPECT_EQ(superlinear.run(5, 0, good), (std::vector<std::uint32_t>{1, 2, 2, 2, 4}));
  EXPECT_EQ(superlinear.run(1, 5, good).front(), 4U) << "what one worker learnt holds for all: leaders are alike";
  bench<power_law_model> sublinear;
  auto const bad = [](partition p) { return std::uint64_t{p.width == 1 ? 40'000U : p.width == 2 ? 30'000U : 26'000U}; };
  EXPECT_EQ(sublinear.run(6, 0, bad), (std::vector<std::uint32_t>{1, 2, 2, 2, 1, 1}));
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
    std::map<std::uint32_t, std::uint64_t> leaders;
    std::uint32_t measurements = 0;
    std::optional<std::uint32_t> last;
    trials tried{1};
  };
  partitions const& all;
  cost const what;
  std::map<std::pair<std::uint32_t, std::uint32_t>, of_kind> kinds = {};

  void learn(task_kind k, std::uint32_t p, std::uint64_t ns) {
    of_kind& m = kinds[{k.type, k.key}];
    auto const found = m.times.find(p);
    std::uint32_t const now = ++m.measurements;
    std::uint32_t const best = m.last.value_or(index(all[partition_id{p}].leader));
    auto const usual = m.times.find(best);
    bool forgiven = false;
    bool const compares = usual != m.times.end() && p != best;
    m.tried.pay(0, ns, compares ? cost_of(p, ns, 0) - cost_of(best, usual->second.ns, 0) : 0);
    if (found != m.times.end() && p == best && all[partition_id{p}].width > 1)
      forgiven = m.tried.note_team(0, ns, found->second.ns) == trials::team_was::late;
    bool const counts_alone =
        m.tried.counts(0, partition_id{p}) || found == m.times.end() || now - found->second.at >= 64;
    m.times[p] = {forgiven ? found->second.ns : counts_alone ? ns : (4 * found->second.ns + ns) / 5, now};
  }
  void learn_of_member(task_kind k, std::uint32_t p, std::uint64_t ns) {
    std::uint64_t& t = kinds[{k.type, k.key}].leaders[p];
    t = t == 0 ? ns : (4 * t + ns) / 5;
  }
  [[nodiscard]] double cost_of(std::uint32_t p, std::uint64_t ns, std::uint32_t busy) const {
    auto const t = static_cast<double>(ns);
    return what == cost::product ? t * all[partition_id{p}].width : what == cost::time ? t : t * (1 + 2.0 * busy);
  }
  std::uint32_t choose(task_kind k, std::span<partition_id const> from, auto const& busy) {
    of_kind& m = kinds[{k.type, k.key}];
    auto const others = [&](std::uint32_t p) { return what == cost::idle ? busy(all[partition_id{p}]) : partners{}; };
    auto const is_delayed = [&](std::uint32_t p) { return others(p).busy != 0; };
    auto const may = [&](std::uint32_t wanted) {
      return std::ranges::any_of(from, [&](partition_id p) { return index(p) == wanted; });
    };
    auto const tries = [&](std::uint32_t p) {
      auto const alone = m.times.find(index(from.front()));
      m.tried.begin(0, partition_id{p}, all[partition_id{p}].width > 1, alone == m.times.end() ? 0 : alone->second.ns,
                    m.measurements);
      return p;
    };
    if (auto const present = m.tried.present(0); present && may(index(*present))) {
      if (!is_delayed(index(*present))) return index(*present);
      m.tried.abandon(0);
    }
    std::optional<std::uint32_t> best;
    std::optional<std::uint32_t> oldest;
    double least = 0;
    std::uint32_t age = 0;
    for (partition_id const each : from) {
      std::uint32_t const p = index(each);
      std::uint32_t const since = m.times.contains(p) ? m.times.at(p).at : 0;
      if (m.measurements - since > age && !is_delayed(p)) oldest = p, age = m.measurements - since;
    }
    for (partition_id const each : from) {
      std::uint32_t const p = index(each);
      if (best && others(p).away) continue;
      auto const t = m.times.contains(p)                        ? m.times.at(p).ns
                     : others(p).busy == 0 || m.leaders[p] == 0 ? 0
                                                                : m.leaders[p] + (all[each].width > 1 ? 5'000 : 0);
      if (t == 0) {
        return tries(p);
      }
      double const c = cost_of(p, t, others(p).busy) * (what == cost::idle && m.last == p ? 0.85 : 1);
      if (!best || c < least) best = p, least = c;
    }
    if (m.tried.may_begin(0, m.measurements)) {
      std::uint32_t const p = oldest.value_or(index(from.front()));
      if (p != *best) return tries(p);
    }
    m.last = best;
    return *best;
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
        return partners{.busy = n, .away = n != 0 && (busy_workers >> 9 & 1) != 0};
      };
      auto const from = b.all.inclusive(w);
      partition_id const p = b.choice.choose(k, from, busy);
      ASSERT_EQ(index(p), naive.choose(row, from, busy)) << "seed " << seed << ", task " << i;
      std::uint64_t const ns = 2000 + roll.below(roll.below(10) == 0 ? 2'000'000 : 100'000);
      b.choice.learn_of_member(k, p, ns / 2);
      naive.learn_of_member(row, index(p), ns / 2);
      if (what != cost::idle || busy(b.all[p]).busy == 0) {
        b.choice.learn(k, p, ns);
        naive.learn(row, index(p), ns);
        ASSERT_EQ(b.choice.time_ns(k, p), (naive.kinds[{row.type, row.key}].times[index(p)].ns));
      }
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
