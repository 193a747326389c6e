// SPDX-License-Identifier: MIT
// The end of the process: static objects, exit handlers and threads that go on use the default pool until the process is
// gone (exit.md). Each program is a process of its own, which must end with status 0.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"

/// LeakSanitizer asks this at exit.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier): its name

namespace {

/// In the child of a fork: what the stacks of the other threads held is held by none.
bool is_forked = false;

/// Ends the process at once if a promise is broken: a destructor at exit cannot fail a test otherwise.
void require(bool holds, int status) {
  if (!holds) ::_exit(status);
}

void loop() {
  std::atomic<int> sum{0};
  skua::parallel_for(0, 1000, [&](int i) { sum.fetch_add(i, std::memory_order_relaxed); });
  require(sum.load() == 499'500, 2);
}

/// Everything that a thread may ask of the default pool.
void use_all() {
  loop();
  std::atomic<int> ran{0};
  {
    skua::task_group group;
    for (int i = 0; i < 100; ++i) group.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    group.wait();
    require(ran.load() == 100, 3);
    group.run_and_wait([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    require(ran.load() == 101, 4);
  }
  skua::pool& pool = skua::default_pool();
  require(pool.run([](auto& here) {
    auto const [a, b] = here.join([](auto&) { return 3; }, [](auto&) { return 4; });
    return a + b;
  }) == 7,
          5);
  for (int i = 0; i < 10; ++i) pool.enqueue([&] { ran.fetch_add(1, std::memory_order_relaxed); });
  pool.drain();
  require(ran.load() == 111, 6);
  require(pool.open_region("random").run([](auto&) { return 8; }) == 8, 7);
  std::vector<int> numbers(10'000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  skua::parallel_sort(numbers.begin(), numbers.end());
  require(std::ranges::is_sorted(numbers), 8);
}

long threads_of_this_process() {
  using each = std::filesystem::directory_iterator;
  return std::distance(each("/proc/self/task"), each());
}

/// A static object that works in its destructor.
struct late {
  explicit late(std::function<void()> w) : work(std::move(w)) {}
  ~late() { work(); }
  late(late const&) = delete;
  late& operator=(late const&) = delete;
  std::function<void()> work;
};

/// Calls another pool from a task that a waiting group runs.
void in_two_threads(skua::pool& other) {
  skua::task_group group;
  group.run([&] { other.run([](auto&) { loop(); }); });
  group.wait();
}

/// Returns when each worker of the default pool waits for it where Skua does not see that: what is enqueued then gets a lent thread.
void wait_on_all_workers(std::shared_future<void> const& answer) {
  std::uint32_t const workers = skua::default_pool().num_workers();
  static std::atomic<std::uint32_t> waiting{0};
  for (std::uint32_t w = 0; w < workers; ++w) {
    skua::enqueue([&answer] {
      ++waiting;
      answer.wait();
    });
  }
  while (waiting.load() < workers) std::this_thread::yield();
}

struct program {
  char const* name;
  void (*run)();  ///< ends in exit()
};

program const programs[] = {
    {"static_object_made_before_the_pool",
     [] {
       static late const kept(use_all);
       loop();
       std::exit(0);
     }},
    {"static_object_makes_the_pool",
     [] {
       static late const first(use_all);
       static late const second(use_all);
       std::exit(0);
     }},
    {"exit_handlers",
     [] {
       require(std::atexit(use_all) == 0, 1);
       loop();
       require(std::atexit(use_all) == 0, 1);
       std::exit(0);
     }},
    {"exit_by_another_thread",
     [] {
       static late const kept(use_all);
       static std::atomic<int> rounds{0};
       std::thread([] {
         while (rounds.load() < 10) std::this_thread::yield();
         std::exit(0);
       }).detach();
       for (;; ++rounds) use_all();
     }},
    {"threads_that_still_loop",
     [] {
       static late const kept(use_all);
       static std::atomic<int> rounds{0};
       for (int i = 0; i < 3; ++i) {
         std::thread([] {
           for (;; ++rounds) use_all();
         }).detach();
       }
       while (rounds.load() < 10) std::this_thread::yield();
       std::exit(0);
     }},
    {"static_object_joins_a_thread_that_loops",
     [] {
       static std::atomic<int> rounds{0};
       static std::atomic<bool> ends{false};
       static std::thread looping([] {
         for (; !ends.load(); ++rounds) use_all();
       });
       static late const kept([] {
         int const before = rounds.load();
         while (rounds.load() < before + 3) std::this_thread::yield();
         ends.store(true);
         looping.join();
       });
       while (rounds.load() < 3) std::this_thread::yield();
       std::exit(0);
     }},
    {"task_ends_the_process",
     [] {
       static late const kept(use_all);
       skua::parallel_for(0, 1000, [](int i) {
         if (i == 500) std::exit(0);
       });
     }},
    {"enqueued_task_ends_the_process",
     [] {
       static late const kept(loop);  // an enqueued task must not drain its pool
       skua::enqueue([] { std::exit(0); });
       for (;;) loop();
     }},
    {"parked_task_goes_on_after_exit",
     [] {
       static skua::one_shot<int> answer;
       static skua::task_group group;
       static late const kept([] {
         answer.set_value(7);
         group.wait();
         use_all();
       });
       static std::atomic<bool> begun{false};
       group.run([] {
         begun.store(true);
         require(answer.wait() == 7, 9);
       });
       while (skua::default_pool().counters().empty() || !begun.load()) std::this_thread::yield();
       std::exit(0);
     }},
    {"worker_of_another_pool_calls",
     [] {
       static skua::pool other(2);
       static late const kept([] {
         other.run([](auto&) { in_two_threads(skua::default_pool()); });
         other.run([](auto&) { use_all(); });
         skua::enqueue([] { loop(); });
       });
       loop();
       std::exit(0);
     }},
    {"group_is_filled_by_one_thread_and_waited_for_by_another",
     [] {
       static late const kept([] {
         std::atomic<int> ran{0};
         skua::task_group group;
         std::thread([&] {
           for (int i = 0; i < 3; ++i) group.run([&] { ++ran; });
         }).join();
         group.wait();
         require(ran.load() == 3, 12);
       });
       loop();
       std::exit(0);
     }},
    {"process_ends_while_a_lent_thread_runs",
     [] {
       static late const kept(use_all);
       static std::promise<void> answer;
       static std::shared_future<void> const given = answer.get_future().share();
       static std::atomic<bool> is_lent{false};
       wait_on_all_workers(given);
       skua::enqueue([] {
         is_lent.store(true);
         std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the process begins to end
         loop();
         answer.set_value();
       });
       while (!is_lent.load()) std::this_thread::yield();
       std::exit(0);
     }},
    {"lent_thread_ends_the_process",
     [] {
       static late const kept(loop);
       // Never destroyed: the workers still wait for it when the process ends.
       static auto& never = *new std::promise<void>;
       static auto const& given = *new std::shared_future<void>(never.get_future());
       wait_on_all_workers(given);
       skua::enqueue([] {
         loop();
         std::exit(0);
       });
       for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
     }},
    {"an_idle_pool_ends_its_threads",
     [] {
       static late const kept([] { require(skua::runtime::under_tsan || threads_of_this_process() == 1, 13); });
       skua::pool& pool = skua::default_pool();
       skua::one_shot<> answer;
       pool.run([&](auto& here) {
         pool.enqueue([&] { answer.set_value(); });
         answer.wait(here);  // takes a second stack, which its worker then keeps
       });
       auto& sleep = skua::runtime::core_of(pool).sleep();
       for (std::uint32_t w = 0; w < pool.num_workers(); ++w) {
         while (!sleep.is_waiting(skua::worker_id{w})) std::this_thread::yield();
       }
       std::exit(0);
     }},
    {"enqueued_tasks_run_to_their_end",
     [] {
       static std::atomic<int> ran{0};
       static late const kept([] { require(ran.load() == 1000, 10); });
       for (int i = 0; i < 1000; ++i) skua::enqueue([] { ran.fetch_add(1); });
       std::exit(0);
     }},
};

void ends_well(program const& p, char const* policy, char const* workers) {
  SCOPED_TRACE(std::string(p.name) + ", " + policy + ", " + workers + " workers");
  auto const whole = [&] {
    ::setenv("SKUA_POLICY", policy, 1);
    ::setenv("SKUA_WORKERS", workers, 1);
    ::alarm(100);  // SIGALRM ends a process that hangs
    p.run();
  };
  EXPECT_EXIT(whole(), ::testing::ExitedWithCode(0), "");
}

class at_exit : public ::testing::TestWithParam<program> {};

TEST_P(at_exit, the_default_pool_works) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ends_well(GetParam(), "random", "1");
  ends_well(GetParam(), "adws", "4");
}

/// A folder for the traces of one test: of two processes that write to one path the second gets another one, and who reads
/// the path finds the first's. The process that a death test starts runs the test from its beginning, and is told by its
/// environment.
class trace_folder {
 public:
  trace_folder() {
    if (char const* const given = std::getenv(variable)) {
      name_ = given;
      return;
    }
    name_ = ::testing::TempDir() + "skua_exit_trace_XXXXXX";
    EXPECT_NE(::mkdtemp(name_.data()), nullptr);
    ::setenv(variable, name_.c_str(), 1);
  }
  ~trace_folder() {
    ::unsetenv(variable);
    EXPECT_EQ(::rmdir(name_.c_str()), 0);
  }
  trace_folder(trace_folder const&) = delete;
  trace_folder& operator=(trace_folder const&) = delete;

  [[nodiscard]] std::string path() const { return name_ + "/t"; }

 private:
  static constexpr char const* variable = "TRACE_OF_EXIT_TEST";
  std::string name_;
};

/// What the workers did until the end is in the trace, and the trace says that it has ended.
void leaves_a_trace(void (*program)()) {
  trace_folder const folder;
  std::string const path = folder.path();
  auto const whole = [&] {
    ::setenv("SKUA_TRACE", path.c_str(), 1);
    ::setenv("SKUA_WORKERS", "2", 1);
    ::alarm(100);
    program();
  };
  EXPECT_EXIT(whole(), ::testing::ExitedWithCode(0), "");
  auto const read = skua::trace::read_trace(path);
  EXPECT_TRUE(read.is_complete);
  EXPECT_FALSE(read.tracks.front().events.empty());
  EXPECT_EQ(::unlink(path.c_str()), 0);
}

TEST(exit_trace, a_trace_is_complete_at_exit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  leaves_a_trace([] {
    loop();
    std::exit(0);
  });
}
TEST(exit_trace, a_trace_is_complete_though_a_task_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  leaves_a_trace([] { skua::parallel_for(0, 1, [](int) { std::exit(0); }); });
}

/// What opens regions after the end of the trace writes to none.
TEST(exit_trace, the_pool_works_after_its_trace_has_ended) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  leaves_a_trace([] {
    static late const kept(use_all);
    loop();
    std::exit(0);
  });
}

TEST(exit_report, the_policy_of_the_default_pool_explains_itself_at_exit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const whole = [] {
    ::setenv("SKUA_POLICY", "auto:explain", 1);
    ::setenv("SKUA_WORKERS", "2", 1);
    loop();
    std::exit(0);
  };
  // GCC names a lambda by the function around it, Clang by its file and line.
  EXPECT_EXIT(whole(), ::testing::ExitedWithCode(0),
              "auto: .*(loop_over|pieces.hpp).*: adws .the first choice. since call 1; 1 call of");
}

TEST(exit_after_fork, both_processes_end) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto const whole = [] {
    static late const kept(use_all);
    loop();
    pid_t const child = ::fork();
    ::alarm(100);
    if (child == 0) {
      is_forked = true;
      loop();
      std::exit(0);
    }
    int status = -1;
    require(::waitpid(child, &status, 0) == child && status == 0, 11);
    std::exit(0);
  };
  if (skua::runtime::under_tsan) GTEST_SKIP() << "ThreadSanitizer allows no new threads in a child of fork()";
  EXPECT_EXIT(whole(), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(all, at_exit, ::testing::ValuesIn(programs),
                         [](auto const& tested) { return std::string(tested.param.name); });

}  // namespace

int __lsan_is_turned_off() { return is_forked ? 1 : 0; }
