// SPDX-License-Identifier: MIT
// Hierarchical localized work stealing in the simulator: which workers idle, and what that costs.
// [adws-sc19 4.2.4, 4.3]
#include "skua/machine/sim/groups_for_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// The time in which a thief looks at every worker of the whole range several times; other thieves are as fast.
tick several_searches(std::uint32_t workers, rules const& by) { return 8 * tick{6} * workers * by.probe_ticks; }

TEST(adws_stealing, in_a_complex_dag_nobody_is_idle_while_its_group_has_something_for_longer_than_a_search) {
  // Figure 9: with 3, 5, 6, 7, 48 workers the same worker has shares in several groups, one after the other.
  constexpr double leaf = 200;
  task_tree const program = record([](auto& h) { four_way(h, 2, 3, leaf); });
  for (std::uint32_t const workers : {3U, 4U, 5U, 6U, 7U, 16U, 48U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      group_watch watch(program, workers);
      checked_run("adws", program, workers, strict(seed), watch);
      // A group opens to thieves when the first task of its search has ended.
      EXPECT_LE(watch.longest(), leaf + static_cast<double>(several_searches(workers, strict(seed))))
          << workers << " workers, seed " << seed;
    }
  }
}

TEST(adws_stealing, in_random_programs_nobody_is_idle_while_its_group_has_something_for_longer_than_a_search) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    random_run const g(seed);
    for (std::uint32_t const workers : {2U, 3U, 5U, 7U, 16U}) {
      group_watch watch(g.program, workers);
      checked_run("adws", g.program, workers, g.by, watch);
      EXPECT_LE(watch.longest(), 3 * 200 + several_searches(workers, g.by)) << workers << " workers, seed " << seed;
    }
  }
}

TEST(adws_stealing, makes_up_for_numbers_of_workers_that_do_not_divide_the_tree) {
  task_tree const program = record([](auto& h) { four_way(h, 2, 4, 200); });
  auto const with = [&](char const* name, std::uint32_t workers) {
    return efficiency(checked_run(name, program, workers, strict(3)), program, strict(3));
  };
  for (std::uint32_t const workers : {2U, 4U, 8U, 16U}) EXPECT_GT(with("adws:no-steal", workers), 0.99) << workers;
  EXPECT_GT(with("adws:no-steal", 64), 0.95);
  for (std::uint32_t const workers : {3U, 5U, 7U, 48U}) {
    double const fixed = with("adws:no-steal", workers);
    double const stolen = with("adws", workers);
    EXPECT_LT(fixed, 0.92) << workers;
    EXPECT_GT(stolen, fixed + 0.03) << workers;
    EXPECT_GT(stolen, workers < 10 ? 0.98 : 0.88) << workers;
  }
}

TEST(adws_stealing, a_group_of_one_task_is_no_obstacle) {
  // The only child of the root forks without hints: a scope, or a group with all the work in one child.
  task_tree const scope = record([](auto& here) {
    std::vector<int> one(1);
    here.join_each(
        one, [](int) { return work{1}; },
        [](auto& h, int) {
          h.scope([](auto& s) {
            for (int i = 0; i < 1000; ++i) s.spawn([](auto& g) { g.leaf(flops{1000}, [] {}); });
          });
        });
  });
  task_tree const single = record([](auto& here) {
    std::vector<int> one(1);
    here.join_each(one, [](int) { return work{1}; }, [](auto& h, int) { four_way(h, 1, 5, 100); });
  });
  for (task_tree const* program : {&scope, &single}) {
    EXPECT_GT(efficiency(checked_run("adws", *program, 16, strict(1)), *program, strict(1)), 0.9);
  }
}

TEST(adws_stealing, a_search_that_ends_early_leaves_no_worker_without_a_range) {
  // Two coarse tasks over 16 workers; they fork only after the searches are over.
  task_tree const program = record([](auto& here) {
    auto const late = [](auto& h) {
      h.scope([](auto& s) { s.spawn([](auto& g) { g.leaf(flops{1}, [] {}); }); });
      for (int i = 0; i < 500; ++i) {
        h.scope([](auto& s) {
          for (int k = 0; k < 16; ++k) s.spawn([](auto& g) { g.leaf(flops{300}, [] {}); });
        });
      }
    };
    here.join(work{1}, late, work{1}, late);
  });
  group_watch watch(program, 16);
  run_result const result = checked_run("adws", program, 16, strict(2), watch);
  EXPECT_GT(efficiency(result, program, strict(2)), 0.5);
  EXPECT_LE(watch.longest(), 300 + several_searches(16, strict(2)));
}

TEST(adws_stealing, wrong_hints_cost_time_but_not_much) {
  // [adws-sc19 5.4]: all of the work is in the child whose hint says that it has none.
  task_tree const program = record([](auto& here) {
    here.join(work{1}, [](auto& h) { h.leaf(flops{100}, [] {}); }, work{1e-9}, [](auto& h) { four_way(h, 1, 5, 100); });
  });
  for (std::uint32_t const workers : {2U, 7U, 16U}) {
    EXPECT_LT(efficiency(checked_run("adws:no-steal", program, workers, strict(1)), program, strict(1)), 1.1 / workers);
    EXPECT_GT(efficiency(checked_run("adws", program, workers, strict(1)), program, strict(1)), 0.85) << workers;
  }
}

TEST(adws_stealing, programs_of_scopes_only_run_on_all_workers) {
  task_tree const program = record([](auto& here) {
    auto const forks = [](auto const& self, auto& h, int depth) -> void {
      if (depth == 0) return h.leaf(flops{50}, [] {});
      h.scope([&](auto& s) {
        for (int i = 0; i < 3; ++i) s.spawn([=](auto& g) { self(self, g, depth - 1); });
      });
    };
    forks(forks, here, 7);
  });
  for (std::uint32_t const workers : {2U, 7U, 16U}) {
    EXPECT_GT(efficiency(checked_run("adws", program, workers, strict(4)), program, strict(4)), 0.85) << workers;
  }
}

TEST(adws_stealing, groups_and_scopes_may_be_mixed) {
  task_tree const program = record([](auto& here) {
    auto const mixed = [](auto const& self, auto& h, int depth) -> void {
      if (depth == 0) return h.leaf(flops{100}, [] {});
      if (depth % 2 == 0) {
        h.scope([&](auto& s) {
          for (int i = 0; i < 3; ++i) s.spawn([=](auto& g) { self(self, g, depth - 1); });
        });
        h.join(
            work{2}, [=](auto& g) { self(self, g, depth - 1); }, work{1}, [=](auto& g) { self(self, g, depth - 1); });
      } else {
        h.join([=](auto& g) { self(self, g, depth - 1); }, [=](auto& g) { self(self, g, depth - 1); });
      }
    };
    mixed(mixed, here, 7);
  });
  for (std::uint32_t const workers : {2U, 7U, 16U}) {
    group_watch watch(program, workers);
    run_result const result = checked_run("adws", program, workers, strict(5), watch);
    EXPECT_GT(efficiency(result, program, strict(5)), 0.8) << workers;
    EXPECT_LE(watch.longest(), 300 + several_searches(workers, strict(5))) << workers;
  }
}

TEST(adws_stealing, almost_greedy_on_random_programs_of_some_size) {
  // [adws-sc19 4.3.2]. Greedy policies reach 1 on average; the bound is for the worst of the runs below.
  double worst = 0;
  double sum = 0;
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    task_tree const program = random_tree::make(seed, {.tasks = 2000, .most_flops = 100});
    totals const all = weigh(program, strict(seed));
    if (all.work < 1000) continue;
    for (std::uint32_t const workers : {2U, 4U, 16U, 64U}) {
      run_result const result = checked_run("adws", program, workers, strict(seed));
      double const ratio = static_cast<double>(result.makespan) / (all.work / workers + all.span);
      worst = std::max(worst, ratio);
      sum += ratio;
      ++runs;
    }
  }
  EXPECT_LT(worst, 3.5);
  EXPECT_LT(sum / runs, 1.5);
}

TEST(adws_stealing, equal_work_needs_few_steals) {
  task_tree const program = record([](auto& h) {
    for (int i = 0; i < 10; ++i) four_way(h, 1, 4, 500);
  });
  auto const steals = [&](char const* name) {
    run_result const result = checked_run(name, program, 64, strict(6));
    return std::accumulate(result.workers.begin(), result.workers.end(), std::uint64_t{0},
                           [](std::uint64_t sum, worker_counters const& t) { return sum + t.steals; });
  };
  EXPECT_LT(10 * steals("adws"), steals("random"));
}

}}}}  // namespace skua::v0::sim
