// SPDX-License-Identifier: MIT
// What a worker writes into a trace agrees with what it counts, and says who, where and what.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"
#include "tests/programs/fib.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using skua::testing::wait_until;
using trace::event;
using trace::kind;
using trace::trace_data;
using events = std::vector<event>;

class worker_events : public ::testing::TestWithParam<char const*> {
 protected:
  worker_events() {
    std::string where = (std::filesystem::temp_directory_path() / "skua_worker_events_XXXXXX").string();
    folder_ = ::mkdtemp(where.data());
  }
  ~worker_events() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "t").string(); }
  [[nodiscard]] trace_data read() const { return trace::read_trace(path()); }

  std::filesystem::path folder_;
};
INSTANTIATE_TEST_SUITE_P(policies, worker_events, ::testing::Values("random", "adws", "numa-ws"));

std::uint64_t count(events const& all, kind what) {
  return static_cast<std::uint64_t>(std::ranges::count(all, what, &event::what));
}
event const& only(events const& all, kind what) {
  EXPECT_EQ(count(all, what), 1u) << name_of(what);
  return *std::ranges::find(all, what, &event::what);
}
/// Of each kind, on all workers.
std::uint64_t count_all(trace_data const& all, kind what) {
  std::uint64_t found = 0;
  for (auto const& t : all.tracks) found += count(t.events, what);
  return found;
}
/// A worker runs one task at a time. A task may go on elsewhere after it has waited: then it begins on one worker and ends on
/// another, and each of the two has written where its part of it began and ended.
void expect_one_task_at_a_time(events const& of_worker) {
  bool runs = false;
  for (event const& e : of_worker) {
    bool const goes = e.what == kind::task_began || e.what == kind::called || e.what == kind::resumed;
    bool const stops =
        e.what == kind::task_ended || e.what == kind::left || e.what == kind::parked || e.what == kind::moved;
    if (!goes && !stops) continue;
    ASSERT_NE(runs, goes) << name_of(e.what) << " at " << e.ticks;
    runs = goes;
  }
  EXPECT_FALSE(runs);
}
bool is_activity(kind what) { return what >= kind::working && what <= kind::sleeping; }

/// Workers that sleep count nothing, and write nothing.
/// Until all sleep at once, and none has searched for a while: one that falls asleep may wake another one.
void await_sleep(pool& p) {
  pool_core& c = runtime::core_of(p);
  auto const all_sleep = [&] {
    for (std::uint32_t w = 0; w < p.num_workers(); ++w) {
      if (!c.sleep().is_waiting(worker_id{w})) return false;
    }
    return true;
  };
  auto const attempts = [&] {
    std::uint64_t sum = 0;
    for (worker_counters const& w : p.counters()) sum += w.attempts;
    return sum;
  };
  wait_until("all workers sleep", [&] {
    std::uint64_t const before = attempts();
    if (!all_sleep()) return false;
    ::usleep(5000);
    return all_sleep() && attempts() == before;
  });
}

TEST_P(worker_events, are_as_many_as_the_worker_has_counted) {
  std::vector<worker_counters> counted;
  {
    pool p({.workers = 4, .policy = GetParam(), .trace = path()});
    p.run([](auto& h) {
      for (int round = 0; round < 20; ++round)
        h.join_each(std::vector<int>(16), [](auto& inner, int) { ::usleep(10), skua::testing::fib(inner, 8); });
    });
    await_sleep(p);
    counted = p.counters();
  }
  trace_data const all = read();
  for (std::size_t w = 0; w < counted.size(); ++w) {
    SCOPED_TRACE(w);
    worker_counters const& c = counted[w];
    events const& e = all.tracks[w].events;
    std::uint64_t steals = 0;
    for (std::uint64_t const of_distance : c.steals) steals += of_distance;
    EXPECT_EQ(count(e, kind::task_began) + count(e, kind::called), c.tasks);
    EXPECT_EQ(count(e, kind::left), count(e, kind::called));
    expect_one_task_at_a_time(e);
    EXPECT_EQ(count(e, kind::stolen), steals);
    EXPECT_EQ(count(e, kind::lost), c.lost);
    EXPECT_EQ(count(e, kind::parked), c.parked);
    EXPECT_GE(count(e, kind::sleeping), c.sleeps);
    std::uint64_t attempts = 0;
    std::uint64_t successes = 0;
    for (event const& one : e) {
      if (one.what == kind::stolen || one.what == kind::lost) ++successes;
      if (!is_activity(one.what)) continue;
      EXPECT_GE(one.value, attempts) << "attempts so far";
      EXPECT_GE(one.value, successes);
      attempts = one.value;
    }
    EXPECT_EQ(attempts, c.attempts);
  }
  EXPECT_EQ(count_all(all, kind::task_ended), count_all(all, kind::task_began));
  EXPECT_EQ(count_all(all, kind::resumed), count_all(all, kind::parked) + count_all(all, kind::moved));
  std::set<std::uint64_t> gone_on;  // what has begun or was resumed, on whichever worker
  for (auto const& t : all.tracks) {
    for (event const& e : t.events)
      if (e.what == kind::task_began || e.what == kind::resumed) gone_on.insert(e.id);
  }
  std::uint64_t sent = 0;
  for (std::uint32_t w = 0; w < counted.size(); ++w) {
    for (event const& e : all.tracks[w].events) {
      if (e.what != kind::sent) continue;
      ++sent;
      EXPECT_NE(e.other, w);
      EXPECT_LT(e.other, counted.size());
      EXPECT_EQ(gone_on.count(e.id), 1u);
    }
  }
  if (std::string_view(GetParam()) == "adws") {
    EXPECT_GT(sent, 0u);
  }
}

/// Lasts until the join around it has parked.
struct stolen_child {
  std::atomic<bool>& is_stolen;
  pool& of;
  void operator()(here&) const {
    is_stolen = true;
    wait_until("the join parks", [this] {
      return std::ranges::any_of(of.counters(), [](worker_counters const& c) { return c.parked != 0; });
    });
  }
};

TEST_F(worker_events, say_what_was_stolen_from_whom_and_who_waited_for_it) {
  std::vector<worker_counters> counted;
  {
    pool p({.workers = 2, .policy = "random", .trace = path(), .topology = "package:2 core:1"});
    auto const second = p.open_region("random");
    std::atomic<bool> is_stolen{false};
    second.run([&](auto& h) {
      mark(h, "before", 7);
      h.join([&](auto&) { wait_until("the second child is stolen", [&] { return is_stolen.load(); }); },
             stolen_child{is_stolen, p});
    });
    await_sleep(p);
    counted = p.counters();
  }
  trace_data const all = read();
  std::uint32_t const caller = count(all.tracks[0].events, kind::called) != 0 ? 0 : 1;
  std::uint32_t const thief = 1 - caller;
  events const& of_caller = all.tracks[caller].events;
  events const& of_thief = all.tracks[thief].events;

  event const& stolen = only(of_thief, kind::stolen);
  EXPECT_EQ(stolen.other, caller);
  EXPECT_EQ(stolen.detail, static_cast<std::uint8_t>(lane::forks));
  ASSERT_LT(stolen.count, worker_counters::distance_classes);
  EXPECT_EQ(counted[thief].steals[stolen.count], 1u);
  event const& begun = only(of_thief, kind::task_began);
  EXPECT_EQ(begun.id, stolen.id);
  EXPECT_EQ(begun.detail, stolen.detail);
  EXPECT_EQ(begun.count, all.tracks.back().events.at(1).count) << "the region that was opened second";
  EXPECT_NE(all.name(begun.other).find("stolen_child"), std::string_view::npos) << all.name(begun.other);

  EXPECT_EQ(all.name(only(of_caller, kind::mark).other), "before");
  EXPECT_EQ(only(of_caller, kind::mark).value, 7u);
  EXPECT_EQ(only(of_caller, kind::parked).id, only(of_caller, kind::resumed).id);
  kind activity = kind::none;
  std::vector<kind> between;  // parked and left
  bool waits = false;
  for (event const& e : of_caller) {
    if (is_activity(e.what)) activity = e.what;
    if (e.what == kind::parked) waits = true;
    if (e.what == kind::left) {
      EXPECT_EQ(activity, kind::working) << "what was resumed works";
      break;
    }
    if (waits && is_activity(e.what)) between.push_back(e.what);
  }
  ASSERT_FALSE(between.empty());
  EXPECT_EQ(between.front(), kind::scheduling) << "who parks looks for something else";
}

}}}}  // namespace skua::v0::runtime
