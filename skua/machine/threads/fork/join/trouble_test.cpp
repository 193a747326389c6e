// SPDX-License-Identifier: MIT
// What can go wrong around a program: regions of few workers among sleepers, exhausted memory, fork(), exit(), a pool
// that ends while another lets go of it, two stops at once.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"

namespace {

using namespace std::chrono_literals;
using skua::testing::fib;

/// The address space has room for about a hundred stacks of this size.
constexpr std::size_t huge_stack = std::size_t{1} << 40;
constexpr bool address_space_is_ours = !skua::runtime::under_tsan && !skua::runtime::under_asan;

TEST(trouble, work_for_one_sleeping_worker_is_not_left_to_searchers_who_may_not_do_it) {
  // The region's only member sleeps while others search. They find nothing that they may take, and sleep.
  skua::runtime::dice roll(7);
  skua::pool pool({.workers = 4, .spin = 200us});
  auto const one = pool.open_region("random", 1);
  for (int i = 0; i < 400; ++i) {
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
    std::this_thread::sleep_for(std::chrono::microseconds(roll.below(600)));
    EXPECT_EQ(one.run([](auto& h) { return fib(h, 5) + h.num_workers(); }), 5 + 1);
  }
}

TEST(trouble, work_for_one_sleeping_worker_is_found_among_endless_searchers) {
  skua::pool pool({.workers = 4, .spin = std::chrono::nanoseconds::max()});
  auto const one = pool.open_region("random", 1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
    EXPECT_EQ(one.run([](auto& h) { return fib(h, 5); }), 5);
  }
}

TEST(trouble, a_pool_may_end_as_soon_as_another_has_let_go_of_its_task) {
  skua::pool lasting({.workers = 1});
  for (int i = 0; i < 300; ++i) {
    auto brief = std::make_unique<skua::pool>(skua::pool_options{.workers = 1});
    EXPECT_EQ(brief->run([&](auto&) { return lasting.run([](auto&) { return 1; }); }), 1);
    brief.reset();
  }
}

TEST(trouble, a_region_may_end_as_soon_as_its_task_has_returned) {
  skua::pool pool({.workers = 2});
  for (int i = 0; i < 300; ++i) {
    auto few = pool.open_region("random", 1);
    EXPECT_EQ(few.run([&](auto&) { return pool.run([](auto& h) { return fib(h, 3); }); }), 2);
    static_cast<void>(skua::region(std::move(few)));
  }
}

TEST(trouble, a_child_of_fork_may_destroy_what_it_cannot_use) {
  auto pool = std::make_unique<skua::pool>(skua::pool_options{.workers = 2});
  auto region = pool->open_region("random", 1);
  EXPECT_EQ(pool->run([](auto& h) { return fib(h, 10); }), 55);
  pid_t const child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int wrong = 1;
    try {
      region.run([](auto&) {});
    } catch (skua::error const&) {
      wrong = 0;
    }
    static_cast<void>(skua::region(std::move(region)));
    pool.reset();
    ::_exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(trouble, more_workers_than_the_address_space_has_stacks_for_are_refused) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  EXPECT_THROW(skua::pool({.workers = 200, .stack_bytes = huge_stack}), skua::resource_error);
}

std::uint64_t waited_in_place(skua::pool const& pool) {
  std::uint64_t n = 0;
  for (auto const& c : pool.counters()) n += c.waited_in_place;
  return n;
}

/// a asks b, which asks a, and so on, `depth` times; each time the asking fiber waits.
int ping_pong(skua::pool& a, skua::pool& b, int depth) {
  if (depth == 0) return 0;
  return 1 + a.run([&](auto&) { return ping_pong(b, a, depth - 1); });
}

TEST(trouble, waiting_deeper_than_there_are_stacks_throws) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  // Each pool has one worker. If it cannot leave a waiting fiber, it must run tasks in place.
  skua::pool a({.workers = 1, .stack_bytes = huge_stack});
  skua::pool b({.workers = 1, .stack_bytes = huge_stack});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ping_pong(a, b, 300), 300);
  EXPECT_GT(waited_in_place(a) + waited_in_place(b), 0U) << "the stacks did run out";
}

TEST(trouble, many_workers_without_stacks_still_finish) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  skua::pool pool({.workers = 4, .stack_bytes = huge_stack});
  skua::pool other({.workers = 2, .stack_bytes = huge_stack});
  // Scopes and joins whose leaves wait for another pool: hundreds of fibers wait at once.
  auto tree = [&](auto& self, auto& h, int depth) -> long {
    if (depth == 0) return ping_pong(other, pool, 40);
    long c = 0;
    long d = 0;
    h.scope([&](auto& s) {
      s.spawn([&](auto& g) { c = self(self, g, depth - 1); });
      d = std::get<0>(h.join([&](auto& g) { return self(self, g, depth - 1); }, [](auto&) { return 0; }));
    });
    return c + d;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pool.run([&](auto& h) { return tree(tree, h, 5); }), 40 * 32);
  EXPECT_GT(waited_in_place(pool) + waited_in_place(other), 0U) << "the stacks did run out";
}

/// Takes all the address space that stacks of this size could have, while it lives.
class no_stacks {
 public:
  no_stacks() {
    while (skua::runtime::stack* const s = pool_.try_take()) taken_.push_back(s);
  }
  ~no_stacks() { give_back(); }
  no_stacks(no_stacks const&) = delete;
  no_stacks& operator=(no_stacks const&) = delete;
  void give_back() {
    for (skua::runtime::stack* const s : std::exchange(taken_, {})) pool_.give(s);
    pool_.trim();
  }

 private:
  skua::runtime::stack_pool pool_{huge_stack};
  std::vector<skua::runtime::stack*> taken_;
};

/// Runs above() on top of a fiber that runs a task of `group`, waits for the other pool's `below`, and got no stack.
template <class Above, class Below>
void bury(skua::pool& pool, skua::pool& other, skua::task_group& group, Above above, Below below) {
  pool.run([&](auto&) {
    skua::task_group on_top;
    on_top.run(above);
    group.run([&] { other.run([&](auto&) { below(); }); });
    group.wait();  // runs the newest task, which waits for the other pool; its worker then finds the older one
    on_top.wait();
  });
}

TEST(trouble_DeathTest, a_task_that_can_never_end_for_want_of_stacks_ends_the_process_with_the_cause) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        skua::pool pool({.workers = 1, .stack_bytes = huge_stack});
        skua::pool other({.workers = 1});
        no_stacks const at_all;
        skua::task_group group;
        std::atomic<bool> buried{false};
        bury(
            pool, other, group,
            [&] {
              buried = true;
              group.wait();  // one of its tasks lies beneath
            },
            [&] {
              while (!buried) std::this_thread::yield();
            });
      },
      ::testing::KilledBySignal(SIGABRT), "out of stacks: .* cannot end; .*vm.max_map_count.*ulimit -v.*SKUA_STACK");
}

/// While it lives, what is written to stderr comes here.
class stderr_reader {
 public:
  stderr_reader() : before_(::dup(STDERR_FILENO)) {
    if (::pipe(ends_.data()) != 0) std::abort();
    ::dup2(ends_[1], STDERR_FILENO);
  }
  ~stderr_reader() {
    ::dup2(before_, STDERR_FILENO);
    for (int const end : {before_, ends_[0], ends_[1]}) ::close(end);
  }
  stderr_reader(stderr_reader const&) = delete;
  stderr_reader& operator=(stderr_reader const&) = delete;

  /// Waits for a line.
  [[nodiscard]] std::string line() const {
    std::string text;
    for (char c = 0; c != '\n' && ::read(ends_[0], &c, 1) == 1;) text += c;
    return text;
  }

 private:
  int const before_;
  std::array<int, 2> ends_{};
};

TEST(trouble, a_task_that_could_go_on_under_one_that_waits_is_reported) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  skua::pool pool({.workers = 1, .stack_bytes = huge_stack});
  skua::pool other({.workers = 1});
  no_stacks const at_all;
  skua::task_group group;
  skua::one_shot<int> answer;
  std::atomic<bool> buried{false};
  stderr_reader const heard;
  std::string said;
  std::thread outside([&] {
    said = heard.line();
    answer.set_value(1);
  });
  bury(
      pool, other, group,
      [&] {
        buried = true;
        skua::runtime::executor::with_here([&](auto& here) { EXPECT_EQ(answer.wait(here), 1); });
      },
      [&] {
        while (!buried) std::this_thread::yield();
      });
  outside.join();
  EXPECT_NE(said.find("out of stacks: a task could continue, but lies under a waiting one"), std::string::npos) << said;
  EXPECT_NE(said.find("SKUA_STACK"), std::string::npos) << said;
}

TEST(trouble, a_task_that_waits_in_place_parks_when_there_are_stacks_again) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  skua::pool pool({.workers = 1, .stack_bytes = huge_stack});
  skua::pool other({.workers = 1});
  no_stacks at_all;
  skua::task_group group;
  auto const parked = [&] { return pool.counters()[0].parked; };
  std::uint64_t before = 0;
  pool.run([&](auto&) {
    group.run([&] {
      other.run([&](auto&) {
        while (waited_in_place(pool) == 0) std::this_thread::yield();
        before = parked();
        at_all.give_back();
        while (parked() == before) std::this_thread::yield();
      });
    });
    group.wait();
  });
  EXPECT_GT(parked(), before);
}

TEST(trouble, the_smallest_stack_runs_a_program) {
  if (!address_space_is_ours) GTEST_SKIP() << "a sanitizer's frames are larger than that";
  skua::pool pool({.workers = 3, .stack_bytes = skua::runtime::smallest_stack_bytes});
  EXPECT_EQ(pool.run([](auto& h) { return fib(h, 15); }), 610);
}

TEST(trouble, exit_in_a_task_ends_the_process) {
  if (skua::runtime::under_asan) GTEST_SKIP() << "the pool is left as it is, which LeakSanitizer reports";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(skua::parallel_for(0, 10, [](int) { std::exit(3); }), ::testing::ExitedWithCode(3), "");
  auto in_a_static_pool = [] {
    static skua::pool own({.workers = 2});
    own.run([](auto&) { std::exit(4); });
  };
  EXPECT_EXIT(in_a_static_pool(), ::testing::ExitedWithCode(4), "");
}

TEST(trouble, a_reference_comes_back_as_a_value) {
  skua::pool pool({.workers = 1});
  std::string const kept = "a string that is too long to lie in the object itself";
  EXPECT_EQ(pool.run([&](auto&) -> std::string const& { return kept; }), kept);
}

TEST(trouble, a_stop_that_was_noticed_is_not_forgotten) {
  // One fork notices both stops. The inner stop ends there; the outer one must end the next fork.
  skua::pool pool({.workers = 1});
  std::stop_source outer;
  bool ran = false;
  EXPECT_THROW(pool.run([&](auto& h) {
    h.with_stop(outer.get_token(), [&](auto& g) {
      std::stop_source inner;
      try {
        g.with_stop(inner.get_token(), [&](auto& k) {
          outer.request_stop();
          inner.request_stop();
          k.join([](auto&) {}, [](auto&) {});
        });
      } catch (skua::cancelled const&) {}
      g.join([&](auto&) { ran = true; }, [](auto&) {});
    });
  }),
               skua::cancelled);
  EXPECT_FALSE(ran);
}

TEST(trouble, a_stop_noticed_by_a_scopes_fork_ends_the_next_join) {
  skua::pool pool({.workers = 1});
  std::stop_source source;
  bool ran = false;
  EXPECT_THROW(pool.run([&](auto& h) {
    h.with_stop(source.get_token(), [&](auto& g) {
      g.scope([&](auto& s) {
        source.request_stop();
        s.spawn([](auto&) {});
        g.join([&](auto&) { ran = true; }, [](auto&) {});
      });
    });
  }),
               skua::cancelled);
  EXPECT_FALSE(ran);
}

}  // namespace
