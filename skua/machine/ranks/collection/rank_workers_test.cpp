// SPDX-License-Identifier: MIT
// Collections on ranks of several workers: ranks are threads of the test or of MPI, workers are those of a pool per rank.
#include "skua/machine/ranks/collection/rank_workers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"
#include "tests/programs/this_thread.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

struct numbered {
  std::uint32_t id;
  std::uint32_t work;
};

void work(std::uint32_t units) {
  std::atomic<std::uint32_t> spun{0};
  for (std::uint32_t n = 0; n < units * 100; ++n) spun.fetch_add(1, std::memory_order_relaxed);
}

/// A number for each worker of a rank, that workers do not share.
class by_worker {
 public:
  explicit by_worker(communicator const& world) : cells_(world.workers()) {}
  void add(std::uint32_t worker, std::uint64_t n) { cells_.at(worker).value += n; }
  void clear() { std::ranges::fill(cells_, cell{}); }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (cell const& c : cells_) all += c.value;
    return all;
  }

 private:
  struct alignas(64) cell {
    std::uint64_t value = 0;
  };
  std::vector<cell> cells_;
};

struct shape {
  std::uint32_t ranks;
  std::uint32_t threads;
  serving how;
  friend std::ostream& operator<<(std::ostream& out, shape const& s) {
    return out << s.ranks << " ranks, " << s.threads << " threads"
               << (s.how == serving::server_thread ? ", server" : ", between tasks");
  }
};

class workers_of_ranks : public ::testing::TestWithParam<shape> {
 protected:
  template <class F>
  static void on_all(F const& program) {
    on_ranks(GetParam().ranks, [&](communicator& world) {
      pool threads(GetParam().threads);
      rank_pool const workers(world, threads, GetParam().how);
      program(world);
    });
  }
};

TEST_P(workers_of_ranks, run_every_task_once_in_each_iteration) {
  on_all([](communicator& world) {
    static constexpr std::uint32_t tasks = 400;
    std::vector<std::atomic<std::uint32_t>> runs(tasks);
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      EXPECT_LT(here.worker(), here.num_workers());
      EXPECT_EQ(here.num_workers(), world.workers());
      work(t.work);
      runs[t.id].fetch_add(1, std::memory_order_relaxed);
    });
    if (world.rank() == 0) {
      for (std::uint32_t id = 0; id < tasks; ++id) all.add({id, id % 7});
    }
    EXPECT_EQ(world.sum(all.num_waiting()), tasks);
    for (int iteration = 1; iteration <= 5; ++iteration) {
      for (auto& r : runs) r.store(0, std::memory_order_relaxed);
      all.process();
      EXPECT_EQ(world.sum(all.num_recorded()), tasks);
      std::vector<double> counted;
      for (auto& r : runs) counted.push_back(r.load(std::memory_order_relaxed));
      world.sum(counted);
      EXPECT_EQ(std::ranges::count(counted, 1), tasks);
      collection_report const r = all.report();
      EXPECT_EQ(r.tasks, tasks);
      EXPECT_EQ(r.workers, world.sum(std::uint64_t{world.workers()}));
      EXPECT_GE(r.seconds, r.mean_busy);
      all.restore();
    }
  });
}

TEST_P(workers_of_ranks, never_run_two_tasks_of_one_worker_at_once) {
  on_all([](communicator& world) {
    std::vector<std::atomic<bool>> busy(world.workers());
    by_worker ran(world);
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      EXPECT_FALSE(busy[here.worker()].exchange(true));
      work(t.work);
      ran.add(here.worker(), 1);
      if (t.id > 0) here.spawn({t.id - 1, t.work});
      if (t.id > 0) here.spawn({t.id - 1, t.work});
      busy[here.worker()].store(false);
    });
    all.add({7, 1});
    all.process();
    EXPECT_EQ(world.sum(ran.sum()), 255U * world.size());
  });
}

TEST_P(workers_of_ranks, count_random_trees_right) {
  std::uint64_t const seed =
      std::getenv("SEED") != nullptr ? std::strtoull(std::getenv("SEED"), nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("SEED=" + std::to_string(seed));
  on_all([&](communicator& world) {
    std::uint64_t const agreed = world.sum(world.rank() == 0 ? seed : 0);  // ranks may be processes
    runtime::dice dice(agreed);
    by_worker executed(world);
    by_worker spawned(world);
    task_collection<numbered> tree(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      executed.add(here.worker(), 1);
      runtime::dice mine(agreed ^ t.id);
      work(mine.below(8) == 0 ? mine.below(100) : 0);
      if (t.work == 0) return;
      std::uint32_t const children = mine.below(5);
      spawned.add(here.worker(), children);
      for (std::uint32_t c = 0; c < children; ++c) here.spawn({t.id * 31 + c + 1, t.work - 1});
    });
    for (int iteration = 0; iteration < 10; ++iteration) {
      executed.clear();
      spawned.clear();
      std::uint32_t const seeds = dice.below(4);
      for (std::uint32_t n = 0; n < seeds; ++n) tree.add({dice.below(1000) + 1000 * world.rank(), dice.below(8)});
      std::uint64_t const waiting = world.sum(tree.num_waiting());
      tree.process();
      EXPECT_EQ(world.sum(executed.sum()), waiting + world.sum(spawned.sum()));
      EXPECT_EQ(world.sum(tree.num_recorded()), waiting);
      if (dice.below(2) == 0) tree.restore();
    }
  });
}

TEST_P(workers_of_ranks, forget_null_tasks) {
  on_all([](communicator& world) {
    by_worker ran(world);
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      ran.add(here.worker(), 1);
      return t.id % 4 == 0 ? task_outcome::done : task_outcome::null;
    });
    for (std::uint32_t n = 0; n < 40; ++n) all.add({n, 0});
    all.process();
    EXPECT_EQ(world.sum(all.num_recorded()), 10U * world.size());
    all.restore(placement_of_tasks::original);
    ran.clear();
    all.process();
    EXPECT_EQ(world.sum(ran.sum()), 10U * world.size());
  });
}

TEST_P(workers_of_ranks, add_to_any_collection_from_any_task) {
  on_all([](communicator& world) {
    by_worker a_ran(world);
    by_worker b_ran(world);
    task_collection<std::uint64_t> b(world, {.name = "b"}, [&](task_site<std::uint64_t>& here, std::uint64_t more) {
      b_ran.add(here.worker(), 1);
      if (more > 0) b.add(more - 1);  // instead of here.spawn: the same process()
    });
    task_collection<numbered> a(world, {.name = "a"}, [&](task_site<numbered>& here, numbered const&) {
      a_ran.add(here.worker(), 1);
      b.add(1);  // runs in the next process() of b
    });
    for (std::uint32_t n = 0; n < 30; ++n) a.add({n, 0});
    for (int iteration = 1; iteration <= 4; ++iteration) {
      a.process();
      b.process();
      EXPECT_EQ(world.sum(b.num_recorded()), 30U * world.size()) << "what a task added is not seeded again";
      a.restore();
    }
    EXPECT_EQ(world.sum(a_ran.sum()), 120U * world.size());
    EXPECT_EQ(world.sum(b_ran.sum()), 240U * world.size());
  });
}

TEST_P(workers_of_ranks, throw_on_every_rank_what_a_task_threw_and_go_on_afterwards) {
  on_all([](communicator& world) {
    std::atomic<bool> breaks{true};
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      if (breaks && t.id == 7) throw std::logic_error("seven");
      work(t.work);
      if (t.work > 0) here.spawn({1, t.work - 1});
    });
    std::uint32_t const guilty = world.size() / 2;
    for (std::uint32_t n = 0; n < 5; ++n) all.add({world.rank() == guilty && n == 3 ? 7U : 1U, 10});
    try {
      all.process();
      FAIL() << "rank " << world.rank() << " heard of nothing";
    } catch (std::logic_error const& e) {
      EXPECT_STREQ(e.what(), "seven");
    } catch (remote_error const& e) {
      EXPECT_NE(std::string(e.what()).find("seven"), std::string::npos);
    }
    breaks = false;
    EXPECT_EQ(all.num_recorded(), 0U);
    all.add({7, 0});
    all.process();
    EXPECT_EQ(world.sum(all.num_recorded()), world.size());
  });
}

TEST_P(workers_of_ranks, begin_no_task_once_they_know_of_a_failure) {
  on_all([](communicator& world) {
    std::atomic<long> failed_on{0};
    std::atomic<int> begun{0};
    std::atomic<int> begun_late{0};
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      if (failed_on == testing::this_thread_number()) ++begun_late;  // it has thrown, and takes another task
      if (begun.fetch_add(1) == 50) {
        failed_on = testing::this_thread_number();
        throw std::logic_error("fifty");
      }
      if (t.work > 0) here.spawn({1, t.work - 1});
    });
    constexpr std::uint32_t tasks = 300;
    for (std::uint32_t n = 0; n < tasks; ++n) all.add({n, 2});
    EXPECT_ANY_THROW(all.process());
    EXPECT_EQ(begun_late, 0);
    all.process();  // all that was dropped is gone
    EXPECT_EQ(world.sum(all.num_recorded()), 0U);
  });
}

TEST_P(workers_of_ranks, do_not_lose_the_exception_of_the_last_task) {
  on_all([](communicator& world) {
    task_collection<numbered> all(world, {}, [&](numbered const&) { throw std::logic_error("alone"); });
    for (int round = 0; round < 20; ++round) {
      if (world.rank() == 0) all.add({0, 0});
      EXPECT_ANY_THROW(all.process()) << "round " << round;
    }
  });
}

TEST_P(workers_of_ranks, fail_with_a_clear_error_beyond_the_limit) {
  on_all([](communicator& world) {
    // While tasks are spawned none of them ends, so that workers cannot keep pace.
    std::atomic<bool> spawning{false};
    auto const spawn = [&](task_site<numbered>& here, numbered const& t) {
      struct until_the_end {
        std::atomic<bool>& on;
        ~until_the_end() { on = false; }
      } const holds{spawning};
      spawning = true;
      for (std::uint32_t child = 0; child < t.work; ++child) here.spawn({0, 0});
    };
    task_collection<numbered> all(world, {.limit = 8, .steals = false},
                                  [&](task_site<numbered>& here, numbered const& t) {
                                    if (t.work > 0) return spawn(here, t);
                                    while (spawning) std::this_thread::yield();
                                  });
    if (world.rank() == 0) all.add({0, 1000});
    EXPECT_THROW(all.process(), error);
    for (std::uint32_t n = 0; n < 8; ++n) all.add({0, 0});
    EXPECT_THROW(all.add({0, 0}), resource_error);
    all.process();
    EXPECT_EQ(world.sum(all.num_recorded()), 8U * world.size());
  });
}

TEST_P(workers_of_ranks, let_tasks_fork_in_their_pool) {
  on_ranks(GetParam().ranks, [](communicator& world) {
    pool threads(GetParam().threads);
    rank_pool const workers(world, threads, GetParam().how);
    by_worker sums(world);
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      std::uint64_t const sum = threads.run([&](auto& h) {
        auto const part = [&](std::uint32_t n) {
          work(t.work);
          here.progress();  // on whatever thread
          return n;
        };
        auto const [a, b] = h.join([&](auto&) { return part(1); }, [&](auto&) { return part(2); });
        return a + b;
      });
      sums.add(here.worker(), sum);
    });
    for (std::uint32_t n = 0; n < 60; ++n) all.add({n, n});
    all.process();
    EXPECT_EQ(world.sum(sums.sum()), 180U * world.size());
  });
}

TEST_P(workers_of_ranks, keep_all_tasks_when_they_are_balanced) {
  on_all([](communicator& world) {
    by_worker ran(world);
    task_collection<numbered> all(world, {.steals = false}, [&](task_site<numbered>& here, numbered const& t) {
      work(t.work);
      ran.add(here.worker(), 1);
    });
    if (world.rank() == 0) {
      for (std::uint32_t n = 0; n < 60; ++n) all.add({n, 20});
    }
    all.process();
    EXPECT_EQ(all.num_recorded(), world.rank() == 0 ? 60U : 0U);
    all.rebalance("tempered");
    EXPECT_EQ(world.sum(all.num_recorded()), 60U);
    all.restore();
    ran.clear();
    all.process();
    EXPECT_EQ(world.sum(ran.sum()), 60U);
  });
}

TEST_P(workers_of_ranks, may_differ_between_ranks) {
  on_ranks(GetParam().ranks, [](communicator& world) {
    pool threads(1 + world.rank() % GetParam().threads);
    task_collection<numbered> before(world, {.name = "before"}, [](numbered const&) {});
    rank_pool const workers(world, threads, GetParam().how);
    by_worker ran(world);
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      work(t.work);
      ran.add(here.worker(), 1);
    });
    for (std::uint32_t n = 0; n < 50; ++n) all.add({n, n});
    before.add({0, 0});
    before.process();
    EXPECT_EQ(before.report().workers, world.size());
    all.process();
    EXPECT_EQ(world.sum(ran.sum()), 50U * world.size());
  });
}

std::vector<shape> shapes() {
  std::vector<shape> all;
  for (serving const how : {serving::server_thread, serving::between_tasks}) {
    for (std::uint32_t const ranks : numbers_of_ranks()) {
      if (ranks > 3) continue;
      for (std::uint32_t const threads : {1U, 2U, 3U}) all.push_back({ranks, threads, how});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(of_ranks, workers_of_ranks, ::testing::ValuesIn(shapes()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(workers_of_ranks);

}}}}  // namespace skua::v0::ranks
