// SPDX-License-Identifier: MIT
// Regions beside what else a process does: threads that come and go, other pools, fork, exit, code that is loaded and unloaded. constructs_test.cpp says on
// which libraries this runs.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/skua.hpp"
#include "tests/openmp/random_program.hpp"
#include "tests/programs/effort.hpp"

namespace {

using omp_random::counted;

std::uint32_t first_seed() {
  char const* const text = std::getenv("SEED");
  return text == nullptr ? 8017 : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}
std::uint32_t rounds() { return skua::testing::full_or(400u, 8u); }

/// True if the program of this seed counts what it should.
bool is_right(std::uint32_t seed, bool forks_beside = false) {
  omp_set_max_active_levels(omp_random::most_levels);
  omp_set_dynamic(0);
  omp_random::node const program = omp_random::program_of(seed);
  counted c;
  c.forks_beside = forks_beside;
  run_team(program, c);
  return c.all() == expected(program) && c.wrong == 0;
}

/// Runs regions in other threads while it lives: some in threads that end after each.
class others {
 public:
  explicit others(std::uint32_t seed, bool forks = false) {
    for (std::uint32_t t = 0; t < 3; ++t)
      threads_.emplace_back([this, t, seed, forks] {
        for (std::uint32_t s = seed + 1000 * t; !ends_; ++s) {
          auto const run = [this, s, forks] {
            if (!is_right(s, forks)) wrong_ = s;
          };
          if (t < 2) {
            std::thread(run).join();
          } else {
            run();
          }
        }
      });
  }
  others(others const&) = delete;
  others& operator=(others const&) = delete;
  ~others() {
    ends_ = true;
    for (std::thread& t : threads_) t.join();
    EXPECT_EQ(wrong_, 0U) << "the seed of a program that other threads ran";
  }

 private:
  std::atomic<bool> ends_{false};
  std::atomic<std::uint32_t> wrong_{0};
  std::vector<std::thread> threads_;
};

TEST(openmp_meetings, threads_that_begin_and_end_run_regions_at_once) {
  others const beside(first_seed() + 10'000);
  for (std::uint32_t s = first_seed(); s < first_seed() + rounds(); ++s) ASSERT_TRUE(is_right(s)) << "SEED=" << s;
}

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

TEST(openmp_meetings, pools_of_the_program_and_regions_run_inside_of_each_other) {
  skua::pool own({.workers = 2});
  std::atomic<bool> ends{false};
  std::thread beside([&] {
    while (!ends) EXPECT_EQ(own.run([](auto& h) { return fib(h, 12); }), 144);
  });
  for (std::uint32_t s = first_seed(); s < first_seed() + rounds(); ++s) {
    EXPECT_TRUE(is_right(s)) << "SEED=" << s;
    int wrong = 0;
#pragma omp parallel num_threads(3) reduction(+ : wrong)
    wrong += own.run([](auto& h) { return fib(h, 10); }) != 55;
    EXPECT_EQ(wrong, 0) << "SEED=" << s;
    EXPECT_TRUE(own.run([s](auto&) { return is_right(s + 50'000); })) << "SEED=" << s;
  }
  ends = true;
  beside.join();
}

/// Forks; the child ends with status 0 if `in_child()`, and is killed if it hangs.
template <class Body>
int status_of_child(Body const& in_child) {
  pid_t const child = ::fork();
  if (child == 0) {
    ::alarm(120);
    ::_exit(in_child() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(openmp_meetings, a_child_of_fork_runs_regions_while_other_threads_of_the_parent_do) {
  if (!omp_random::is_on_skua()) GTEST_SKIP() << "children of fork hang under libgomp";
  others const beside(first_seed() + 20'000, true);
  for (std::uint32_t s = first_seed(); s < first_seed() + rounds(); ++s) {
    ASSERT_TRUE(is_right(s)) << "SEED=" << s;
    ASSERT_EQ(status_of_child([s] { return is_right(s + 1) && is_right(s + 2); }), 0) << "SEED=" << s;
  }
}

TEST(openmp_meetings, a_member_forks_and_its_child_runs_regions) {
  if (!omp_random::is_on_skua()) GTEST_SKIP() << "children of fork hang under libgomp";
  for (std::uint32_t s = first_seed(); s < first_seed() + rounds(); ++s) {
    std::atomic<int> wrong{0};
#pragma omp parallel num_threads(3)
    {
      int const status = status_of_child([s] {
        counted c;
        omp_random::node const program = omp_random::generator(s).for_team(4, 2);
        run_team(program, c);
        return c.all() == expected(program) && c.wrong == 0;
      });
      wrong += status != 0;
#pragma omp barrier
    }
    ASSERT_EQ(wrong, 0) << "SEED=" << s;
  }
}

/// Regions in a thread that nobody waits for.
void leave_regions_running() {
  std::thread([] {
    for (std::uint32_t s = first_seed();; ++s) static_cast<void>(is_right(s));
  }).detach();
}

void exit_between_regions() {
  leave_regions_running();
  is_right(first_seed());
  std::exit(3);
}
void exit_as_a_member() {
  leave_regions_running();
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1) std::exit(4);
#pragma omp barrier
  }
}
void exit_as_a_nested_member() {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == 1) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) std::exit(5);
  }
}

TEST(openmp_meetings_deathtest, exit_while_regions_run_ends_the_process) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(exit_between_regions(), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(exit_as_a_member(), testing::ExitedWithCode(4), "");
  EXPECT_EXIT(exit_as_a_nested_member(), testing::ExitedWithCode(5), "");
}

void throw_out_of_a_region() {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) throw std::runtime_error("out of a region");
}
void throw_out_of_a_task() {
#pragma omp parallel num_threads(2)
#pragma omp single  // two of them would terminate at once, and say so
  {
#pragma omp task
    throw std::runtime_error("out of a task");
  }
}

TEST(openmp_meetings_deathtest, an_exception_that_reaches_the_end_of_a_region_or_task_terminates) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(throw_out_of_a_region(), testing::KilledBySignal(SIGABRT), "out of a region");
  EXPECT_EXIT(throw_out_of_a_task(), testing::KilledBySignal(SIGABRT), "out of a task");
}

TEST(openmp_meetings, code_with_regions_is_loaded_and_unloaded) {
  others const beside(first_seed() + 30'000);
  for (std::uint32_t r = 0; r < rounds(); ++r) {
    void* const code = ::dlopen(OPENMP_PLUGIN, RTLD_NOW);
    ASSERT_NE(code, nullptr) << ::dlerror();
    auto* const sum = reinterpret_cast<long (*)(int)>(::dlsym(code, "sum_in_region"));
    ASSERT_NE(sum, nullptr);
    EXPECT_EQ(sum(1000), 499'500);
    std::thread([sum] { EXPECT_EQ(sum(100), 4950); }).join();
    ::dlclose(code);
  }
}

}  // namespace
