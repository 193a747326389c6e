// SPDX-License-Identifier: MIT
// A task's exception reaches its join, once; nothing leaks; the pool survives. A stop ends what it should. Under every
// policy, because a dropped task may lie in any lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <numeric>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/random_program.hpp"
#include "tests/programs/random_runs.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::patience;
using skua::testing::random_program;
using skua::testing::thrown;
using skua::testing::wait_until;

struct setup {
  std::string policy;
  std::uint32_t workers;
  std::optional<std::string> machine = {};

  /// False if idle workers do not steal on their own. Then two children may never run at the same time, and a program
  /// whose children wait for each other need not end, just like its serial elision.
  [[nodiscard]] bool thieves_come() const { return policy != "adws:no-steal" && policy != "only:replay"; }
};

std::vector<setup> every_policy() {
  std::vector<std::string> names = skua::testing::whole_policies();
  names.insert(names.end(), {"adws:no-steal", "replay:relaxed=1000000"});
  std::vector<setup> all;
  for (auto const& name : names) {
    for (std::uint32_t const workers : {1U, 2U, 5U}) all.push_back({name, workers});
    all.push_back({name, 8, "package:2 numa:1 l3:2 core:2 pu:1"});
  }
  return all;
}

/// The setups under which that many children run at the same time, so that they may wait for each other.
std::vector<setup> where_run_at_once(std::uint32_t children) {
  std::vector<setup> all = every_policy();
  std::erase_if(all, [=](setup const& s) { return s.workers < children || !s.thieves_come(); });
  return all;
}

class failures : public ::testing::TestWithParam<setup> {
 protected:
  /// The random program of a seed; every second one gives hints.
  random_program program_of(std::uint64_t seed) { return random_program(seed, 4, seed % 2 == 0 ? pool_.places() : 0); }
  /// The serial answer of the program, and its number of tasks.
  std::pair<std::uint64_t, long> serial_answer(std::uint64_t seed) {
    random_program reference = program_of(seed);
    skua::serial alone;
    auto const answer = reference(alone);
    return {answer, reference.tasks()};
  }

  skua::pool pool_{
      {.workers = GetParam().workers, .policy = "checked:" + GetParam().policy, .topology = GetParam().machine}};
};

std::string name_of(::testing::TestParamInfo<setup> const& p) {
  std::string name = p.param.policy + "_" + std::to_string(p.param.workers);
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

/// Failures among children of which two, or three, must run at the same time.
class failures_among_two : public failures {};
class failures_among_three : public failures {};

INSTANTIATE_TEST_SUITE_P(every_policy, failures, ::testing::ValuesIn(every_policy()), name_of);
INSTANTIATE_TEST_SUITE_P(policies, failures_among_two, ::testing::ValuesIn(where_run_at_once(2)), name_of);
INSTANTIATE_TEST_SUITE_P(policies, failures_among_three, ::testing::ValuesIn(where_run_at_once(3)), name_of);

TEST_P(failures, an_exception_of_any_task_of_a_random_program_arrives) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    auto const [expected, tasks] = serial_answer(seed);
    for (long k = 1; k <= tasks; k += 1 + tasks / 17) {
      random_program program = program_of(seed);
      program.throw_from(k);
      EXPECT_THROW(pool_.run([&](auto& h) { return program(h); }), thrown) << "seed " << seed << " task " << k;
      EXPECT_EQ(program.living(), 0) << "seed " << seed << " task " << k;
    }
    random_program again = program_of(seed);
    EXPECT_EQ(pool_.run([&](auto& h) { return again(h); }), expected) << "seed " << seed;
  }
}

TEST_P(failures, a_stop_from_a_random_task_of_a_random_program_drops_tasks_and_no_signal) {
  std::uint64_t const seed = skua::testing::fresh_seed();
  SCOPED_TRACE(skua::testing::command_line_of(seed));
  skua::runtime::dice roll(seed);
  for (int round = 0; round < 200; ++round) {
    std::uint64_t const tree = roll.next() >> 1;
    auto const [expected, tasks] = serial_answer(tree);
    long const k = 1 + roll.below(static_cast<std::uint32_t>(tasks));
    random_program program = program_of(tree);
    std::stop_source source;
    program.stop_at(k, source);
    std::optional<std::uint64_t> answer;
    try {
      answer = pool_.run([&](auto& h) { return h.with_stop(source.get_token(), [&](auto& g) { return program(g); }); });
    } catch (skua::cancelled const&) {}
    EXPECT_TRUE(source.stop_requested()) << "round " << round << " task " << k;
    EXPECT_EQ(answer.value_or(expected), expected) << "round " << round << " task " << k;
    EXPECT_EQ(program.living(), 0) << "round " << round << " task " << k;
  }
}

TEST_P(failures, the_second_childs_exception_arrives) {
  EXPECT_THROW(pool_.run([](auto& h) { h.join([](auto&) {}, [](auto&) { throw thrown("second"); }); }), thrown);
}

TEST_P(failures, one_of_many_arrives) {
  std::vector<int> cells(100);
  std::iota(cells.begin(), cells.end(), 0);
  for (int bad : {0, 1, 57, 99}) {
    EXPECT_THROW(pool_.run([&](auto& h) {
      h.join_each(cells, [bad](auto&, int c) {
        if (c == bad) throw thrown("each");
      });
    }),
                 thrown);
  }
}

void wait_for_the_failure(skua::fork_join auto& here) {
  wait_until("a running task sees that another task has failed", [&] { return here.stop_requested(); });
}

TEST_P(failures_among_two, a_running_sibling_sees_the_failure) {
  // The child that throws waits until its sibling runs; the sibling runs until it sees the failure.
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> running{false};
    EXPECT_THROW(pool_.run([&](auto& h) {
      h.join(
          [&](auto&) {
            wait_until("a sibling runs on another worker", [&] { return running.load(); });
            throw thrown("first");
          },
          [&](auto& g) {
            running.store(true);
            wait_for_the_failure(g);
          });
    }),
                 thrown);
  }
}

/// A stolen child throws while the owner's part runs. That part ends when it notices the failure, and the exception
/// arrives.
template <class Start>
void throw_from_the_stolen_half(skua::pool& pool, Start const& start) {
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(pool.run([&](auto& h) { start(h, [](auto&) { throw thrown("stolen"); }); }), thrown);
  }
}

TEST_P(failures_among_two, the_owner_sees_a_stolen_siblings_failure) {
  throw_from_the_stolen_half(pool_,
                             [](auto& h, auto&& fails) { h.join([](auto& g) { wait_for_the_failure(g); }, fails); });
}

TEST_P(failures_among_two, the_owners_forks_end_when_a_stolen_sibling_fails) {
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    h.join(
        [](auto& g) {
          patience until("a fork of the owner notices that its sibling has failed");
          while (until.lasts()) {
            for (int i = 0; i < 1000; ++i) g.join([](auto&) {}, [](auto&) {});
          }
        },
        fails);
  });
}

TEST_P(failures_among_two, the_first_of_many_sees_the_failure_of_a_stolen_one) {
  throw_from_the_stolen_half(
      pool_, [](auto& h, auto&& fails) { h.join([](auto& g) { wait_for_the_failure(g); }, [](auto&) {}, fails); });
}

TEST_P(failures_among_three, a_stolen_grandchild_sees_the_failure_of_its_parents_sibling) {
  // The parent waits for the grandchild; the sibling of the parent fails.
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    std::atomic<bool> grandchild_runs{false};
    h.join(
        [&](auto& g) {
          g.join([&](auto&) { wait_until("the grandchild is stolen", [&] { return grandchild_runs.load(); }); },
                 [&](auto& k) {
                   grandchild_runs.store(true);
                   wait_for_the_failure(k);
                 });
        },
        [&](auto& g) {
          wait_until("the grandchild is stolen", [&] { return grandchild_runs.load(); });
          fails(g);
        });
  });
}

struct set_at_end {
  std::atomic<bool>& flag;
  ~set_at_end() { flag = true; }
};

/// Calls f(here, release) while every other worker is busy, until f calls release().
template <class F>
void while_others_are_busy(skua::fork_join auto& here, std::uint32_t workers, F const& f) {
  std::atomic<std::uint32_t> busy{0};
  std::atomic<bool> released{false};
  here.scope([&](auto& s) {
    for (std::uint32_t other = 1; other < workers; ++other) {
      s.spawn([&](auto&) {
        ++busy;
        wait_until("the other workers are released", [&] { return released.load(); });
      });
    }
    wait_until("every other worker is busy", [&] { return busy == workers - 1; });
    set_at_end const at_end{released};
    f(here, [&] { released = true; });
  });
}

/// A join is stolen after a scope was opened inside it, and its stolen half fails. In the scope the owner calls
/// meanwhile(here, heard) once a child of the scope runs elsewhere; the child ends when it sees the failure.
template <class Meanwhile>
void fail_around_a_scope(skua::pool& pool, std::uint32_t workers, Meanwhile const& meanwhile) {
  throw_from_the_stolen_half(pool, [&](auto& h, auto&& fails) {
    while_others_are_busy(h, workers, [&](auto& g, auto const& release) {
      std::atomic<bool> runs{false};
      std::atomic<bool> heard{false};
      auto const wait_for_the_child = [&] { wait_until("a scope's child is stolen", [&] { return runs.load(); }); };
      g.join(
          [&](auto& k) {
            k.scope([&](auto& s) {
              s.spawn([&](auto& child) {
                runs = true;
                wait_for_the_failure(child);
                heard = true;
              });
              release();
              wait_for_the_child();
              meanwhile(k, heard);
            });
          },
          [&](auto& k) {
            release();  // replay may have sent the first child to a worker that is busy
            wait_for_the_child();
            fails(k);
          });
    });
  });
}

TEST_P(failures_among_three, a_scopes_child_sees_a_failure_around_the_scope_while_the_owner_waits) {
  fail_around_a_scope(pool_, GetParam().workers, [](auto&, auto&) {});
}

TEST_P(failures_among_three, a_scopes_child_sees_a_failure_around_the_scope_while_the_owner_asks) {
  fail_around_a_scope(pool_, GetParam().workers, [](auto& h, std::atomic<bool> const& heard) {
    wait_until("the scope's child sees the failure that its owner sees", [&] { return h.stop_requested() && heard; });
  });
}

TEST_P(failures_among_three, a_scopes_child_sees_a_failure_around_the_scope_while_the_owner_forks) {
  fail_around_a_scope(pool_, GetParam().workers, [](auto& h, std::atomic<bool> const& heard) {
    wait_until("the scope's child sees the failure that its owner's forks notice", [&] {
      try {
        h.join([](auto&) {}, [](auto&) {});
      } catch (skua::cancelled const&) {}  // stays in the body: the scope is not abandoned
      return heard.load();
    });
  });
}

TEST_P(failures_among_three, a_groups_child_sees_a_failure_around_the_group) {
  throw_from_the_stolen_half(pool_, [&](auto& h, auto&& fails) {
    std::vector<int> const both{0, 1};
    std::atomic<int> running{0};
    h.join(
        [&](auto& g) {
          g.join_each(both, [&](auto& k, int) {
            ++running;
            wait_for_the_failure(k);
          });
        },
        [&](auto& g) {
          wait_until("both children of the group run", [&] { return running == 2; });
          fails(g);
        });
  });
}

TEST_P(failures_among_two, a_scopes_body_sees_the_failure_of_a_stolen_child) {
  throw_from_the_stolen_half(pool_, [](auto& h, auto&& fails) {
    h.scope([&](auto& s) {
      s.spawn(fails);
      wait_for_the_failure(h);
    });
  });
}

TEST_P(failures, a_failure_that_arrived_stops_nobody_else) {
  // A stolen join that failed is forgotten when it has ended.
  auto const sum = pool_.run([](auto& h) {
    long good = 0;
    for (int i = 0; i < 300; ++i) {
      try {
        h.join([](auto& g) { g.join([](auto&) { std::this_thread::yield(); }, [](auto&) {}); },
               [](auto&) { throw thrown("again"); });
      } catch (thrown const&) {
        auto [a, b] =
            h.join([](auto& g) { return std::get<0>(g.join([](auto&) { return 1; }, [](auto&) { return 2; })); },
                   [](auto&) { return 3; });
        good += a + b;
      }
      if (h.stop_requested()) return -1L;
    }
    return good;
  });
  EXPECT_EQ(sum, 300 * 4);
}

TEST_P(failures, a_stop_requested_at_a_random_moment_ends_the_run) {
  auto forever = [](auto& h) {
    patience until("a fork notices that the run is stopped");
    while (until.lasts()) {
      for (int i = 0; i < 1000; ++i) h.join([](auto&) {}, [](auto&) {});
    }
  };
  std::uint64_t const seed = skua::testing::fresh_seed();
  SCOPED_TRACE(skua::testing::command_line_of(seed));
  skua::runtime::dice roll(seed);
  for (int round = 0; round < 10; ++round) {
    std::stop_source source;
    std::thread stopper([&source, after = std::chrono::microseconds(roll.below(1 << roll.below(11)))] {
      std::this_thread::sleep_for(after);
      source.request_stop();
    });
    EXPECT_THROW(
        pool_.run([&](auto& h) { h.with_stop(source.get_token(), [&](auto& g) { g.join(forever, forever); }); }),
        skua::cancelled);
    stopper.join();
  }
  EXPECT_EQ(pool_.run([](auto&) { return 1; }), 1);
}

TEST_P(failures, a_stop_beforehand_runs_nothing) {
  std::stop_source source;
  source.request_stop();
  bool ran = false;
  EXPECT_THROW(pool_.run([&](auto& h) { h.with_stop(source.get_token(), [&](auto&) { ran = true; }); }),
               skua::cancelled);
  EXPECT_FALSE(ran);
}

TEST_P(failures, a_token_that_is_never_stopped_changes_nothing) {
  std::stop_source source;
  auto const sum = pool_.run([&](auto& h) {
    return h.with_stop(source.get_token(), [](auto& g) {
      auto [a, b] = g.join([](auto&) { return 1; }, [](auto&) { return 2; });
      return a + b;
    });
  });
  EXPECT_EQ(sum, 3);
}

TEST_P(failures, a_join_in_a_handler_may_wait) {
  // The frame is suspended inside a catch block and may resume on another worker; the exception must still be there.
  for (int round = 0; round < 50; ++round) {
    auto const message = pool_.run([](auto& h) -> std::string {
      try {
        throw thrown("outer");
      } catch (thrown const&) {
        h.join([](auto& g) { g.join([](auto&) {}, [](auto&) {}); },
               [](auto&) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
        try {
          throw;
        } catch (thrown const& again) {
          return again.what();
        }
      }
    });
    EXPECT_EQ(message, "outer");
  }
}

}  // namespace
