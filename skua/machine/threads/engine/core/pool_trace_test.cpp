// SPDX-License-Identifier: MIT
// A trace of a pool says what its workers did: every task that began has ended, every steal is followed by what was stolen,
// and each parked frame is resumed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "skua/machine/threads/face/pool_marks.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using trace::event;
using trace::kind;
using trace::trace_data;

class traced_pool : public ::testing::TestWithParam<char const*> {
 protected:
  traced_pool() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_pool_trace_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~traced_pool() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "t").string(); }
  [[nodiscard]] trace_data read() const { return trace::read_trace(path()); }

  std::filesystem::path folder_;
};
INSTANTIATE_TEST_SUITE_P(policies, traced_pool,
                         ::testing::Values("random", "hierarchical", "adws", "numa-ws", "replay"));

long fib(auto& here, int n) {
  if (n < 2) return n;
  auto [a, b] = here.join([n](auto& h) { return fib(h, n - 1); }, [n](auto& h) { return fib(h, n - 2); });
  return a + b;
}

std::size_t count(trace_data const& all, kind what) {
  std::size_t n = 0;
  for (auto const& t : all.tracks) n += static_cast<std::size_t>(std::ranges::count(t.events, what, &event::what));
  return n;
}

/// What a worker does is nested: tasks begin and end in turn, but for those that park in between.
void expect_tasks_are_balanced(trace_data const& all) {
  EXPECT_EQ(count(all, kind::task_began), count(all, kind::task_ended));
  EXPECT_EQ(count(all, kind::called), count(all, kind::left));
  std::map<std::uint64_t, int> waiting;
  for (auto const& t : all.tracks) {
    ASSERT_EQ(t.lost, 0u);
    for (event const& e : t.events) {
      if (e.what == kind::parked || e.what == kind::moved) ++waiting[e.id];
      if (e.what == kind::resumed) --waiting[e.id];
    }
  }
  for (auto const& [frame, n] : waiting) EXPECT_EQ(n, 0) << "frame " << frame;
}

using traced_auto = traced_pool;
INSTANTIATE_TEST_SUITE_P(automatic, traced_auto, ::testing::Values("auto"));

TEST_P(traced_auto, a_change_of_the_scheduler_and_the_choices_at_the_end_are_in_the_trace) {
  std::uint64_t changes = 0;
  {
    pool workers({.workers = 2, .policy = GetParam(), .trace = path()});
    auto const spawns = [](auto& here) {
      here.finish([](auto& f) {
        for (int i = 0; i < 4; ++i) f.spawn([](auto&) {});
      });
    };
    auto const forks = [](auto& here) { return fib(here, 5); };
    for (int i = 0; i < 2; ++i) {
      workers.run(spawns);
      EXPECT_EQ(workers.run(forks), 5);
    }
    for (worker_counters const& c : workers.counters()) changes += c.scheduler_changes;
  }
  trace_data const all = read();
  std::vector<std::string> to;
  for (auto const& t : all.tracks) {
    for (event const& e : t.events) {
      if (e.what == kind::scheduler_changed) to.emplace_back(all.name(e.other));
    }
  }
  std::ranges::sort(to);
  EXPECT_EQ(to, (std::vector<std::string>{"adws", "adws", "random", "random"})) << "a call that spawns before it forks";
  EXPECT_EQ(changes, to.size());
  std::vector<std::string> said;
  for (event const& e : all.tracks.back().events) {
    if (e.what == kind::call_choice) said.emplace_back(all.name(e.other));
  }
  ASSERT_EQ(said.size(), 2U);
  auto const says = [&](std::string_view what) {
    return std::ranges::count_if(said, [&](std::string const& s) { return s.find(what) != std::string::npos; });
  };
  EXPECT_EQ(says(": random (it spawns tasks before it forks) since call 1; 2 calls of "), 1) << said[0];
  EXPECT_EQ(says(": adws (the first choice) since call 1; 2 calls of "), 1) << said[1];
}

TEST_P(traced_pool, a_worker_sleeps_after_the_call_that_ran_in_its_place) {
  {
    pool p({.workers = 2, .policy = GetParam(), .trace = path()});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(p.run([](auto& h) { return fib(h, 10); }), 55);
  }
  trace_data const all = read();
  std::size_t calls = 0;
  for (auto const& t : all.tracks) {
    for (std::size_t i = 0; i + 1 < t.events.size(); ++i) {
      if (t.events[i].what != kind::left) continue;
      ++calls;
      EXPECT_NE(t.events[i + 1].what, kind::idling) << "event " << i;
    }
  }
  EXPECT_GT(calls, 0u);
}

TEST_P(traced_pool, a_mark_from_outside_is_no_call_and_has_its_place_in_time) {
  {
    pool p({.workers = 2, .policy = GetParam(), .trace = path()});
    mark_from_outside(p, "run_began", 7);
    EXPECT_EQ(p.run([](auto& h) { return fib(h, 10); }), 55);
    mark_from_outside(p, "run_ended", 7);
    pool untraced({.workers = 1, .policy = GetParam(), .trace = ""});
    mark_from_outside(untraced, "run_began", 1);
  }
  trace_data const all = read();
  EXPECT_EQ(count(all, kind::called), 1u);
  std::vector<event> marks;
  for (event const& e : all.tracks.back().events)
    if (e.what == kind::mark) marks.push_back(e);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(all.name(marks[0].other), "run_began");
  EXPECT_EQ(all.name(marks[1].other), "run_ended");
  EXPECT_EQ(marks[1].value, 7u);
  for (std::size_t w = 0; w + 1 < all.tracks.size(); ++w) {
    for (event const& e : all.tracks[w].events) {
      if (e.what != kind::called && e.what != kind::left) continue;
      EXPECT_GE(e.ticks, marks[0].ticks);
      EXPECT_LE(e.ticks, marks[1].ticks);
    }
  }
}

TEST_P(traced_pool, every_task_ends_and_every_frame_that_parks_is_resumed) {
  {
    pool p({.workers = 4, .policy = GetParam(), .trace = path()});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(p.run([](auto& h) { return fib(h, 16); }), 987);
  }
  trace_data const all = read();
  EXPECT_TRUE(all.is_complete);
  ASSERT_EQ(all.tracks.size(), 5u) << "four workers, and the threads outside";
  EXPECT_NE(all.description.find(GetParam()), std::string::npos) << all.description;
  expect_tasks_are_balanced(all);
  EXPECT_EQ(count(all, kind::called) + count(all, kind::task_began) >= 20, true);
  EXPECT_EQ(all.tracks.back().events.at(0).what, kind::region_opened);
  EXPECT_EQ(all.name(all.tracks.back().events.at(0).other), GetParam());
}

TEST_P(traced_pool, what_was_stolen_begins_or_is_sent_on_next) {
  {
    pool p({.workers = 4, .policy = GetParam(), .trace = path()});
    for (int i = 0; i < 50; ++i) {
      p.run([](auto& h) { h.join_each(std::vector<int>(64), [](auto&, int) { ::usleep(20); }); });
    }
  }
  trace_data const all = read();
  expect_tasks_are_balanced(all);
  std::size_t steals = 0;
  for (auto const& t : all.tracks) {
    for (std::size_t i = 0; i < t.events.size(); ++i) {
      if (t.events[i].what != kind::stolen) continue;
      ++steals;
      EXPECT_LT(t.events[i].other, 4u);
      auto const next =
          std::find_if(t.events.begin() + static_cast<std::ptrdiff_t>(i) + 1, t.events.end(), [&](event const& e) {
            return e.what == kind::task_began || e.what == kind::sent || e.what == kind::resumed;
          });
      ASSERT_NE(next, t.events.end());
    }
  }
  if (GetParam() == std::string("random")) {
    EXPECT_GT(steals, 0u);
  }
  bool named = false;
  for (auto const& t : all.tracks) {
    for (event const& e : t.events) {
      std::string_view const name = e.what == kind::task_began ? all.name(e.other) : std::string_view();
      for (std::string_view const said : {"what_was_stolen_begins", "pool_trace_test.cpp:"})  // GCC's and Clang's
        named |= name.find(said) != std::string_view::npos;
    }
  }
  EXPECT_TRUE(named) << "a task is named after the function around its lambda, or its place";
}

TEST_P(traced_pool, leaves_say_what_they_write) {
  std::vector<double> data(64);
  {
    pool p({.workers = 2, .policy = GetParam(), .trace = path()});
    p.run([&](auto& h) {
      h.join_each(data,
                  [](auto& inside, double& x) { inside.leaf(reads{&x, 4}, writes{&x, sizeof x}, [&] { x = 1; }); });
    });
  }
  std::vector<std::uint64_t> written;
  trace_data const all = read();
  for (auto const& t : all.tracks) {
    for (event const& e : t.events) {
      if (e.what != kind::leaf) continue;
      written.push_back(e.id);
      EXPECT_EQ(e.value, sizeof(double));
      EXPECT_EQ(e.other, 4u);
    }
  }
  std::ranges::sort(written);
  ASSERT_EQ(written.size(), data.size());
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(written[i], reinterpret_cast<std::uintptr_t>(&data[i]));
}

TEST_F(traced_pool, sleepers_attempts_and_placements_are_there) {
  {
    pool p({.workers = 2, .policy = "adws", .trace = path()});
    p.run([](auto& h) { h.join_each(std::vector<int>(8), [](auto&, int) { ::usleep(100); }); });
    ::usleep(20'000);
    p.run([](auto& h) { h.join_each(std::vector<int>(8), [](auto&, int) { ::usleep(100); }); });
  }
  trace_data const all = read();
  EXPECT_GE(count(all, kind::sleeping), 2u);
  EXPECT_GE(count(all, kind::exposed), 1u);
  EXPECT_GE(count(all, kind::working), 2u);
}

TEST_F(traced_pool, a_trace_that_cannot_be_written_is_an_error_at_the_start) {
  try {
    pool p({.workers = 1, .trace = "/no/such/folder/t"});
    FAIL();
  } catch (usage_error const& e) {
    EXPECT_NE(std::string(e.what()).find("pool option trace is '/no/such/folder/t'"), std::string::npos) << e.what();
  }
}

TEST_F(traced_pool, the_environment_names_file_size_and_rank) {
  ::setenv("SKUA_TRACE", path().c_str(), 1);
  ::setenv("SKUA_TRACE_SIZE", "64k", 1);
  ::setenv("PMI_RANK", "3", 1);
  ::setenv("PMI_SIZE", "4", 1);
  { pool p(1); }
  ::unsetenv("PMI_RANK");
  ::unsetenv("PMI_SIZE");
  ::unsetenv("SKUA_TRACE_SIZE");
  ::unsetenv("SKUA_TRACE");
  trace_data const all = trace::read_trace(path() + ".3");
  EXPECT_EQ(all.rank, 3u);
  EXPECT_EQ(all.ranks, 4u);
}

TEST_F(traced_pool, pools_that_live_at_once_write_a_trace_each) {
  {
    pool outer({.workers = 2, .trace = path()});
    outer.run([&](auto&) {
      pool inner({.workers = 2, .trace = path()});
      EXPECT_EQ(inner.run([](auto& h) { return fib(h, 10); }), 55);
    });
  }
  EXPECT_EQ(trace::files_of_trace(path()), (std::vector{path(), path() + "-2"}));
}

}}}}  // namespace skua::v0::runtime
