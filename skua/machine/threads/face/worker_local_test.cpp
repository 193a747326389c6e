// SPDX-License-Identifier: MIT
// An object per thread: made once, never shared by two threads, found again by its thread, summed up in the end.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/skua.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::this_thread_number;
using skua::testing::wait_until;

/// Forks at random, and counts its leaves in the local object after each join, where it may have moved.
long count_leaves(auto& here, skua::worker_local<long>& counted, std::uint64_t seed, int depth) {
  skua::runtime::dice from(seed);
  if (depth == 0 || from.below(8) == 0) {
    ++counted.local();
    return 1;
  }
  std::uint64_t const left = from.next();
  std::uint64_t const right = from.next();
  auto const [a, b] = here.join([&, left](auto& h) { return count_leaves(h, counted, left, depth - 1); },
                                [&, right](auto& h) { return count_leaves(h, counted, right, depth - 1); });
  counted.local() += 0;
  return a + b;
}

/// Each object names the thread that made it.
struct owned {
  long owner = this_thread_number();
  long uses = 0;
};

}  // namespace

TEST(worker_local, no_update_is_lost_in_pools_of_any_size) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (std::uint32_t const workers : {1U, 2U, 4U}) {
      skua::pool pool({.workers = workers});
      skua::worker_local<long> counted;
      long const leaves = pool.run([&](auto& h) { return count_leaves(h, counted, seed, 12); });
      EXPECT_EQ(counted.combine(std::plus<>{}), leaves) << "seed " << seed;
      EXPECT_LE(counted.size(), workers) << "seed " << seed;
      EXPECT_GE(counted.size(), 1U) << "seed " << seed;
    }
  }
}

TEST(worker_local, an_object_is_used_by_its_thread_only) {
  skua::worker_local<owned> all;
  std::atomic<int> strangers{0};
  for (int round = 0; round < 20; ++round) {
    skua::parallel_for(0, 1000, [&](int) {
      owned& mine = all.local();
      if (mine.owner != this_thread_number()) strangers.fetch_add(1, std::memory_order_relaxed);
      ++mine.uses;
    });
  }
  EXPECT_EQ(strangers.load(), 0);
  long uses = 0;
  all.for_each([&](owned const& o) { uses += o.uses; });
  EXPECT_EQ(uses, 20'000);
}

TEST(worker_local, a_caller_has_one_object_inside_and_outside_of_its_calls) {
  skua::pool pool({.workers = 2});
  skua::worker_local<owned> all;
  owned* const outside = &all.local();
  owned* const inside = pool.run([&](auto&) { return &all.local(); });
  EXPECT_EQ(outside, inside) << "the call runs on this thread";
  EXPECT_EQ(all.size(), 1U);
}

TEST(worker_local, pools_do_not_share_objects) {
  skua::worker_local<owned> all;
  skua::pool one({.workers = 2});
  skua::pool other({.workers = 3});
  std::atomic<int> strangers{0};
  auto const use = [&](int) {
    if (all.local().owner != this_thread_number()) strangers.fetch_add(1, std::memory_order_relaxed);
  };
  std::thread beside([&] { one.run([&](auto&) { skua::parallel_for(0, 500, use); }); });
  other.run([&](auto&) { skua::parallel_for(0, 500, use); });
  beside.join();
  EXPECT_EQ(strangers.load(), 0);
  EXPECT_LE(all.size(), 7U) << "two callers and five workers";
}

TEST(worker_local, more_callers_than_workers_have_an_object_each) {
  skua::pool pool({.workers = 1});
  skua::worker_local<long> all;
  std::atomic<int> in{0};
  constexpr int callers = 6;
  std::vector<std::thread> users;
  for (int u = 0; u < callers; ++u) {
    users.emplace_back([&] {
      pool.run([&](auto&) {
        ++in;
        wait_until("all callers are in", [&] { return in.load() == callers; });
        ++all.local();
      });
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(all.combine(std::plus<>{}), callers);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(callers)) << "all were inside at once, all but one as guests";
}

TEST(worker_local, a_thread_that_has_ended_leaves_its_object_and_a_new_one_does_not_get_it) {
  skua::worker_local<long> all;
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      bool exists = true;
      ++all.local(exists);
      EXPECT_FALSE(exists) << "the kernel gives the thread the number of one that has ended; we do not";
      ++all.local(exists);
      EXPECT_TRUE(exists);
    }).join();
  }
  EXPECT_EQ(all.size(), 200U);
  for (long const n : all) EXPECT_EQ(n, 2);
}

TEST(worker_local, threads_that_come_while_others_look_find_their_objects) {
  skua::worker_local<std::uint64_t> all;
  std::atomic<int> wrong{0};
  std::vector<std::thread> users;
  for (std::uint64_t u = 1; u <= 64; ++u) {
    users.emplace_back([&, u] {
      all.local() = u;
      for (int i = 0; i < 2000; ++i) {
        if (all.local() != u) ++wrong;
      }
    });
  }
  for (auto& u : users) u.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(all.combine(std::plus<>{}), 64U * 65 / 2);
}

TEST(worker_local, a_factory_that_throws_leaves_nothing) {
  std::atomic<int> calls{0};
  skua::worker_local<std::string> all([&]() -> std::string {
    if (++calls < 3) throw std::runtime_error("not yet");
    return "made";
  });
  EXPECT_THROW(static_cast<void>(all.local()), std::runtime_error);
  EXPECT_TRUE(all.empty());
  EXPECT_THROW(skua::parallel_invoke([&] { static_cast<void>(all.local()); }), std::runtime_error);
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(all.local(), "made");
  EXPECT_EQ(all.size(), 1U);
}

TEST(worker_local, a_factory_may_fork_and_move_to_another_thread) {
  skua::pool pool({.workers = 3});
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> wrong{0};
    pool.run([&](auto& h) {
      h.join_each(std::vector<int>(40), [&](auto& inner, int) {
        // The factory forks with the `here` of the task that calls local().
        skua::worker_local<long> nested([&inner] {
          auto const [a, b] = inner.join([](auto&) { return 1L; }, [](auto&) { return 2L; });
          return a + b;
        });
        if (nested.local() != 3) ++wrong;
        if (nested.size() != 1) ++wrong;
      });
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST(worker_local, objects_need_not_move_and_lie_on_lines_of_their_own) {
  struct fixed {
    explicit fixed(int n) : number(n) {}
    fixed(fixed const&) = delete;
    fixed& operator=(fixed const&) = delete;
    int number;
  };
  skua::worker_local<fixed> all([] { return fixed(7); });
  std::vector<std::thread> users;
  for (int u = 0; u < 4; ++u) users.emplace_back([&] { ++all.local().number; });
  for (auto& u : users) u.join();
  std::set<std::uintptr_t> lines;
  for (fixed const& f : all) {
    EXPECT_EQ(f.number, 8);
    lines.insert(reinterpret_cast<std::uintptr_t>(&f) / skua::runtime::cache_line_bytes);
  }
  EXPECT_EQ(lines.size(), 4U);
}

TEST(worker_local, the_sum_of_nothing_is_what_the_factory_makes) {
  skua::worker_local<int> all([] { return 5; });
  EXPECT_EQ(all.combine(std::plus<>{}), 5);
  EXPECT_TRUE(all.empty()) << "it was made for the answer only";
  EXPECT_EQ(all.begin(), all.end());
  skua::worker_local<std::vector<int>> lists;
  lists.local().push_back(3);
  auto const both = std::as_const(lists).combine([](std::vector<int> a, std::vector<int> const& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  });
  EXPECT_EQ(both, std::vector<int>{3});
}

TEST(worker_local, tasks_that_use_one_object_in_turn_do_not_race) {
  // For ThreadSanitizer: only the thread orders the last use in the first task after the use in the second one.
  skua::pool pool({.workers = 1});
  for (int round = 0; round < 20; ++round) {
    skua::worker_local<long> counted;
    skua::one_shot<> middle;
    pool.enqueue([&](auto& h) {
      ++counted.local();
      middle.wait(h);
      ++counted.local();
    });
    pool.enqueue([&] {
      middle.set_value();
      ++counted.local();
    });
    pool.drain();
    EXPECT_EQ(counted.combine(std::plus<>{}), 3);
  }
}

TEST(worker_local, clear_destroys_the_objects_and_local_makes_new_ones) {
  static std::atomic<int> alive{0};
  struct counted {
    counted() { ++alive; }
    ~counted() { --alive; }
    counted(counted const&) = delete;
    counted& operator=(counted const&) = delete;
    int value = 0;
  };
  {
    skua::worker_local<counted> all;
    skua::parallel_for(0, 100, [&](int) { ++all.local().value; });
    EXPECT_EQ(alive.load(), static_cast<int>(all.size()));
    all.clear();
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(all.size(), 0U);
    bool exists = true;
    EXPECT_EQ(all.local(exists).value, 0);
    EXPECT_FALSE(exists);
  }
  EXPECT_EQ(alive.load(), 0);
}
