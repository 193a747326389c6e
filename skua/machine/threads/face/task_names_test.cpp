// SPDX-License-Identifier: MIT
// In a trace every kind of task that goes through a lane has a name: that of its function's type, or of the coroutine that
// goes on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <coroutine>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using skua::testing::wait_until;
using trace::kind;

class task_names : public ::testing::Test {
 protected:
  task_names() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_task_names_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~task_names() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "t").string(); }
  // Under `adws` the first child of a join would travel.
  [[nodiscard]] pool_options traced() const { return {.workers = 2, .policy = "random", .trace = path()}; }

  /// How many events of this kind name something with `part` in it.
  [[nodiscard]] std::size_t named(kind what, std::string_view part) const {
    trace::trace_data const all = trace::read_trace(path());
    std::size_t n = 0;
    for (auto const& t : all.tracks)
      n += static_cast<std::size_t>(std::ranges::count_if(t.events, [&](trace::event const& e) {
        return e.what == what && all.name(e.other).find(part) != std::string_view::npos;
      }));
    return n;
  }

  std::filesystem::path folder_;
};

/// Types with names, because compilers spell lambdas in ways of their own.
struct sets_flag {
  std::atomic<bool>& ran;
  void operator()() const { ran = true; }
};

void run_in_group(std::atomic<bool>& ran, bool defers) {
  task_group group;
  if (defers) {
    group.run(group.defer(sets_flag{ran}));
  } else {
    group.run(sets_flag{ran});
  }
  wait_until("another worker takes the task", [&ran] { return ran.load(); });
  group.wait();
}

TEST_F(task_names, those_of_task_groups_are_there) {
  for (bool const defers : {false, true}) {
    std::atomic<bool> ran{false};
    {
      pool p(traced());
      p.run([&](auto&) { run_in_group(ran, defers); });
    }
    EXPECT_EQ(named(kind::task_began, "sets_flag"), 1u) << defers;
  }
}

/// Adds item 1, and waits until another worker has it.
struct feeds {
  std::atomic<bool>& ran;
  void operator()(int item, feeder<int>& more) const {
    if (item == 1) {
      ran = true;
      return;
    }
    more.add(1);
    wait_until("another worker takes the item", [this] { return ran.load(); });
  }
};

TEST_F(task_names, those_of_feeders_are_those_of_the_body) {
  std::atomic<bool> ran{false};
  std::array const items{0};
  {
    pool p(traced());
    p.run([&](auto&) { parallel_for_each(items.begin(), items.end(), feeds{ran}); });
  }
  EXPECT_EQ(named(kind::task_began, "feeds"), 1u);
}

struct does_nothing {
  void operator()() const {}
};
struct takes_here {
  void operator()(here&) const {}
};

TEST_F(task_names, those_of_children_that_are_given_no_here_are_their_own) {
  std::atomic<bool> ran{false};
  {
    pool p(traced());
    p.run([&] {
      skua::join([&] { wait_until("another worker has the second child", [&ran] { return ran.load(); }); },
                 sets_flag{ran});
    });
  }
  EXPECT_EQ(named(kind::task_began, "sets_flag"), 1u);
  EXPECT_EQ(named(kind::task_began, "ambient_child"), 0u);
}

TEST_F(task_names, those_of_enqueue_are_there) {
  {
    pool p(traced());
    p.enqueue(does_nothing{});
    p.enqueue(work{1}, takes_here{});
    p.drain();
  }
  EXPECT_EQ(named(kind::task_began, "does_nothing"), 1u);
  EXPECT_EQ(named(kind::task_began, "takes_here"), 1u);
}

void enqueue_lambda(pool& p) {
  p.enqueue([] {});
}

TEST_F(task_names, that_of_a_lambda_is_its_functions_or_its_place) {
  {
    pool p(traced());
    enqueue_lambda(p);
    p.drain();
  }
  std::size_t const by_gcc = named(kind::task_began, "enqueue_lambda");
  std::size_t const by_clang = named(kind::task_began, "task_names_test.cpp:");
  EXPECT_EQ(by_gcc + by_clang, 1u);
}

struct coroutine {
  struct promise_type {
    coroutine get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

struct seven {
  int operator()() const { return 7; }
};

coroutine compute_elsewhere(pool& p, std::atomic<int>& answer) { answer = co_await run_on(p, seven{}); }

TEST_F(task_names, those_of_run_on_are_there) {
  std::atomic<int> answer{0};
  {
    pool p(traced());
    compute_elsewhere(p, answer);
    p.drain();
  }
  EXPECT_EQ(answer.load(), 7);
  EXPECT_EQ(named(kind::task_began, "seven"), 1u);
}

template <class T>
coroutine wait_for_value(one_shot<T>& source, std::atomic<T>& got) {
  got = co_await source;
}

TEST_F(task_names, a_coroutine_that_goes_on_has_its_functions_name) {
  one_shot<int> source;
  std::atomic<int> got{0};
  {
    pool p(traced());
    p.run([&](auto&) { wait_for_value(source, got); });
    source.set_value(3);
    p.drain();
  }
  EXPECT_EQ(got.load(), 3);
  EXPECT_EQ(named(kind::task_began, "wait_for_value"), 1u);
}

void run_and_wait_outside() {
  task_group group;
  std::atomic<bool> ran{false};
  group.run_and_wait(sets_flag{ran});
  EXPECT_TRUE(ran.load());
}

/// The default pool lives until the process ends, and reads the environment once: no other test of this program uses it.
TEST_F(task_names, a_task_that_its_own_thread_runs_is_a_call_with_its_name) {
  ::setenv("SKUA_TRACE", path().c_str(), 1);
  ::setenv("SKUA_WORKERS", "2", 1);
  run_and_wait_outside();
  // A worker that is awake may have made it a guest's; the next call finds one asleep.
  wait_until("the call is in the trace", [this] {
    run_and_wait_outside();
    return named(kind::called, "sets_flag") > 0;
  });
  ::unsetenv("SKUA_WORKERS");
  ::unsetenv("SKUA_TRACE");
}

}}}}  // namespace skua::v0::runtime
