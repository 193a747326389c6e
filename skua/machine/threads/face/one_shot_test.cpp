// SPDX-License-Identifier: MIT
// Tasks that wait for what comes from outside: they get the value, give their worker away meanwhile, and resume on a
// worker, whoever sets the value and whenever.
#include "skua/machine/threads/face/one_shot.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::fib;
using skua::testing::this_thread_number;
using skua::testing::wait_until;

class one_shots : public skua::testing::under_every_policy {};

/// Forks down to leaves, each of which waits for a one_shot of its own; returns their sum.
long gather(skua::fork_join auto& here, std::deque<skua::one_shot<long>>& all, std::size_t first, std::size_t last) {
  if (last - first == 1) return all[first].wait(here);
  std::size_t const middle = first + (last - first) / 2;
  auto const [a, b] = here.join([&, first, middle](auto& h) { return gather(h, all, first, middle); },
                                [&, middle, last](auto& h) { return gather(h, all, middle, last); });
  return a + b;
}

/// Sets 0, 1, 2, ... in an order that depends on the seed, now and then with a pause.
void set_all(std::deque<skua::one_shot<long>>& all, std::uint64_t seed) {
  skua::runtime::dice from(seed);
  std::vector<std::size_t> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[from.below(static_cast<std::uint32_t>(i))]);
  }
  for (std::size_t const i : order) {
    if (from.below(16) == 0) std::this_thread::sleep_for(std::chrono::microseconds(from.below(200)));
    all[i].set_value(static_cast<long>(i));
  }
}

}  // namespace

TEST_P(one_shots, leaves_that_wait_for_another_thread_get_their_values) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (std::uint32_t const n : {1U, 2U, 4U}) {
      skua::pool pool(workers(n));
      std::deque<skua::one_shot<long>> all(100);
      std::thread io([&] { set_all(all, seed); });
      EXPECT_EQ(pool.run([&](auto& h) { return gather(h, all, 0, all.size()); }), 99 * 100 / 2) << "seed " << seed;
      io.join();
    }
  }
}

TEST_P(one_shots, tasks_set_what_other_tasks_wait_for) {
  for (std::uint32_t const n : {1U, 3U}) {
    skua::pool pool(workers(n));
    std::atomic<long> sum{0};
    pool.run([&](auto& h) {
      h.join_each(std::vector<int>(200), [&](auto& inner, int) {
        skua::one_shot<long> answer;  // gone as soon as the wait returns
        skua::enqueue([&answer](auto& other) { answer.set_value(fib(other, 5)); });
        sum += answer.wait(inner);
      });
    });
    EXPECT_EQ(sum.load(), 200 * 5);
  }
}

// Under TSan: a fiber finds what another fiber of its worker has offered, though nothing but their thread orders the two.
// Where the inbox comes before `spawned`, as under arms, the caller's fiber parks again while the entry waits.
TEST_P(one_shots, a_worker_finds_what_its_other_fibers_have_offered) {
  skua::pool pool(workers(1));
  skua::one_shot<> first;
  skua::one_shot<> second;
  skua::one_shot<> of_child;
  int ran = 0;
  pool.run([&](auto& h) {
    h.join(
        [&](auto& caller) {
          first.wait(caller);
          second.wait(caller);
        },
        [&](auto& child) {
          first.set_value();  // before the entry is made: nothing else may order the two
          child.join([&](auto& g) { of_child.wait(g); },
                     [&](auto&) {
                       ++ran;
                       second.set_value();
                       of_child.set_value();
                     });
        });
  });
  EXPECT_EQ(ran, 1);
}

INSTANTIATE_TEST_SUITE_P(policies, one_shots, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

TEST(one_shot, the_only_worker_runs_other_tasks_while_one_waits) {
  skua::pool pool({.workers = 1});
  skua::one_shot<> go;
  std::atomic<bool> waited{false};
  pool.enqueue([&](auto& h) {
    go.wait(h);
    waited = true;
  });
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) pool.enqueue([&](auto& h) { ran += static_cast<int>(fib(h, 5)); });
  ASSERT_TRUE(wait_until("the other tasks run", [&] { return ran.load() == 500; }));
  EXPECT_FALSE(waited.load());
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 12); }), 144) << "and calls from outside, too";
  go.set_value();
  pool.drain();
  EXPECT_TRUE(waited.load());
}

TEST(one_shot, ten_thousand_tasks_wait_at_once) {
  std::size_t const tasks = skua::runtime::under_tsan ? 200 : 10'000;
  skua::pool pool({.workers = 2});
  std::deque<skua::one_shot<int>> all(tasks);
  std::atomic<std::size_t> begun{0};
  std::atomic<long> sum{0};
  for (auto& one : all) {
    pool.enqueue([&](auto& h) {
      ++begun;
      sum += one.wait(h);
    });
  }
  ASSERT_TRUE(wait_until("all tasks wait", [&] { return begun.load() == tasks; }));
  for (auto& one : all) one.set_value(2);
  pool.drain();
  EXPECT_EQ(sum.load(), static_cast<long>(2 * tasks));
}

TEST(one_shot, a_value_that_is_there_already_needs_no_parking) {
  skua::pool pool({.workers = 1});
  pool.run([](auto& h) {
    for (int i = 0; i < 100; ++i) {
      skua::one_shot<std::string> word;
      EXPECT_FALSE(word.is_set());
      word.set_value("there");
      EXPECT_TRUE(word.is_set());
      EXPECT_EQ(word.wait(h), "there");
    }
  });
  std::uint64_t parked = 0;
  for (auto const& c : pool.counters()) parked += c.parked;
  EXPECT_EQ(parked, 0U);
}

TEST(one_shot, an_exception_reaches_the_waiter) {
  skua::pool pool({.workers = 1});
  skua::one_shot<int> answer;
  // Made here, because TSan does not see how libstdc++ counts who shares the text of an exception.
  auto const why = std::make_exception_ptr(std::runtime_error("the line is dead"));
  std::thread io([&] { answer.set_exception(why); });
  try {
    pool.run([&](auto& h) { answer.wait(h); });
    ADD_FAILURE() << "it must throw";
  } catch (std::runtime_error const& e) {
    EXPECT_STREQ(e.what(), "the line is dead");
  }
  io.join();
}

TEST(one_shot, setting_twice_and_waiting_twice_are_errors) {
  skua::one_shot<int> one;
  one.set_value(1);
  EXPECT_THROW(one.set_value(2), skua::usage_error);
  EXPECT_THROW(one.set_exception(std::make_exception_ptr(1)), skua::usage_error);
  EXPECT_EQ(one.wait(), 1);
  EXPECT_THROW(one.wait(), skua::usage_error);

  skua::pool pool({.workers = 1});
  skua::one_shot<> other;
  std::atomic<bool> waits{false};
  pool.enqueue([&](auto& h) {
    waits = true;
    other.wait(h);
  });
  wait_until("the first waiter has begun", [&] { return waits.load(); });
  // The first waiter may not have enrolled yet. Then we are the first, and it is refused.
  std::atomic<int> refused{0};
  pool.enqueue([&](auto& h) {
    try {
      other.wait(h);
    } catch (skua::usage_error const&) {
      ++refused;
      other.set_value();
    }
  });
  pool.drain();
  EXPECT_EQ(refused.load(), 1);
}

TEST(one_shot, one_without_a_value_is_set_once_or_never) {
  skua::one_shot<> one;
  one.set_value();
  EXPECT_THROW(one.set_value(), skua::usage_error);
  one.wait();
  EXPECT_THROW(one.wait(), skua::usage_error);
  skua::one_shot<> const nobody_uses_it;
}

/// Looks as soon as it is woken.
struct looks final : skua::runtime::one_shot_waiter {
  explicit looks(skua::one_shot<>& from) noexcept : one_shot_waiter{.wake = &looks::look}, source(from) {}
  static void look(one_shot_waiter& w) noexcept {
    auto& me = static_cast<looks&>(w);
    try {
      me.source.wait();
    } catch (int const what) {
      me.seen = what;
    }
  }
  skua::one_shot<>& source;
  int seen = 0;
};

TEST(one_shot, an_exception_is_there_when_the_waiter_is_woken) {
  skua::one_shot<> one;
  looks waiter(one);
  EXPECT_TRUE(one.enroll(waiter));
  one.set_exception(std::make_exception_ptr(7));
  EXPECT_EQ(waiter.seen, 7);
}

TEST(one_shot, an_exception_that_the_wait_has_thrown_is_gone) {
  auto const held = std::make_shared<int>(1);
  skua::one_shot<int> one;
  one.set_exception(std::make_exception_ptr(held));
  EXPECT_EQ(held.use_count(), 2);
  EXPECT_THROW(one.wait(), std::shared_ptr<int>);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(one_shot, a_value_that_cannot_be_made_may_be_set_again) {
  struct picky {
    explicit picky(int n) {
      if (n < 0) throw std::domain_error("negative");
      value = n;
    }
    int value = 0;
  };
  skua::one_shot<picky> one;
  EXPECT_THROW(one.set_value(-1), std::domain_error);
  EXPECT_FALSE(one.is_set());
  one.set_value(4);
  EXPECT_EQ(one.wait().value, 4);
}

TEST(one_shot, a_value_need_not_be_copied) {
  skua::one_shot<std::unique_ptr<int>> one;
  std::thread io([&] { one.set_value(std::make_unique<int>(9)); });
  EXPECT_EQ(*one.wait(), 9);  // this thread is no worker: it blocks
  io.join();
}

TEST(one_shot, a_wait_without_a_here_returns_on_the_thread_that_called_it) {
  skua::pool pool({.workers = 3});
  for (int round = 0; round < 20; ++round) {
    std::deque<skua::one_shot<long>> all(30);
    std::thread io([&] { set_all(all, static_cast<std::uint64_t>(round)); });
    std::atomic<int> moved{0};
    std::atomic<long> sum{0};
    pool.run([&](auto& h) {
      h.join_each(all, [&](auto&, skua::one_shot<long>& one) {
        auto const before = this_thread_number();
        sum += one.wait();
        if (this_thread_number() != before) ++moved;
      });
    });
    io.join();
    EXPECT_EQ(moved.load(), 0) << "round " << round;
    EXPECT_EQ(sum.load(), 29 * 30 / 2) << "round " << round;
  }
}

TEST(one_shot, joins_around_a_wait_stay_open_and_may_be_stolen) {
  // The task waits while its join has an entry that is not taken: others take it meanwhile.
  skua::pool pool({.workers = 1});
  for (int round = 0; round < 50; ++round) {
    skua::one_shot<int> one;
    auto const [a, b] = pool.run([&](auto& h) {
      return h.join([&](auto& g) { return one.wait(g); },
                    [&](auto&) {
                      one.set_value(5);  // the second child is what the first one waits for
                      return 6;
                    });
    });
    EXPECT_EQ(a, 5);
    EXPECT_EQ(b, 6);
  }
}

TEST(one_shot, joins_around_a_wait_that_ends_on_another_worker_run_each_child_once) {
  // The joins remember where their entries were. On the other worker, whose lane may have seen fewer, these places must
  // not be found again. A child that the first worker takes keeps it until the wait has ended.
  skua::pool pool({.workers = 3});
  for (int round = 0; round < 200; ++round) {
    skua::one_shot<int> one;
    std::atomic<bool> waits{false};
    std::atomic<bool> goes_on{false};
    std::atomic<std::uint32_t> first_worker{~0U};
    std::array<std::atomic<int>, 40> ran{};
    std::thread io([&] {
      waits.wait(false);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      one.set_value(7);
    });
    auto const nest = [&](auto& self, auto& h, std::size_t depth) -> int {
      if (depth == ran.size()) {
        first_worker = index(h.worker());
        waits = true;
        waits.notify_all();
        int const value = one.wait(h);
        goes_on = true;
        return value;
      }
      auto const child = [&](auto& g) {
        while (index(g.worker()) == first_worker && !goes_on) std::this_thread::yield();
        return ++ran.at(depth);
      };
      return std::get<0>(h.join([&](auto& g) { return self(self, g, depth + 1); }, child));
    };
    // The fiber of a caller in a worker's place would never move, so another one takes the nest.
    std::atomic<bool> taken{false};
    auto const [none, value] = pool.run([&](auto& h) {
      return h.join(
          [&](auto&) {
            taken.wait(false);
            return 0;
          },
          [&](auto& g) {
            taken = true;
            taken.notify_all();
            return nest(nest, g, 0);
          });
    });
    EXPECT_EQ(none + value, 7);
    io.join();
    for (auto const& times : ran) EXPECT_EQ(times.load(), 1) << "round " << round;
  }
}

TEST(one_shot, more_callers_than_workers_may_wait) {
  skua::pool pool({.workers = 1});
  constexpr std::size_t callers = 6;
  std::deque<skua::one_shot<std::size_t>> all(callers);
  std::vector<std::thread> users;
  std::atomic<int> wrong{0};
  for (std::size_t u = 0; u < callers; ++u) {
    users.emplace_back([&, u] {
      pool.run([&](auto& h) {
        all[(u + 1) % callers].set_value(u);  // each sets what its neighbour waits for
        if (all[u].wait(h) != (u + callers - 1) % callers) ++wrong;
      });
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(one_shot, the_waiter_may_destroy_it_as_soon_as_it_goes_on) {
  constexpr int rounds = 2000;
  std::atomic<skua::one_shot<int>*> asked{nullptr};
  std::thread io([&] {
    skua::runtime::dice from(7);
    for (int i = 0; i < 2 * rounds; ++i) {
      skua::one_shot<int>* one = nullptr;
      while ((one = asked.exchange(nullptr, std::memory_order_acquire)) == nullptr) std::this_thread::yield();
      for (std::uint32_t spins = from.below(200); spins > 0; --spins) skua::runtime::relax();
      one->set_value(i);
    }
  });
  skua::pool pool({.workers = 1});
  int wrong = 0;
  pool.run([&](auto& h) {
    for (int i = 0; i < rounds; ++i) {
      auto const one = std::make_unique<skua::one_shot<int>>();
      asked.store(one.get(), std::memory_order_release);
      if (one->wait(h) != i) ++wrong;
    }
  });
  for (int i = rounds; i < 2 * rounds; ++i) {  // the same for a thread that blocks
    auto const one = std::make_unique<skua::one_shot<int>>();
    asked.store(one.get(), std::memory_order_release);
    if (one->wait() != i) ++wrong;
  }
  io.join();
  EXPECT_EQ(wrong, 0);
}

// Under TSan: what a task does with what belongs to its worker's number is there for the worker's other tasks, also if one
// of them has forked meanwhile. Under arms the caller's fiber continues while the child waits.
TEST(one_shot, what_belongs_to_a_worker_passes_from_task_to_task) {
  skua::pool pool({.workers = 1, .policy = "arms"});
  skua::one_shot<> of_caller;
  skua::one_shot<> of_child;
  std::array<int, 1> uses{};  // by worker
  pool.run([&](auto& h) {
    h.join(
        [&](auto& caller) {
          of_caller.wait(caller);
          caller.join([](auto&) {}, [](auto&) {});
          ++uses.at(index(caller.worker()));
          of_child.set_value();
        },
        [&](auto& child) {
          of_caller.set_value();
          ++uses.at(index(child.worker()));
          of_child.wait(child);
          ++uses.at(index(child.worker()));
        });
  });
  EXPECT_EQ(uses.at(0), 3);
}

TEST(one_shot, setters_from_many_threads_race_with_waits_that_begin) {
  skua::pool pool({.workers = 2});
  for (int round = 0; round < 300; ++round) {
    auto one = std::make_unique<skua::one_shot<int>>();
    std::atomic<int> firsts{0};
    std::atomic<int> ready{0};
    auto* const shared = one.get();
    std::vector<std::thread> setters;
    std::atomic<int> tried{0};
    for (int t = 0; t < 2; ++t) {
      setters.emplace_back([&, t] {
        ++ready;
        while (ready.load() < 3) {}
        try {
          shared->set_value(t);
          ++firsts;
        } catch (skua::usage_error const&) {}
        ++tried;
      });
    }
    int const got = pool.run([&](auto& h) {
      ++ready;
      int const value = shared->wait(h);
      while (tried.load() < 2) std::this_thread::yield();  // the loser may still be about to find that out
      one.reset();
      return value;
    });
    for (auto& t : setters) t.join();
    EXPECT_EQ(firsts.load(), 1);
    EXPECT_TRUE(got == 0 || got == 1);
  }
}
