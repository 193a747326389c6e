// SPDX-License-Identifier: MIT
// Finish regions on threads, under every policy: each task runs once before its region ends, on whichever worker; exceptions,
// stops and dead tasks; regions within tasks, joins and scopes; memory and stacks.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/program/serial.hpp"
#include "skua/program/strategy/finish.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::wait_until;

constexpr bool slow = skua::runtime::under_tsan || skua::runtime::under_asan;

class finish_regions : public skua::testing::under_every_policy {};

/// Spawns up to four more of its kind, with strategies of several types, and counts all of them.
void grow(auto& f, std::atomic<long>& ran, skua::runtime::dice from, int depth) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (depth == 0) return;
  for (std::uint32_t children = from.below(5); children > 0; --children) {
    skua::runtime::dice const next(from.next());
    auto task = [&ran, next, depth](auto& g) { grow(g, ran, next, depth - 1); };
    switch (children) {
      case 1: f.spawn(task); break;
      case 2: f.spawn(skua::strategies::order{static_cast<double>(depth), -static_cast<double>(depth)}, task); break;
      case 3: f.spawn(skua::strategies::breadth_first{}, task); break;
      default: f.spawn(skua::strategies::weighted{static_cast<double>(1 << depth)}, task); break;
    }
  }
}
long grown(skua::runtime::dice from, int depth) {
  skua::serial here;
  std::atomic<long> ran{0};
  here.finish([&](auto& f) { grow(f, ran, from, depth); });
  return ran.load(std::memory_order_relaxed);
}

}  // namespace

TEST_P(finish_regions, every_task_runs_once_before_its_region_ends) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    skua::runtime::dice const from(seed);
    int const depth = slow ? 8 : 12;
    long const expected = grown(from, depth);
    for (std::uint32_t const n : {1U, 2U, 4U}) {
      skua::pool pool(workers(n));
      std::atomic<long> ran{0};
      pool.run([&](auto& here) { here.finish([&](auto& f) { grow(f, ran, from, depth); }); });
      EXPECT_EQ(ran.load(std::memory_order_relaxed), expected) << n << " workers";
    }
  }
}

/// On one worker: an inner region's owner waits for its task y, but z of the outer region comes before y.
std::string order_of_nested_regions(auto& here) {
  std::string order;
  here.finish([&](auto& f) {
    f.spawn(skua::strategies::order{5, 5}, [&](auto& g) {
      order += 'x';
      g.here().finish([&](auto& inner) { inner.spawn(skua::strategies::order{10, 10}, [&](auto&) { order += 'y'; }); });
      order += 'X';
    });
    f.spawn(skua::strategies::order{7, 7}, [&](auto&) { order += 'z'; });
  });
  return order;
}

TEST(finish_order, owner_runs_its_own_tasks_only_while_they_come_first) {
  skua::pool pool({.workers = 1, .policy = "strategies"});
  EXPECT_EQ(pool.run([](auto& here) { return order_of_nested_regions(here); }), "xzyX");
}

TEST_P(finish_regions, body_s_value_is_returned_after_the_tasks) {
  skua::pool pool(workers(2));
  std::atomic<int> ran{0};
  int const value = pool.run([&](auto& here) {
    return here.finish([&](auto& f) {
      for (int i = 0; i < 100; ++i) f.spawn([&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
      return 7;
    });
  });
  EXPECT_EQ(value, 7);
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 100);
}

TEST_P(finish_regions, tasks_fork_join_and_open_regions) {
  skua::pool pool(workers(3));
  std::atomic<long> sum{0};
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 20; ++i) {
        f.spawn(skua::strategies::order{static_cast<double>(i)}, [&](auto& g) {
          sum.fetch_add(fib(g.here(), 12), std::memory_order_relaxed);
          g.here().finish([&](auto& inner) {
            for (int k = 0; k < 5; ++k) {
              inner.spawn([&](auto&) { sum.fetch_add(1, std::memory_order_relaxed); });
              g.spawn([&](auto&) { sum.fetch_add(1000, std::memory_order_relaxed); });
            }
          });
        });
      }
    });
  });
  EXPECT_EQ(sum.load(std::memory_order_relaxed), 20 * (144 + 5 + 5000));
}

TEST_P(finish_regions, regions_inside_of_joins_and_scopes_end) {
  skua::pool pool(workers(4));
  std::atomic<long> ran{0};
  auto const region = [&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 50; ++i) f.spawn([&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
    });
  };
  pool.run([&](auto& here) {
    for (int round = 0; round < 20; ++round) {
      here.join(region, region, region);
      here.scope([&](auto& s) {
        for (int i = 0; i < 3; ++i) s.spawn(region);
      });
    }
  });
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 20 * 6 * 50);
}

TEST_P(finish_regions, first_exception_is_rethrown_after_all_tasks) {
  skua::pool pool(workers(2));
  std::atomic<int> inside{0};
  auto const fails = [&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 200; ++i) {
        f.spawn([&inside, i](auto&) {
          inside.fetch_add(1, std::memory_order_relaxed);
          if (i == 100) throw std::runtime_error("task 100");
          inside.fetch_sub(1, std::memory_order_relaxed);
        });
      }
    });
  };
  try {
    pool.run(fails);
    FAIL() << "nothing was thrown";
  } catch (std::runtime_error const& e) {
    EXPECT_STREQ(e.what(), "task 100");
  }
  EXPECT_EQ(inside.load(std::memory_order_relaxed), 1);
}

TEST_P(finish_regions, body_s_exception_waits_for_tasks_that_run) {
  skua::pool pool(workers(2));
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  auto const fails = [&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 50; ++i) {
        f.spawn([&](auto&) {
          begun.fetch_add(1, std::memory_order_relaxed);
          ended.fetch_add(1, std::memory_order_relaxed);
        });
      }
      throw std::logic_error("body");
    });
  };
  EXPECT_THROW(pool.run(fails), std::logic_error);
  EXPECT_EQ(begun.load(std::memory_order_relaxed), ended.load(std::memory_order_relaxed));
}

TEST_P(finish_regions, stop_drops_tasks_and_the_region_says_so) {
  skua::pool pool(workers(2));
  std::stop_source stop;
  std::atomic<int> ran{0};
  auto const stopped = [&](auto& here) {
    here.with_stop(stop.get_token(), [&](auto& inside) {
      inside.finish([&](auto& f) {
        for (int i = 0; i < 1000; ++i) {
          f.spawn([&](auto&) {
            ran.fetch_add(1, std::memory_order_relaxed);
            stop.request_stop();
          });
        }
      });
    });
  };
  EXPECT_THROW(pool.run(stopped), skua::cancelled);
  EXPECT_GE(ran.load(std::memory_order_relaxed), 1);
  EXPECT_LT(ran.load(std::memory_order_relaxed), 1000);
}

TEST_P(finish_regions, closures_are_destroyed_before_the_region_ends) {
  skua::pool pool(workers(3));
  auto const alive = std::make_shared<int>(0);
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 500; ++i) f.spawn([alive](auto&) {});
    });
    EXPECT_EQ(alive.use_count(), 1);
  });
}

TEST_P(finish_regions, threads_from_outside_open_regions_at_once) {
  skua::pool pool(workers(2));
  std::atomic<long> ran{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([&] {
      for (int round = 0; round < (slow ? 20 : 200); ++round) {
        pool.run([&](auto& here) {
          here.finish([&](auto& f) {
            for (int i = 0; i < 10; ++i) f.spawn([&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
          });
        });
      }
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 4 * (slow ? 20 : 200) * 10);
}

TEST_P(finish_regions, isolated_region_ends_without_other_workers) {
  skua::pool pool(workers(1));
  int ran = 0;
  pool.run([&](auto& here) {
    skua::isolate([&] {
      here.finish([&](auto& f) {
        for (int i = 0; i < 10; ++i) {
          f.spawn([&](auto& g) {
            ++ran;
            g.spawn([&](auto&) { ++ran; });
          });
        }
      });
    });
  });
  EXPECT_EQ(ran, 20);
}

INSTANTIATE_TEST_SUITE_P(policies, finish_regions, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

namespace {

skua::pool_options strategies(std::uint32_t n) { return {.workers = n, .policy = "checked:strategies"}; }

}  // namespace

TEST(strategies_on_threads, one_worker_runs_tasks_in_the_order_of_the_serial_region) {
  auto const program = [](auto& here) {
    std::vector<int> ran;
    here.finish([&](auto& f) {
      skua::runtime::dice roll(3);
      for (int i = 0; i < 300; ++i) {
        double const key = static_cast<double>(roll.below(1'000'000));
        f.spawn(skua::strategies::deadline{key}, [&ran, i](auto& g) {
          ran.push_back(i);
          if (i % 3 == 0) g.spawn(skua::strategies::deadline{1e6 + i}, [&ran, i](auto&) { ran.push_back(1000 + i); });
        });
      }
    });
    return ran;
  };
  skua::serial alone;
  skua::pool pool(strategies(1));
  EXPECT_EQ(pool.run([&](auto& here) { return program(here); }), program(alone));
}

TEST(strategies_on_threads, lifo_option_ignores_strategies) {
  skua::pool pool({.workers = 1, .policy = "checked:strategies:lifo"});
  std::vector<int> ran;
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 5; ++i)
        f.spawn(skua::strategies::deadline{static_cast<double>(i)}, [&ran, i](auto&) { ran.push_back(i); });
    });
  });
  EXPECT_EQ(ran, (std::vector{4, 3, 2, 1, 0}));
  EXPECT_EQ(pool.counters()[0].conversions, 0U);
}

TEST(strategies_on_threads, thief_takes_what_its_order_prefers) {
  skua::pool pool(strategies(2));
  std::atomic<int> first_stolen{-1};
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      skua::worker_id const mine = here.worker();
      for (int i = 0; i < 10; ++i) {
        f.spawn(skua::strategies::order{.local = static_cast<double>(i), .steal = -static_cast<double>(i)},
                [&, i, mine](auto& g) {
                  int none = -1;
                  if (g.here().worker() != mine)
                    first_stolen.compare_exchange_strong(none, i, std::memory_order_relaxed);
                });
      }
      // The body keeps its worker; so the other one must steal.
      EXPECT_TRUE(
          wait_until("the other worker steals", [&] { return first_stolen.load(std::memory_order_relaxed) >= 0; }));
    });
  });
  // The thief may have come while tasks were still being spawned, but never takes one that a better one was beside.
  EXPECT_GE(first_stolen.load(std::memory_order_relaxed), 0);
}

namespace {

struct counted_call {
  double weight;
  bool may;
  [[nodiscard]] double transitive_weight() const { return weight; }
  [[nodiscard]] bool allow_call_conversion() const { return may; }
};

/// A task that spawns the next one, `left` times.
void chain_of(auto& f, auto& ran, auto strategy, int left) {
  ran.fetch_add(1, std::memory_order_relaxed);
  if (left > 0) f.spawn(strategy, [&ran, strategy, left](auto& g) { chain_of(g, ran, strategy, left - 1); });
}

std::uint64_t conversions_of(bool may, double weight, int spawns) {
  skua::pool pool(strategies(1));
  std::atomic<int> ran{0};
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      // On the pool's own stack: a call from outside converts nothing.
      f.spawn([&](auto& g) {
        for (int i = 0; i < spawns; ++i)
          g.spawn(counted_call{weight, may}, [&](auto&) { ran.fetch_add(1, std::memory_order_relaxed); });
      });
    });
  });
  EXPECT_EQ(ran.load(std::memory_order_relaxed), spawns);
  return pool.counters()[0].conversions;
}

}  // namespace

TEST(strategies_on_threads, spawns_are_calls_where_the_queue_is_long_and_the_task_light) {
  EXPECT_EQ(conversions_of(false, 1, 100), 0U);
  // 99 <= queued^2 from ten waiting tasks on.
  EXPECT_EQ(conversions_of(true, 99, 100), 90U);
  EXPECT_EQ(conversions_of(true, 1e9, 100), 0U);
}

TEST(finish, every_spawn_is_counted) {
  for (char const* const policy : {"checked:random", "checked:strategies"}) {
    skua::pool pool({.workers = 2, .policy = policy});
    for (int time = 1; time <= 2; ++time) {
      pool.run([&](auto& here) {
        here.finish([&](auto& f) {
          for (int i = 0; i < 5; ++i) f.spawn([](auto& g) { g.spawn([](auto&) {}); });
        });
      });
      auto const all = pool.counters();
      EXPECT_EQ(all[0].spawns + all[1].spawns, 10U * static_cast<unsigned>(time)) << policy;
    }
  }
}

TEST(strategies_on_threads, deep_chain_of_calls_does_not_exhaust_the_stack) {
  skua::pool pool(strategies(1));
  std::atomic<int> ran{0};
  constexpr int links = slow ? 20'000 : 500'000;
  pool.run([&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 3; ++i) f.spawn(skua::strategies::order{1}, [&](auto&) {});  // so that the queue is not empty
      f.spawn(skua::strategies::order{0}, [&](auto& g) { chain_of(g, ran, counted_call{1, true}, links); });
    });
  });
  EXPECT_EQ(ran.load(std::memory_order_relaxed), links + 1);
}

TEST(strategies_on_threads, dead_tasks_are_dropped_and_counted_and_the_region_ends) {
  struct dies {
    std::atomic<int> const* limit;
    int cost;
    [[nodiscard]] bool is_dead() const { return cost > limit->load(std::memory_order_relaxed); }
    [[nodiscard]] bool prioritize(dies const& other, skua::strategies::requester const&) const {
      return cost < other.cost;
    }
  };
  for (std::uint32_t const n : {1U, 3U}) {
    skua::pool pool(strategies(n));
    std::atomic<int> limit{1000};
    std::atomic<int> ran{0};
    auto const alive = std::make_shared<int>(0);
    pool.run([&](auto& here) {
      here.finish([&](auto& f) {
        for (int i = 0; i < 1000; ++i) {
          f.spawn(dies{&limit, i}, [&, alive](auto&) {
            limit.store(99, std::memory_order_relaxed);
            ran.fetch_add(1, std::memory_order_relaxed);
          });
        }
      });
    });
    std::uint64_t dead = 0;
    for (auto const& c : pool.counters()) dead += c.dead;
    EXPECT_EQ(ran.load(std::memory_order_relaxed) + static_cast<int>(dead), 1000);
    EXPECT_GE(dead, n == 1 ? 900U : 1U);
    EXPECT_EQ(alive.use_count(), 1);
  }
}

TEST(strategies_on_threads, many_short_lived_tasks_need_little_memory) {
  skua::pool pool(strategies(2));
  auto const resident_kib = [] {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
  };
  constexpr int live = 1000;
  constexpr int chains = slow ? 20 : 1000;
  std::atomic<long> ran{0};
  auto const run = [&](int length) {
    pool.run([&](auto& here) {
      here.finish([&](auto& f) {
        for (int i = 0; i < live; ++i)
          f.spawn([&ran, length](auto& g) { chain_of(g, ran, skua::strategies::breadth_first{}, length); });
      });
    });
  };
  run(20);
  long const before = resident_kib();
  run(chains);
  if (!slow) {
    EXPECT_LE(resident_kib() - before, 2000);
  }
  EXPECT_EQ(ran.load(std::memory_order_relaxed), live * (20L + chains + 2));
}

TEST(strategies_on_threads, spawned_tasks_reach_workers_that_sleep) {
  skua::pool pool(strategies(4));
  for (int round = 0; round < (slow ? 5 : 30); ++round) {
    std::atomic<int> inside{0};
    pool.run([&](auto& here) {
      here.finish([&](auto& f) {
        for (int i = 0; i < 2; ++i) {
          f.spawn([&](auto&) {
            inside.fetch_add(1, std::memory_order_relaxed);
            EXPECT_TRUE(wait_until("the other task runs", [&] { return inside.load(std::memory_order_relaxed) == 2; }));
          });
        }
      });
    });
    if (round % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

TEST(strategies_on_threads, regions_of_other_policies_nest_both_ways) {
  skua::pool pool({.workers = 3, .policy = "adws"});
  auto const inner = pool.open_region("strategies");
  std::atomic<long> ran{0};
  auto const search = [&](auto& here) {
    here.finish([&](auto& f) {
      for (int i = 0; i < 100; ++i) {
        f.spawn(skua::strategies::order{static_cast<double>(i)},
                [&](auto& g) { ran.fetch_add(fib(g.here(), 5), std::memory_order_relaxed); });
      }
    });
  };
  for (int round = 0; round < 20; ++round) {
    pool.run([&](auto& here) {
      here.join([&](auto&) { inner.run(search); },
                [&](auto& h) { ran.fetch_add(fib(h, 10), std::memory_order_relaxed); }, search);
    });
  }
  EXPECT_EQ(ran.load(std::memory_order_relaxed), 20 * (100 * 5 + 55 + 100 * 5));
}
