// SPDX-License-Identifier: MIT
// Workers keep to their processors, and nothing that a program starts inherits that.
#include "skua/machine/threads/engine/core/home_processor.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/topology/affinity.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::runtime::affinity_of_this_thread;
using skua::runtime::affinity_of_thread;
using skua::runtime::cpu_mask;
using skua::testing::wait_until;

/// Before any test, one of which might have narrowed the mask of the thread that runs them.
cpu_mask const of_program = affinity_of_this_thread();

/// On two processors, so that a pool of two workers is pinned by default.
class on_two_processors : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const all = of_program.members();
    if (all.size() < 2) GTEST_SKIP() << "needs two processors";
    for (std::size_t i = 0; i < 2; ++i) two.insert(all[i]);
    ASSERT_FALSE(skua::runtime::bind_this_thread(two));
  }

  /// Calls f() on the caller's thread, and g() on the other worker's meanwhile: under `random`, which takes the second child.
  template <class F, class G>
  static void on_both(skua::pool& pool, F f, G g) {
    std::atomic<bool> other_done{false};
    pool.run([&](auto& h) {
      h.join([&](auto&) { f(), wait_until("the other child is stolen", [&] { return other_done.load(); }); },
             [&](auto&) { g(), other_done = true; });
    });
  }

  /// The number of the other worker's thread.
  static int other_thread(skua::pool& pool) {
    int number = 0;
    on_both(pool, [] {}, [&] { number = skua::runtime::number_of_this_thread(); });
    return number;
  }
  static void await_all_asleep(skua::pool& pool) {
    auto& sleep = skua::runtime::core_of(pool).sleep();
    for (std::uint32_t w = 0; w < pool.num_workers(); ++w)
      wait_until("the worker sleeps", [&] { return sleep.is_waiting(skua::worker_id{w}); });
  }
  static void await_sleep(int thread) {
    wait_until("the worker is bound, and about to sleep", [&] { return affinity_of_thread(thread).size() == 1; });
  }

  cpu_mask two;

 private:
  skua::runtime::saved_affinity const before_;
};

cpu_mask of_a_new_thread() {
  cpu_mask seen;
  std::thread([&] { seen = affinity_of_this_thread(); }).join();
  return seen;
}

/// As the kernel writes it for a process that is started here.
std::string of_a_new_process() {
  using pipe = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  pipe const out{::popen("sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status", "r"), &::pclose};
  std::array<char, 256> line{};
  if (out == nullptr || std::fgets(line.data(), line.size(), out.get()) == nullptr) return "nothing";
  std::string text = line.data();
  std::erase(text, '\n');
  return text;
}

TEST_F(on_two_processors, threads_and_processes_that_a_body_starts_may_run_where_the_program_may) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  auto const check = [this] {
    EXPECT_EQ(of_a_new_thread(), two);
    EXPECT_EQ(of_a_new_process(), to_text(two));
  };
  for (int round = 0; round < 5; ++round) {
    on_both(pool, check, check);
    await_sleep(other_thread(pool));
    EXPECT_EQ(affinity_of_this_thread(), two);
  }
}

TEST_F(on_two_processors, a_worker_sleeps_on_the_same_processor_each_time) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  int const thread = other_thread(pool);
  await_sleep(thread);
  cpu_mask const home = affinity_of_thread(thread);
  for (int round = 0; round < 5; ++round) {
    cpu_mask busy;
    on_both(pool, [] {}, [&] { busy = affinity_of_this_thread(); });
    EXPECT_EQ(busy, two);
    await_sleep(thread);
    EXPECT_EQ(affinity_of_thread(thread), home);
  }
}

TEST_F(on_two_processors, a_caller_that_comes_to_the_place_of_a_sleeper_leaves_it_its_mask) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  for (int round = 0; round < 5; ++round) {
    for (std::uint32_t const at : two.members()) {  // at least one of them is not worker 0's
      cpu_mask one;
      one.insert(at);
      ASSERT_FALSE(skua::runtime::bind_this_thread(one));
      ASSERT_FALSE(skua::runtime::bind_this_thread(two));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // a caller goes at most once a millisecond
      pool.run([](auto&) {});
      EXPECT_EQ(affinity_of_this_thread(), two);
    }
    std::atomic<int> there{0};
    std::atomic<int> right{0};
    for (int i = 0; i < 2; ++i) {
      pool.enqueue([&] {
        ++there;
        wait_until("both workers' threads run", [&] { return there.load() == 2; });
        right += affinity_of_this_thread() == two ? 11 : 10;
      });
    }
    wait_until("both have looked", [&] { return right.load() >= 20; });
    EXPECT_EQ(right.load(), 22);
  }
}

TEST_F(on_two_processors, a_mask_that_a_body_sets_stays) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  for (std::uint32_t const chosen : two.members()) {
    cpu_mask one;
    one.insert(chosen);
    pool.run([&](auto&) { EXPECT_FALSE(skua::runtime::bind_this_thread(one)); });
    EXPECT_EQ(affinity_of_this_thread(), one);
    pool.run([&](auto&) {});
    EXPECT_EQ(affinity_of_this_thread(), one);
    ASSERT_FALSE(skua::runtime::bind_this_thread(two));
  }
}

TEST_F(on_two_processors, a_mask_that_somebody_sets_while_a_worker_sleeps_stays) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  int const thread = other_thread(pool);
  await_sleep(thread);
  std::uint32_t const home = affinity_of_thread(thread).members().front();
  cpu_set_t elsewhere;
  CPU_ZERO(&elsewhere);
  auto const all = two.members();
  std::uint32_t const other = *std::ranges::find_if(all, [&](std::uint32_t pu) { return pu != home; });
  CPU_SET(other, &elsewhere);
  ASSERT_EQ(::sched_setaffinity(thread, sizeof elsewhere, &elsewhere), 0);
  cpu_mask seen;
  on_both(pool, [] {}, [&] { seen = affinity_of_this_thread(); });
  EXPECT_EQ(seen.members(), std::vector{other});
}

TEST_F(on_two_processors, workers_that_somebody_wants_pinned_are_bound_while_they_run_tasks) {
  skua::pool pool({.workers = 2, .policy = "random", .pin = true});
  std::uint32_t processors = 0;
  on_both(pool, [] {}, [&] { processors = affinity_of_this_thread().size(); });
  EXPECT_EQ(processors, 1U);
  EXPECT_EQ(affinity_of_this_thread(), two);
}

TEST_F(on_two_processors, every_worker_sleeps_on_a_processor_of_its_own) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  std::atomic<int> came{0};
  for (int i = 0; i < 2; ++i) {
    pool.enqueue([&] {
      ++came;
      wait_until("both workers' threads run", [&] { return came.load() == 2; });
    });
  }
  wait_until("both have come", [&] { return came.load() == 2; });
  auto& core = skua::runtime::core_of(pool);
  int const first = core.worker_at(skua::worker_id{0}).thread_number();
  int const second = core.worker_at(skua::worker_id{1}).thread_number();
  await_sleep(first);
  await_sleep(second);
  EXPECT_NE(affinity_of_thread(first), affinity_of_thread(second));
}

TEST_F(on_two_processors, where_other_programs_are_busy_the_system_chooses_the_processor_of_a_sleeper) {
  skua::pool pool(skua::pool_options{.workers = 2, .policy = "random"});
  int const thread = other_thread(pool);
  await_sleep(thread);
  skua::runtime::busy_spell::of_process().lasts_until(skua::runtime::clock_ns() + 600'000'000'000);
  on_both(pool, [] {}, [] {});
  await_all_asleep(pool);
  EXPECT_EQ(affinity_of_thread(thread), two);
  skua::runtime::busy_spell::of_process().lasts_until(0);
  on_both(pool, [] {}, [] {});
  await_sleep(thread);
}

TEST_F(on_two_processors, a_caller_that_wakes_a_pinned_worker_is_bound_until_it_leaves) {
  skua::pool pool({.workers = 2, .policy = "random", .pin = true});
  int const thread = other_thread(pool);
  for (int round = 0; round < 3; ++round) {
    await_all_asleep(pool);
    std::uint32_t processors = 0;
    on_both(pool, [&] { processors = affinity_of_this_thread().size(); }, [] {});
    EXPECT_EQ(processors, 1U) << "round " << round;
    EXPECT_EQ(affinity_of_this_thread(), two);
  }
  EXPECT_EQ(affinity_of_thread(thread).size(), 1U);
}

TEST_F(on_two_processors, who_was_moved_away_comes_back_and_keeps_its_mask) {
  for (bool const stays_bound : {false, true}) {
    for (std::uint32_t const home : two.members()) {
      std::thread([&] {
        cpu_mask at_home;
        at_home.insert(home);
        ASSERT_FALSE(skua::runtime::bind_this_thread(at_home));
        skua::runtime::home_processor place;
        place.begin(stays_bound);
        for (std::uint32_t const away : two.members()) {
          if (away == home) continue;
          cpu_mask elsewhere;
          elsewhere.insert(away);
          ASSERT_FALSE(skua::runtime::bind_this_thread(elsewhere));
        }
        ASSERT_FALSE(skua::runtime::bind_this_thread(two));
        wait_until("it is at home", [&] {
          place.come();
          return ::sched_getcpu() == static_cast<int>(home);
        });
        EXPECT_EQ(affinity_of_this_thread().size(), stays_bound ? 1U : 2U);
        place.leave();
        EXPECT_EQ(affinity_of_this_thread(), two);
      }).join();
    }
  }
}

/// It keeps the mask that it has, even if a caller would stay bound.
TEST_F(on_two_processors, a_thread_that_is_at_home_is_not_bound) {
  std::thread([&] {
    auto const home = static_cast<int>(two.members()[0]);
    bool has_kept_its_mask = false;
    // The kernel may move the thread in between, which then has to come home.
    for (int i = 0; i < 100 && !has_kept_its_mask; ++i) {
      cpu_mask only_home;
      only_home.insert(two.members()[0]);
      ASSERT_FALSE(skua::runtime::bind_this_thread(only_home));
      skua::runtime::home_processor place;
      place.begin(true);
      ASSERT_FALSE(skua::runtime::bind_this_thread(two));
      if (::sched_getcpu() != home) continue;
      place.come();
      has_kept_its_mask = affinity_of_this_thread() == two;
      place.leave();
    }
    EXPECT_TRUE(has_kept_its_mask);
  }).join();
}

}  // namespace
