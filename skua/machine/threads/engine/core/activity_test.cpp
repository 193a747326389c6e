// SPDX-License-Identifier: MIT
// What a worker's time counts as: a task that goes on works, however it has waited; a worker that finds nothing, or sleeps,
// is idle. (README.md)
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

using skua::testing::wait_until;

std::uint64_t work_of(pool const& p, worker_id w) { return p.counters()[index(w)].work_ns; }
std::uint64_t idle_of(pool const& p, worker_id w) { return p.counters()[index(w)].idle_ns; }
/// What `w` has worked and no longer does. As of a moment to come, because readings of one that has passed are estimates
/// (time_account.hpp), and now has passed for a reader who loses the processor before it reads.
std::uint64_t past_work_of(pool const& p, worker_id w) {
  return p.counters(std::chrono::steady_clock::now() + std::chrono::hours(1))[index(w)].work_ns;
}

/// For a task. Callers are timed once their times have been read.
void expect_works(pool const& p, auto& here) {
  std::uint64_t const before = work_of(p, here.worker());
  wait_until("the task's time counts as work", [&] { return work_of(p, here.worker()) > before; });
}
/// For a worker that is about to have nothing to do.
void expect_idles(pool const& p, worker_id w) {
  auto const await_more = [&] {
    std::uint64_t const before = idle_of(p, w);
    wait_until("the worker's time counts as idle", [&] { return idle_of(p, w) > before; });
  };
  await_more();
  std::uint64_t const worked = past_work_of(p, w);
  await_more();
  EXPECT_EQ(past_work_of(p, w), worked);
}
template <class Body>
void run_observed(pool& p, Body&& body) {
  static_cast<void>(p.counters());
  p.run(body);
}
worker_id other(auto& here) { return worker_id{1 - index(here.worker())}; }

/// child(here) on the other worker, while this one waits for it.
void beside(auto& h, auto&& child) {
  std::atomic<bool> is_stolen{false};
  h.join([&](auto&) { wait_until("the other worker comes", [&] { return is_stolen.load(); }); },
         [&](auto& inner) {
           is_stolen = true;
           child(inner);
         });
}

TEST(activity, of_a_task_is_work_after_it_has_parked) {
  pool p({.workers = 1});
  run_observed(p, [&](auto& h) {
    expect_works(p, h);
    one_shot<> answer;
    enqueue([&](auto& inner) {
      expect_works(p, inner);
      answer.set_value();
    });
    answer.wait(h);
    expect_works(p, h);
  });
}

TEST(activity, of_an_isolated_task_is_work_after_its_wait) {
  pool p({.workers = 2});
  run_observed(p, [&](auto&) {
    isolate([&](auto& alone) {
      beside(alone, [&](auto& h) {
        expect_works(p, h);
        expect_idles(p, other(h));
      });
      expect_works(p, alone);
    });
  });
}

TEST(activity, of_a_worker_that_searches_in_vain_is_idle) {
  pool p({.workers = 2, .spin = std::chrono::nanoseconds::max()});
  run_observed(p, [&](auto& h) {
    beside(h, [](auto&) {});
    expect_idles(p, other(h));
  });
}

TEST(activity, of_a_worker_that_sleeps_is_idle) {
  pool p({.workers = 2, .spin = std::chrono::nanoseconds{0}});
  run_observed(p, [&](auto& h) {
    expect_idles(p, other(h));  // its first sleep
    beside(h, [](auto&) {});
    runtime::pool_core& c = runtime::core_of(p);
    wait_until("the other worker sleeps", [&] { return c.sleep().is_waiting(other(h)); });
    expect_idles(p, other(h));
  });
}

/// The address space has no room for another stack.
TEST(activity, of_a_task_that_waits_without_a_stack_is_idle_and_then_work) {
  if (runtime::under_tsan || runtime::under_asan) GTEST_SKIP() << "the sanitizer lives in the address space";
  constexpr std::size_t huge_stack = std::size_t{1} << 40;
  pool p({.workers = 2, .stack_bytes = huge_stack});
  runtime::stack_pool rest(huge_stack);
  std::vector<runtime::stack*> taken;
  while (runtime::stack* const s = rest.try_take()) taken.push_back(s);
  run_observed(p, [&](auto& h) {
    beside(h, [&](auto& inner) {
      expect_works(p, inner);
      expect_idles(p, other(inner));
    });
    expect_works(p, h);
  });
  for (runtime::stack* const s : taken) rest.give(s);
}

/// Of whichever region.
TEST(forks, are_counted_when_their_task_parks) {
  pool p({.workers = 1, .count_forks = true});
  auto const second = p.open_region("random");
  one_shot<> answer;
  std::thread caller([&] {
    second.run([&](auto& h) {
      for (int i = 0; i < 5; ++i) h.join([](auto&) {}, [](auto&) {});
      answer.wait(h);
    });
  });
  wait_until("the task parks", [&] { return p.counters()[0].parked == 1; });
  wait_until("its forks are counted", [&] { return p.counters()[0].forks == 5; });
  answer.set_value();
  caller.join();
  EXPECT_EQ(p.counters()[0].forks, 5u);
}

TEST(scopes, run_all_their_children_themselves_while_other_regions_are_empty) {
  pool p({.workers = 1});
  auto const second = p.open_region("random");
  int ran = 0;
  p.run([&](auto& h) {
    h.scope([&](auto& s) {
      for (int i = 0; i < 200; ++i) s.spawn([&](auto&) { ++ran; });
    });
  });
  EXPECT_EQ(ran, 200);
  EXPECT_EQ(p.counters()[0].tasks, 1u) << "the call";
  EXPECT_EQ(p.counters()[0].parked, 0u);
}

}}}  // namespace skua::v0
