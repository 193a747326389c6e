// SPDX-License-Identifier: MIT
// fork() beside what changes all the time: limits that come and go, observers that enter and leave, a thread that is lent, and pools. The
// child runs mixed programs, which use the same things on pools of its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "skua/as_tbb.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/mixed/mixed_runs.hpp"
#include "tests/programs/random_runs.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

namespace tbb = skua::tbb;

bool a_loop_is_right() {
  std::atomic<int> sum{0};
  skua::parallel_for(0, 64, [&](int i) { sum += i; });
  return sum == 2016;
}

/// Counts down to 0 again.
class counting final : public tbb::task_scheduler_observer {
 public:
  explicit counting(tbb::task_arena& of) : task_scheduler_observer(of) { observe(true); }
  ~counting() override { observe(false); }
  counting(counting const&) = delete;
  counting& operator=(counting const&) = delete;
  void on_scheduler_entry(bool) override { ++inside; }
  void on_scheduler_exit(bool) override { --inside; }
  std::atomic<int> inside{0};
};

/// Threads that use one thing each, again and again.
class changing_things {
 public:
  changing_things() {
    threads_.emplace_back([this] {
      for (std::size_t i = 0; !ends_; ++i) {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, 1 + i % 3);
        note(0, a_loop_is_right());
      }
    });
    threads_.emplace_back([this] {
      while (!ends_) {
        counting const seen(observed_);
        note(1, observed_.execute([&] { return a_loop_is_right() && seen.inside >= 1; }));
      }
    });
    threads_.emplace_back([this] {
      while (!ends_) {
        note(2, lends_.run([this](auto&) {
          std::promise<bool> answer;
          lends_.enqueue([&answer] { answer.set_value(a_loop_is_right()); });
          return answer.get_future().get();
        }));
      }
    });
    threads_.emplace_back([this] {
      while (!ends_) {
        skua::pool comes_and_goes({.workers = 2});
        note(3, comes_and_goes.run([](auto&) { return a_loop_is_right(); }));
      }
    });
  }
  ~changing_things() {
    ends_ = true;
    for (std::thread& t : threads_) t.join();
  }
  changing_things(changing_things const&) = delete;
  changing_things& operator=(changing_things const&) = delete;

  /// Each has been used once more.
  void wait_for_all() {
    for (auto& of_one : uses_)
      skua::testing::wait_until("a thread has come round", [&, before = of_one.load()] { return of_one != before; });
  }
  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  void note(std::size_t which, bool is_right) {
    if (!is_right) ++wrong_;
    ++uses_[which];
  }

  tbb::task_arena observed_{2};
  skua::pool lends_{skua::pool_options{.workers = 1}};
  std::array<std::atomic<int>, 4> uses_{};
  std::atomic<int> wrong_{0};
  std::atomic<bool> ends_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

TEST(fork_beside_what_changes, a_child_runs_mixed_programs_of_its_own) {
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  std::uint64_t const seed = skua::testing::fresh_seed() % 1'000'000'000;
  changing_things beside;
  for (std::uint32_t round = 0; round < 6; ++round) {
    beside.wait_for_all();
    pid_t const child = ::fork();
    if (child == 0) {
      ::alarm(200);
      std::string const fault = fault_of(skua::testing::mixed_run{
          .policy = "random", .workers = 1 + round % 4, .seed = seed + round, .programs = 4, .callers = 2, .depth = 4});
      ::_exit(fault.empty() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "seed " << seed + round;
  }
  EXPECT_EQ(beside.wrong(), 0);
}
