// SPDX-License-Identifier: MIT
// OpenMP programs as GCC compiles them. The same binary runs on GCC's libgomp and on libgomp-skua (CMakeLists.txt); both must give these answers.
#include <gtest/gtest.h>
#include <omp.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/programs/this_thread.hpp"

namespace {

/// The sizes of teams: one, as many as processors or fewer, more.
constexpr std::array sizes{1, 2, 3, 4, 8};

TEST(openmp_regions, every_member_runs_once) {
  for (int const members : sizes) {
    std::vector<int> seen(64, 0);
    std::atomic<int> all{0};
#pragma omp parallel num_threads(members)
    {
      ++all;
      ++seen[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp single
      EXPECT_EQ(omp_get_num_threads(), members);
    }
    EXPECT_EQ(all, members);
    for (int m = 0; m < members; ++m)
      EXPECT_EQ(seen[static_cast<std::size_t>(m)], 1) << "member " << m << " of " << members;
  }
}

TEST(openmp_regions, a_thread_number_is_a_thread) {
  static int mine;
#pragma omp threadprivate(mine)
  omp_set_dynamic(0);
  for (int const members : sizes) {
    std::vector<long> first(static_cast<std::size_t>(members));
    int wrong = 0;
#pragma omp parallel num_threads(members)
    {
      mine = omp_get_thread_num() + 100;
      first[static_cast<std::size_t>(omp_get_thread_num())] = skua::testing::this_thread_number();
    }
    for (int repeat = 0; repeat < 20; ++repeat) {
#pragma omp parallel num_threads(members) reduction(+ : wrong)
      {
        auto const m = static_cast<std::size_t>(omp_get_thread_num());
        wrong += mine != omp_get_thread_num() + 100;
#pragma omp barrier
        wrong += mine != omp_get_thread_num() + 100 || first[m] != skua::testing::this_thread_number();
      }
    }
    EXPECT_EQ(wrong, 0) << members;
    mine = 7;
#pragma omp parallel num_threads(members) copyin(mine) reduction(+ : wrong)
    wrong += mine != 7;
    EXPECT_EQ(wrong, 0) << members;
  }
}

TEST(openmp_regions, application_threads_have_teams_of_their_own) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<int> values(1000, 1);
        long sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3) schedule(dynamic, 7)
        for (std::size_t i = 0; i < 1000; ++i) sum += values[i];
        wrong += sum != 1000;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

/// Counts how often each iteration runs.
template <class Loop>
void expect_each_once(int members, std::size_t count, Loop const& loop, char const* what) {
  std::vector<std::atomic<int>> ran(count);
  loop(ran);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_EQ(ran[i], 1) << what << ", iteration " << i << ", " << members << " members";
}

TEST(openmp_loops, each_iteration_runs_once) {
  using counts = std::vector<std::atomic<int>>;
  for (int const members : sizes) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      constexpr std::size_t n = 1003;
      auto const body = [](counts& ran, std::size_t i) { ran[i].fetch_add(1, std::memory_order_relaxed); };
      expect_each_once(
          members, n,
          [&](counts& ran) {
#pragma omp parallel for schedule(dynamic) num_threads(members)
            for (std::size_t i = 0; i < n; ++i) body(ran, i);
          },
          "dynamic");
      expect_each_once(
          members, n,
          [&](counts& ran) {
#pragma omp parallel for schedule(monotonic : dynamic, 5) num_threads(members)
            for (std::size_t i = 0; i < n; ++i) body(ran, i);
          },
          "monotonic dynamic");
      expect_each_once(
          members, n,
          [&](counts& ran) {
#pragma omp parallel for schedule(guided, 3) num_threads(members)
            for (int i = n - 1; i >= 0; --i) body(ran, static_cast<std::size_t>(i));
          },
          "guided, downwards");
      expect_each_once(
          members, n,
          [&](counts& ran) {
#pragma omp parallel for schedule(static, 4) num_threads(members)
            for (std::size_t i = 0; i < n; ++i) body(ran, i);
          },
          "static in chunks");
      expect_each_once(
          members, n,
          [&](counts& ran) {
#pragma omp parallel for schedule(auto) num_threads(members)
            for (std::size_t i = 0; i < n; ++i) body(ran, i);
          },
          "auto");
      expect_each_once(
          members, n,
          [&](counts& ran) {
#pragma omp parallel num_threads(members)
            {
#pragma omp for schedule(dynamic, 7) nowait
              for (std::size_t i = 0; i < 500; ++i) body(ran, i);
#pragma omp for schedule(guided) nowait
              for (std::size_t i = 500; i < 700; ++i) body(ran, i);
#pragma omp for schedule(runtime)
              for (std::size_t i = 700; i < n; ++i) body(ran, i);
            }
          },
          "several without a barrier");
    }
  }
}

TEST(openmp_loops, counters_at_the_ends_of_their_types) {
  for (int const members : sizes) {
    std::uint64_t count = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : count) num_threads(members)
    for (std::uint64_t i = 0xfffffffffffffff0U; i < 0xfffffffffffffffeU; ++i) ++count;
    EXPECT_EQ(count, 14U);
    count = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : count) num_threads(members)
    for (long i = 10; i > -10; i -= 7) ++count;
    EXPECT_EQ(count, 3U);
#pragma omp parallel for schedule(dynamic) reduction(+ : count) num_threads(members)
    for (long i = 3; i < 3; ++i) ++count;
    EXPECT_EQ(count, 3U);
  }
}

TEST(openmp_loops, ordered_parts_run_in_their_order) {
  for (int const members : sizes) {
    int last = 0;
    int wrong = 0;
#pragma omp parallel for ordered schedule(dynamic, 2) num_threads(members)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      {
        wrong += last != i;
        last = i + 1;
      }
    }
    last = 0;
#pragma omp parallel for ordered schedule(static, 3) num_threads(members)
    for (int i = 0; i < 100; ++i) {
      if (i % 7 == 0) continue;
#pragma omp ordered
      {
        wrong += last > i;
        last = i;
      }
    }
    last = 0;
#pragma omp parallel for ordered schedule(guided) num_threads(members)
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      wrong += last++ != i;
    }
    EXPECT_EQ(wrong, 0) << members;
  }
}

TEST(openmp_loops, doacross_follows_its_neighbours) {
  constexpr int n = 24;
  std::array<std::array<int, n>, n> serial{};
  for (int i = 0; i < n; ++i) serial[0][static_cast<std::size_t>(i)] = serial[static_cast<std::size_t>(i)][0] = 1;
  auto parallel = serial;
  auto const step = [](auto& a, int i, int j) {
    auto const x = static_cast<std::size_t>(i);
    auto const y = static_cast<std::size_t>(j);
    a[x][y] = (a[x - 1][y] + a[x][y - 1]) % 1'000'003;
  };
  for (int i = 1; i < n; ++i) {
    for (int j = 1; j < n; ++j) step(serial, i, j);
  }
  for (int const members : sizes) {
#pragma omp parallel for ordered(2) num_threads(members)
    for (int i = 1; i < n; ++i) {
      for (int j = 1; j < n; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
        step(parallel, i, j);
#pragma omp ordered depend(source)
      }
    }
    EXPECT_EQ(parallel, serial) << members;
  }
}

TEST(openmp_sections, each_section_runs_once) {
  for (int const members : sizes) {
    std::array<int, 3> ran{};
#pragma omp parallel sections num_threads(members)
    {
#pragma omp section
      ++ran[0];
#pragma omp section
      ++ran[1];
#pragma omp section
      ++ran[2];
    }
#pragma omp parallel num_threads(members)
    {
#pragma omp sections
      {
#pragma omp section
        ++ran[0];
#pragma omp section
        ++ran[1];
      }
    }
    EXPECT_EQ(ran, (std::array{2, 2, 1})) << members;
  }
}

TEST(openmp_single, one_member_runs_it_and_all_get_its_value) {
  for (int const members : sizes) {
    std::atomic<int> ran{0};
    std::atomic<int> wrong{0};
#pragma omp parallel num_threads(members)
    for (int k = 0; k < 100; ++k) {
      int x = -1;
#pragma omp single copyprivate(x)
      {
        x = 3 * k;
        ++ran;
      }
      wrong += x != 3 * k;
#pragma omp single nowait
      ++ran;
#pragma omp master
      ++ran;
#pragma omp barrier
    }
    EXPECT_EQ(ran, 300) << members;
    EXPECT_EQ(wrong, 0) << members;
  }
}

TEST(openmp_locks, exclude_each_other) {
  omp_lock_t lock;
  omp_nest_lock_t nested;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nested);
  for (int const members : sizes) {
    std::array<long, 4> counts{};
#pragma omp parallel num_threads(members)
    for (int i = 0; i < 500; ++i) {
#pragma omp critical
      ++counts[0];
#pragma omp critical(named)
      ++counts[1];
      omp_set_lock(&lock);
      ++counts[2];
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nested);
      omp_set_nest_lock(&nested);
      ++counts[3];
      omp_unset_nest_lock(&nested);
      omp_unset_nest_lock(&nested);
    }
    for (long const c : counts) EXPECT_EQ(c, 500 * members);
  }
  EXPECT_NE(omp_test_lock(&lock), 0);
  EXPECT_EQ(omp_test_lock(&lock), 0);
  omp_unset_lock(&lock);
  EXPECT_EQ(omp_test_nest_lock(&nested), 1);
  EXPECT_EQ(omp_test_nest_lock(&nested), 2);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nested);
}

TEST(openmp_barriers, nobody_passes_early) {
  for (int const members : sizes) {
    std::vector<std::atomic<int>> at(8);
    std::atomic<int> wrong{0};
#pragma omp parallel num_threads(members)
    for (int k = 1; k < 300; ++k) {
      at[static_cast<std::size_t>(omp_get_thread_num())] = k;
#pragma omp barrier
      for (int m = 0; m < members; ++m) wrong += at[static_cast<std::size_t>(m)] != k;
#pragma omp barrier
    }
    EXPECT_EQ(wrong, 0) << members;
  }
}

TEST(openmp_routines, tell_what_was_set) {
  omp_set_num_threads(3);
  EXPECT_EQ(omp_get_max_threads(), 3);
  std::atomic<int> members{0};
#pragma omp parallel
  {
    ++members;
    omp_set_num_threads(5);
    EXPECT_EQ(omp_get_max_threads(), 5);
    EXPECT_TRUE(omp_in_parallel());
  }
  EXPECT_EQ(members, 3);
  EXPECT_EQ(omp_get_max_threads(), 3);
  omp_set_schedule(omp_sched_guided, 5);
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  EXPECT_EQ(kind, omp_sched_guided);
  EXPECT_EQ(chunk, 5);
  EXPECT_FALSE(omp_in_parallel());
  EXPECT_EQ(omp_get_level(), 0);
  EXPECT_EQ(omp_get_ancestor_thread_num(0), 0);
  EXPECT_EQ(omp_get_ancestor_thread_num(1), -1);
  EXPECT_EQ(omp_get_team_size(0), 1);
  EXPECT_EQ(omp_get_num_threads(), 1);
  EXPECT_GE(omp_get_num_procs(), 1);
  double const before = omp_get_wtime();
  EXPECT_GE(omp_get_wtime(), before);
}

TEST(openmp_outside_of_regions, constructs_have_a_team_of_one) {
  int ran = 0;
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 10; ++i) ++ran;
#pragma omp single
  ++ran;
#pragma omp task shared(ran)
  ++ran;
#pragma omp taskwait
#pragma omp sections
  {
#pragma omp section
    ++ran;
#pragma omp section
    ++ran;
  }
#pragma omp barrier
#pragma omp critical
  ++ran;
  EXPECT_EQ(ran, 15);
}

}  // namespace
