// SPDX-License-Identifier: MIT
// Enqueued tasks with a strategy: they begin in its order, among each other and among the tasks of finish regions; a dead one is dropped and
// counts as ended; each other one runs once, whoever takes it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/callers/lent_thread.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::strategies::deadline, skua::strategies::priority, skua::strategies::urgency;
using skua::testing::wait_until;

/// Smaller numbers first; dead when the flag is set.
struct mortal {
  double number;
  std::atomic<bool> const* dead;
  [[nodiscard]] double key(skua::strategies::requester const&) const { return number; }
  [[nodiscard]] bool is_dead() const { return dead != nullptr && dead->load(std::memory_order_relaxed); }
};

/// Keeps the only worker of a pool busy until `release`.
class busy_worker {
 public:
  explicit busy_worker(skua::pool& pool) {
    pool.enqueue([this] {
      is_in_ = true;
      while (!is_free_.load()) std::this_thread::yield();
    });
    wait_until("the worker is busy", [this] { return is_in_.load(); });
  }
  void release() { is_free_ = true; }

 private:
  std::atomic<bool> is_in_{false};
  std::atomic<bool> is_free_{false};
};

std::vector<int> shuffled(int n, std::uint64_t seed) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  skua::runtime::dice roll(seed);
  for (std::size_t i = all.size() - 1; i > 0; --i)
    std::swap(all[i], all[roll.below(static_cast<std::uint32_t>(i + 1))]);
  return all;
}

/// The order in which the only worker begins the tasks with these deadlines, which are enqueued in this order while it is busy.
std::vector<int> order_under(std::string const& policy, std::vector<int> const& enqueued) {
  std::vector<int> begun;
  skua::pool pool({.workers = 1, .policy = policy});
  busy_worker before(pool);
  for (int const d : enqueued) pool.enqueue(deadline{1.0 * d}, [&begun, d] { begun.push_back(d); });
  before.release();
  pool.drain();
  return begun;
}

class enqueued_with_a_strategy : public skua::testing::under_every_policy {};

}  // namespace

TEST_P(enqueued_with_a_strategy, each_task_runs_once_unless_it_is_dead) {
  constexpr int count = skua::runtime::under_tsan ? 3000 : 30'000;
  for (std::uint32_t const n : {1U, 2U, 4U}) {
    std::vector<std::atomic<int>> runs(count);
    std::atomic<bool> const dies{true};
    std::atomic<int> dead{0};
    skua::pool pool(workers(n));
    std::array<std::thread, 3> users;
    for (std::size_t u = 0; u < users.size(); ++u) {
      users[u] = std::thread([&, u] {
        for (std::size_t i = u; i < runs.size(); i += users.size()) {
          auto const run = [&runs, i] { runs[i].fetch_add(1, std::memory_order_relaxed); };
          double const number = static_cast<double>(i * 7919 % 1000);
          if (i % 4 == 0) pool.enqueue(deadline{number}, run);
          if (i % 4 == 1) pool.enqueue(skua::at{skua::place_id{0}}, mortal{number, nullptr}, run);
          if (i % 4 == 2) pool.enqueue(run);
          if (i % 4 == 3) pool.enqueue(mortal{number, &dies}, [&dead] { dead.fetch_add(1); });
        }
      });
    }
    for (auto& u : users) u.join();
    pool.drain();
    for (std::size_t i = 0; i < runs.size(); ++i) ASSERT_EQ(runs[i].load(), i % 4 == 3 ? 0 : 1) << i;
    std::uint64_t dropped = 0;
    for (auto const& w : pool.counters()) dropped += w.dead;
    // What the lent thread drops while others keep the workers off their processors is in no worker's counters.
    std::uint64_t const lent = skua::runtime::core_of(pool).lent()->ran();
    std::uint64_t const counted = dropped + static_cast<std::uint64_t>(dead.load());
    EXPECT_LE(counted, runs.size() / 4) << "no task was counted twice";
    EXPECT_GE(counted + lent, runs.size() / 4) << "a task that did not run was dropped and counted";
  }
}

TEST_P(enqueued_with_a_strategy, tasks_inside_finish_regions_enqueue_and_spawn) {
  skua::pool pool(workers(2));
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    pool.run([&](auto& h) {
      h.finish([&](auto& f) {
        for (int i = 0; i < 50; ++i) {
          f.spawn(deadline{1.0 * i}, [&, i](auto& g) {
            skua::enqueue(deadline{25.0}, [&] { ++ran; });
            g.spawn(deadline{1.0 * i}, [&](auto& in) {
              skua::enqueue(skua::at{skua::anywhere}, priority{urgency::high}, [&](auto& own) {
                own.finish([&](auto& inner) { inner.spawn(deadline{0}, [&](auto&) { ++ran; }); });
              });
              in.here().join([](auto&) {}, [](auto&) {});
            });
          });
        }
      });
    });
  }
  pool.drain();
  EXPECT_EQ(ran.load(), 20 * 100);
}

INSTANTIATE_TEST_SUITE_P(policies, enqueued_with_a_strategy, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

TEST(enqueue_order, urgent_tasks_overtake_those_that_were_enqueued_earlier) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<int> const begun = order_under("only:strategies", shuffled(500, seed));
    EXPECT_EQ(begun.size(), 500U);
    EXPECT_TRUE(std::is_sorted(begun.begin(), begun.end())) << "seed " << seed;
  }
}

/// A combined policy looks for tasks with a strategy once it has seen one.
TEST(enqueue_order, is_that_of_strategies_from_the_second_task_on_under_a_combined_policy) {
  std::vector<int> const enqueued = shuffled(50, 7);
  std::vector<int> begun = order_under("random", enqueued);
  ASSERT_EQ(begun.size(), enqueued.size());
  EXPECT_EQ(begun.front(), enqueued.front());
  EXPECT_TRUE(std::ranges::is_sorted(begun.begin() + 1, begun.end()));
  EXPECT_EQ(order_under("forks=random,spawned=plain", enqueued), enqueued);
}

TEST(enqueue_order, is_that_of_the_queue_where_the_policy_obeys_no_strategy) {
  std::vector<int> const enqueued = shuffled(200, 1);
  EXPECT_EQ(order_under("only:random", enqueued), enqueued);
  EXPECT_EQ(order_under("only:strategies:lifo", enqueued), enqueued);
}

/// An enqueued task comes between spawned ones, whether their region's owner runs them on top of itself or not.
TEST(enqueue_order, holds_among_the_tasks_of_a_finish_region) {
  for (bool const from_outside : {false, true}) {
    std::vector<int> begun;
    skua::pool pool({.workers = 1, .policy = "strategies"});
    auto const region = [&](auto& h) {
      h.finish([&](auto& f) {
        for (int const d : {40, 20, 10, 30}) {
          f.spawn(deadline{1.0 * d}, [&, d](auto&) {
            begun.push_back(d);
            if (d != 10) return;
            pool.enqueue(deadline{35}, [&] { begun.push_back(35); });
            pool.enqueue(deadline{15}, [&] { begun.push_back(15); });
          });
        }
      });
    };
    from_outside ? pool.run(region) : pool.enqueue(region);
    pool.drain();
    EXPECT_EQ(begun, (std::vector<int>{10, 15, 20, 30, 35, 40})) << "from outside: " << from_outside;
  }
}

TEST(enqueue_order, a_task_that_enqueues_itself_starves_none_without_a_strategy) {
  skua::pool pool({.workers = 1, .policy = "strategies"});
  std::atomic<bool> stop{false};
  struct again {
    skua::pool& in;
    std::atomic<bool>& stop;
    void operator()() const {
      if (!stop.load(std::memory_order_relaxed)) in.enqueue(priority{urgency::high}, *this);
    }
  };
  pool.enqueue(priority{urgency::high}, again{pool, stop});
  pool.enqueue([&] { stop.store(true, std::memory_order_relaxed); });
  pool.drain();  // returns only if the last one runs
  EXPECT_TRUE(stop.load());
}

TEST(enqueue_order, a_pool_may_be_called_while_urgent_tasks_keep_coming) {
  std::atomic<bool> stop{false};  // before the pool, which ends with the last task
  skua::pool pool({.workers = 1, .policy = "strategies"});
  struct again {
    skua::pool& in;
    std::atomic<bool>& stop;
    void operator()() const {
      if (!stop.load(std::memory_order_relaxed)) in.enqueue(priority{urgency::high}, *this);
    }
  };
  pool.enqueue(priority{urgency::high}, again{pool, stop});
  EXPECT_EQ(pool.run([] { return 3; }), 3);
  stop = true;
}

// Dead tasks.

TEST(dead_enqueued_tasks, are_destroyed_and_not_called_before_drain_returns) {
  for (std::uint32_t const n : {1U, 2U, 3U}) {
    skua::pool pool({.workers = n, .policy = "strategies"});
    std::atomic<bool> dead{false};
    auto const held = std::make_shared<int>(0);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      dead = false;
      for (int i = 0; i < 300; ++i) pool.enqueue(mortal{1e6 + i, &dead}, [held, &ran] { ++ran; });
      dead = true;
      for (int i = 0; i < 20; ++i) pool.enqueue(mortal{1.0 * i, nullptr}, [&ran] { ++ran; });
      pool.drain();
      EXPECT_GE(ran.load(), 20);
      EXPECT_EQ(held.use_count(), 1);
    }
  }
}

/// They die while the tasks of a region run, whose owner drops what its worker has swept.
TEST(dead_enqueued_tasks, and_those_of_finish_regions_are_dropped_by_either) {
  for (std::uint32_t const n : {1U, 2U, 3U}) {
    skua::pool pool({.workers = n, .policy = "strategies"});
    for (int round = 0; round < 20; ++round) {
      std::atomic<bool> dead{false};
      std::atomic<int> ran{0};
      auto const held = std::make_shared<int>(0);
      auto const region = [&](auto& here) {
        here.finish([&](auto& f) {
          for (int i = 0; i < 200; ++i) {
            f.spawn(mortal{1e6 + 2 * i, &dead}, [held](auto&) {});
            pool.enqueue(mortal{1e6 + 2 * i + 1, &dead}, [held] {});
          }
          for (int i = 0; i < 20; ++i) {
            f.spawn(mortal{1.0 * i, nullptr}, [&](auto& g) {
              dead.store(true, std::memory_order_relaxed);
              g.here().finish([&](auto& inner) {
                for (int k = 0; k < 20; ++k) inner.spawn(mortal{1.0 * k, nullptr}, [&](auto&) { ++ran; });
              });
            });
          }
        });
      };
      round % 2 == 0 ? pool.run(region) : pool.enqueue(region);
      pool.drain();
      EXPECT_EQ(held.use_count(), 1);
      EXPECT_EQ(ran.load(), 400);
    }
  }
}

TEST(dead_enqueued_tasks, may_own_what_says_that_they_are_dead) {
  struct owner {
    bool const* flag;
    [[nodiscard]] bool is_dead() const { return *flag; }
  };
  skua::pool pool({.workers = 2, .policy = "strategies"});
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i) {
    auto mine = std::make_unique<bool>(i % 2 == 0);
    owner const says{mine.get()};
    pool.enqueue(says, [&ran, mine = std::move(mine)] { ran += *mine ? 1000 : 1; });
  }
  pool.drain();
  EXPECT_EQ(ran.load(), 500);
}

// What they are beside.

TEST(enqueue_order, the_pool_runs_what_is_left_before_it_ends) {
  for (std::uint32_t const n : {1U, 3U}) {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> ran{0};
      {
        skua::pool pool({.workers = n, .policy = "strategies"});
        for (int i = 0; i < 100; ++i) {
          pool.enqueue(deadline{1.0 * (i % 10)}, [&] {
            ++ran;
            pool.enqueue(deadline{5}, [&] { ++ran; });
          });
        }
      }
      EXPECT_EQ(ran.load(), 200);
    }
  }
}

TEST(enqueue_order, exceptions_reach_the_handler_and_the_other_tasks_run) {
  std::atomic<int> heard{0};
  std::atomic<int> ran{0};
  skua::pool pool({.workers = 2, .policy = "strategies", .on_exception = [&](std::exception_ptr const&) { ++heard; }});
  for (int i = 0; i < 300; ++i) {
    pool.enqueue(deadline{1.0 * (i % 7)}, [&ran, i] {
      if (i % 3 == 0) throw std::runtime_error("of a task");
      ++ran;
    });
  }
  pool.drain();
  EXPECT_EQ(ran.load(), 200);
  EXPECT_EQ(heard.load(), 100);
}

TEST(enqueue_order, a_strategy_that_throws_loses_no_task) {
  struct throws {
    [[nodiscard]] double key(skua::strategies::requester const&) const { throw std::runtime_error("no key"); }
    [[nodiscard]] bool is_dead() const { throw std::runtime_error("neither"); }
  };
  struct has_no_weight {
    [[nodiscard]] double transitive_weight() const { throw std::runtime_error("no weight"); }
  };
  skua::pool pool({.workers = 2, .policy = "strategies"});
  std::atomic<int> ran{0};
  for (int i = 0; i < 200; ++i) pool.enqueue(throws{}, [&] { ++ran; });
  EXPECT_THROW(pool.enqueue(has_no_weight{}, [&] { ++ran; }), std::runtime_error) << "nothing was enqueued";
  pool.drain();
  EXPECT_EQ(ran.load(), 200);
}

TEST(enqueue_order, other_regions_of_the_pool_and_guests_go_on) {
  skua::pool pool({.workers = 2, .policy = "strategies"});
  skua::region const other = pool.open_region("random");
  std::atomic<int> ran{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([&, u] {
      for (int i = 0; i < 50; ++i) {
        pool.enqueue(deadline{1.0 * (i % 5)}, [&] { ++ran; });
        auto const more = [&](auto& h) {
          skua::enqueue(deadline{0}, [&] { ++ran; });
          h.join([](auto&) {}, [](auto&) {});
        };
        u % 2 == 0 ? other.run(more) : pool.run(more);
      }
    });
  }
  for (auto& u : users) u.join();
  pool.drain();
  EXPECT_EQ(ran.load(), 400);
}

TEST(enqueue_order, an_isolated_call_runs_none_of_them) {
  skua::pool pool({.workers = 1, .policy = "strategies"});
  std::atomic<bool> ran{false};
  pool.run([&] {
    skua::isolate([&](auto& in) {
      pool.enqueue(priority{urgency::high}, [&] { ran = true; });
      in.finish([](auto& f) {
        for (int i = 0; i < 100; ++i) f.spawn(deadline{1.0 * i}, [](auto&) {});
      });
      EXPECT_FALSE(ran.load());
    });
  });
  pool.drain();
  EXPECT_TRUE(ran.load());
}

TEST(enqueue_order, a_child_of_fork_cannot_enqueue_into_its_parents_pool) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer does not follow a child of fork() with threads";
  skua::pool pool({.workers = 1, .policy = "strategies"});
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      pool.enqueue(deadline{1}, [] {});
    } catch (skua::error const&) {
      ::_exit(17);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 17);
}

/// The only worker has moved all of them to its lane, and waits for the second in the first. The test ends only if the lent thread takes tasks
/// from there.
TEST(enqueue_order, the_lent_thread_takes_tasks_from_the_lane_of_a_worker_that_waits) {
  skua::pool pool({.workers = 1, .policy = "strategies"});
  std::atomic<bool> const dies{true};
  std::atomic<int> ran{0};
  std::promise<void> answer;
  {
    busy_worker before(pool);
    pool.enqueue(mortal{1, nullptr}, [&] { answer.get_future().wait(); });
    pool.enqueue(mortal{2, &dies}, [&] { ++ran; });
    pool.enqueue(mortal{3, nullptr}, [&] { answer.set_value(); });
    before.release();
    pool.drain();
  }
  EXPECT_EQ(ran.load(), 0);
  std::uint64_t const by_the_lent_thread = skua::runtime::core_of(pool).lent()->ran();
  EXPECT_GE(by_the_lent_thread, 1U);
  EXPECT_LE(by_the_lent_thread, 2U);
}
