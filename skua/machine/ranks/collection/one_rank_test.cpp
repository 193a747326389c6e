// SPDX-License-Identifier: MIT
// One rank of a collection on a clock that only its tasks and its rests move: how long it says that tasks took, how often it reads the clock,
// looks around and rests, what it says when it waits, and what becomes of a failure.
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

#include "skua/machine/ranks/collection/checkpoint.hpp"
#include "skua/machine/ranks/collection/metered_for_test.hpp"
#include "skua/machine/ranks/collection/poll_pace.hpp"
#include "skua/machine/ranks/collection/stall_report.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using metered::chosen_threads, metered::meter, metered::on_one_rank;

/// Takes so long, and spawns so many that take so long each.
struct timed {
  std::uint64_t ns = 0;
  std::uint64_t children = 0;
  std::uint64_t child_ns = 0;
};

auto runs_on(meter& m) {
  return [&m](task_site<timed>& here, timed const& t) {
    m.now_ns += t.ns;
    for (std::uint64_t c = 0; c < t.children; ++c) here.spawn({t.child_ns, 0, 0});
  };
}

std::uint64_t in_ns(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9 + 0.5); }

/// The times of the last process(), in the order of the record.
template <class Task = timed>
std::vector<std::uint64_t> times_of(task_collection<Task>& all, std::string const& name) {
  std::string const path =
      (std::filesystem::temp_directory_path() / ("skua_times_" + std::to_string(getpid()))).string();
  all.checkpoint(path);
  slot_shape const shape{.task_bytes = sizeof(Task)};
  auto const read = read_checkpoint(path, {name, typeid(Task).name(), sizeof(Task)}, shape);
  std::filesystem::remove(path);
  task_record record(shape);
  for (bytes const& r : read.records) decode(r, record);
  auto const times = record.times_ns();
  return {times.begin(), times.end()};
}

TEST(one_rank, says_how_long_each_task_took_without_those_that_it_spawned) {
  on_one_rank([](communicator& world, meter& m) {
    task_collection<timed> all(world, {.name = "timed"}, runs_on(m));
    all.add({.ns = 700});
    all.add({.ns = 5000, .children = 4, .child_ns = 300});
    all.add({.ns = 40, .children = 1, .child_ns = 9000});
    for (int iteration = 0; iteration < 2; ++iteration) {
      all.process();
      EXPECT_EQ(times_of(all, "timed"), (std::vector<std::uint64_t>{40, 5000, 700}));
      collection_report const r = all.report();
      EXPECT_EQ(in_ns(r.mean_busy), 700U + 5000 + 4 * 300 + 40 + 9000);
      EXPECT_EQ(in_ns(r.most_busy), in_ns(r.mean_busy));
      EXPECT_EQ(in_ns(r.seconds), in_ns(r.mean_busy));
      all.restore();
    }
  });
}

TEST(one_rank, reads_the_clock_once_for_several_short_tasks_that_were_spawned) {
  on_one_rank([](communicator& world, meter& m) {
    task_collection<timed> all(world, {}, runs_on(m));
    auto const readings = [&](std::uint64_t children, std::uint64_t child_ns) {
      all.add({.ns = 100, .children = children, .child_ns = child_ns});
      std::uint64_t const before = m.readings;
      all.process();
      std::uint64_t const all_readings = m.readings - before;
      EXPECT_EQ(in_ns(all.report().mean_busy), all.report().kept * 100 + children * child_ns);
      return all_readings;
    };
    std::uint64_t const none = readings(0, 0);
    for (int n = 0; n < 9; ++n) all.add({.ns = 100});
    EXPECT_EQ(readings(0, 0) - none, 9U) << "once for each that was seeded";
    for (int iteration = 0; iteration < 2; ++iteration) {
      // After one, then two, four, and eight each time; the last ones when no task is left.
      EXPECT_EQ(readings(800, 100) - none, 3U + 793 / 8 + 1);
      EXPECT_EQ(readings(15, 100) - none, 4U) << "none is left";
      EXPECT_EQ(readings(800, 1999) - none, 266U * 2 + 2) << "two together are no longer short";
      EXPECT_EQ(readings(800, 3000) - none, 800U);
      EXPECT_EQ(readings(800, 2000) - none, 800U);
    }
  });
}

TEST(one_rank, looks_around_every_ten_microseconds_and_alone_never) {
  for (std::uint64_t const ns : {4000U, 10'000U, 3333U}) {
    std::string seen;
    auto const program = [&](communicator& world, meter& m) {
      task_collection<timed> all(world, {.steals = false}, [&](timed const& t) {
        m.now_ns += t.ns;
        seen += 't';
      });
      for (int n = 0; n < 12; ++n) all.add({.ns = ns});
      for (int iteration = 0; iteration < 2; ++iteration) {
        world.barrier();
        m.now_ns += 1'000'000;
        seen.clear();
        m.before_poll = [&] {
          if (!seen.ends_with('p')) seen += 'p';
        };
        all.process();
        m.before_poll = [] {};
        std::string wanted;
        std::uint64_t since = 0;
        for (int n = 0; n < 12; ++n) {
          wanted += 't';
          since += ns;
          if (world.size() == 1 || since < 10'000) continue;
          wanted += 'p';
          since = 0;
        }
        EXPECT_EQ(seen.substr(0, wanted.size()), wanted) << ns;
        all.restore();
      }
    };
    metered::on_ranks(2, program, [](communicator& world) {
      task_collection<timed> all(world, {.steals = false}, [](timed const&) {});
      for (int iteration = 0; iteration < 2; ++iteration) {
        world.barrier();
        all.process();
      }
    });
    on_one_rank(program);
  }
}

// Open MPI yields in each look if the node is oversubscribed, and comes back after a time slice of whatever else runs there.
TEST(one_rank, looks_around_less_often_where_a_look_takes_long) {
  constexpr std::uint64_t task_ns = 10'000;
  constexpr std::uint64_t tasks = 4000;
  for (std::uint64_t const look_ns : {100'000U, 1'000'000U, 3'000'000U}) {
    metered::on_ranks(
        2,
        [&](communicator& world, meter& m) {
          std::uint64_t looks = 0;
          std::uint64_t before_the_last = 0;
          task_collection<timed> all(world, {.steals = false}, [&](timed const& t) {
            m.now_ns += t.ns;
            before_the_last = looks;
          });
          for (std::uint64_t n = 0; n < tasks; ++n) all.add({.ns = task_ns});
          world.barrier();
          m.before_poll = [&] {
            ++looks;
            m.now_ns += look_ns;
          };
          all.process();
          m.before_poll = [] {};
          std::uint64_t const pause_ns = std::min(8 * look_ns, ranks::poll_pace::longest_ns);
          EXPECT_GE(before_the_last, tasks * task_ns / pause_ns - 1);
          EXPECT_LE(before_the_last, tasks * task_ns / pause_ns + 5) << "a look that hears something looks once more";
        },
        [](communicator& world) {
          task_collection<timed> all(world, {.steals = false}, [](timed const&) {});
          world.barrier();
          all.process();
        });
  }
}

TEST(one_rank, rests_for_longer_the_longer_nothing_happens) {
  std::atomic<bool> may_go_on{false};
  metered::on_ranks(
      2,
      [&](communicator& world, meter& m) {
        task_collection<timed> all(world, {.steals = true}, runs_on(m));
        bool something = true;
        std::uint32_t expected = 0;
        std::uint64_t longest = 0;
        for (int iteration = 0; iteration < 3; ++iteration) {
          world.barrier();
          something = true;
          may_go_on = false;
          m.after_poll = [&](bool heard) { something = something || heard; };
          m.on_rest = [&](std::uint32_t rounds) {
            if (something) expected = 0;
            EXPECT_EQ(rounds, expected);
            longest = std::max<std::uint64_t>(longest, rounds);
            expected = rounds + 1;
            something = false;
            if (rounds > 40) may_go_on = true;
          };
          all.process();
          m.after_poll = [](bool) {};
          m.on_rest = [](std::uint32_t) {};
          world.barrier();
        }
        EXPECT_GT(longest, 40U);
      },
      [&](communicator& world) {
        task_collection<timed> all(world, {}, [&](timed const&) {
          while (!may_go_on) std::this_thread::yield();
        });
        for (int iteration = 0; iteration < 3; ++iteration) {
          world.barrier();
          all.add({});
          all.process();
          world.barrier();
        }
      });
}

/// The server of a rank whose worker has been started, and does not end before it is told.
template <class OnRest>
void rest_beside_a_worker(meter& m, task_collection<timed>& all, chosen_threads& threads, OnRest const& on_rest) {
  // The server runs both; for the first of them it has started the worker.
  all.add({});
  all.add({});
  m.on_rest = on_rest;
  all.process();
  m.on_rest = [](std::uint32_t) {};
  EXPECT_EQ(threads.started, 1U);
  threads.started = 0;
}

TEST(one_rank, rests_anew_after_a_task) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(1, chosen_threads::when::when_told);
    world.work_with(&threads, serving::between_tasks);
    task_collection<timed> all(world, {}, [](timed const&) {});
    std::vector<std::uint32_t> rests;
    rest_beside_a_worker(m, all, threads, [&](std::uint32_t rounds) {
      rests.push_back(rounds);
      if (rests.size() == 3) all.add({});  // which the server finds, and runs
      if (rests.size() == 5) threads.run_all();
    });
    EXPECT_EQ(rests, (std::vector<std::uint32_t>{0, 1, 2, 3, 0}));
  });
}

TEST(one_rank, looks_around_between_its_tasks_where_it_has_workers) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(1, chosen_threads::when::when_told);
    world.work_with(&threads, serving::between_tasks);
    task_collection<timed>* self = nullptr;
    std::vector<std::uint64_t> ran;
    task_collection<timed> all(world, {}, [&](timed const& t) {
      m.now_ns += 20'000;
      ran.push_back(t.ns);
      if (t.ns == 3) self->add({.ns = 30});
    });
    self = &all;
    for (std::uint64_t n = 1; n <= 3; ++n) all.add({.ns = n});
    m.on_rest = [&](std::uint32_t) { threads.run_all(); };
    all.process();
    m.on_rest = [](std::uint32_t) {};
    EXPECT_EQ(ran, (std::vector<std::uint64_t>{3, 30, 2, 1})) << "what was added is the newest";
  });
}

// ---- a rank that waits -------------------------------------------------------------------------------------------------

/// What `f` has said on standard error while SKUA_STALL had this value.
template <class F>
std::string said_with(char const* value, F f) {
  setenv("SKUA_STALL", value, 1);
  ::testing::internal::CaptureStderr();
  f();
  unsetenv("SKUA_STALL");
  return ::testing::internal::GetCapturedStderr();
}

TEST(stall_report, is_due_after_its_time_again_and_again_until_a_task_runs) {
  constexpr std::uint64_t s = 1'000'000'000;
  std::string const said = said_with("5s", [] {
    stall_report report;
    EXPECT_FALSE(report.is_due(100 * s)) << "it waits since now";
    EXPECT_FALSE(report.is_due(105 * s - 1));
    EXPECT_TRUE(report.is_due(105 * s));
    report.tell(3, "no task of 'fock'", "round 7", 105 * s);
    EXPECT_FALSE(report.is_due(105 * s));
    EXPECT_FALSE(report.is_due(110 * s - 1));
    EXPECT_TRUE(report.is_due(111 * s));
    EXPECT_FALSE(report.is_due(116 * s - 1)) << "since the last time";
    report.restart();
    EXPECT_FALSE(report.is_due(200 * s));
    EXPECT_FALSE(report.is_due(205 * s - 1));
    EXPECT_TRUE(report.is_due(205 * s));
  });
  EXPECT_EQ(said, "skua: rank 3: no task of 'fock' for 5000 ms: round 7\n");
}

TEST(stall_report, is_never_due_where_nobody_asked_for_it) {
  for (char const* const value : {"", "  ", "0s"}) {
    static_cast<void>(said_with(value, [&] {
      stall_report report;
      EXPECT_FALSE(report.is_due(1)) << value;
      EXPECT_FALSE(report.is_due(~std::uint64_t{0})) << value;
    }));
  }
  unsetenv("SKUA_STALL");
  stall_report report;
  EXPECT_FALSE(report.is_due(1));
  EXPECT_FALSE(report.is_due(~std::uint64_t{0}));
}

TEST(one_rank, does_not_wait_while_its_workers_have_tasks) {
  std::string const said = said_with("5s", [] {
    on_one_rank([](communicator& world, meter& m) {
      chosen_threads threads(1, chosen_threads::when::when_told);
      world.work_with(&threads, serving::between_tasks);
      task_collection<timed> all(world, {}, [](timed const&) {});
      int rests = 0;
      rest_beside_a_worker(m, all, threads, [&](std::uint32_t) {
        if (++rests < 4) {
          m.now_ns += 20'000'000'000;
        } else {
          threads.run_all();
        }
      });
    });
  });
  EXPECT_EQ(said, "");
}

/// What rank 0 has said.
std::size_t lines_of_rank_0(std::string const& said) {
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = said.find("skua: rank 0: no task of 'slow'", at)) != std::string::npos; ++at) ++lines;
  return lines;
}

/// Rank 0 waits in vain in two process(), between which a long time passes; in a third one it runs a long task, too; and then one takes long.
TEST(one_rank, says_what_it_waits_for_since_its_last_task_in_this_process) {
  constexpr std::uint64_t minute = 60'000'000'000;
  std::atomic<int> ran_on_0{0};
  std::atomic<bool> is_told{false};
  std::string quiet;
  auto const waits = [&](communicator& world, meter& m) {
    task_collection<timed> all(world, {.name = "slow"}, [&](timed const&) {
      m.now_ns += minute;
      ++ran_on_0;
    });
    for (int iteration = 0; iteration < 4; ++iteration) {
      world.barrier();
      m.now_ns += minute;
      if (iteration == 3) {
        quiet = ::testing::internal::GetCapturedStderr();
        ::testing::internal::CaptureStderr();
      }
      int rests = 0;
      m.on_rest = [&, iteration](std::uint32_t) {
        if (iteration == 2 && ran_on_0 == 0) return;
        if (iteration == 3) m.now_ns += 1'000'000'000;
        if (++rests == 30) is_told = true;
      };
      all.process();
      m.on_rest = [](std::uint32_t) {};
      world.barrier();
    }
    EXPECT_EQ(ran_on_0, 1);
  };
  std::string const last = said_with("5s", [&] {
    metered::on_ranks(2, waits, [&](communicator& world) {
      task_collection<timed> all(world, {.name = "slow"}, [&](task_site<timed>& here, timed const&) {
        int const before = ran_on_0;
        while (!is_told && ran_on_0 == before) {
          here.progress();
          std::this_thread::yield();
        }
      });
      for (int iteration = 0; iteration < 4; ++iteration) {
        is_told = false;
        // The one that runs, and one to be stolen meanwhile.
        for (int n = iteration == 2 ? 2 : 1; n > 0; --n) all.add({});
        world.barrier();
        all.process();
        world.barrier();
      }
    });
  });
  EXPECT_EQ(lines_of_rank_0(quiet), 0U) << quiet;
  EXPECT_GE(lines_of_rank_0(last), 3U) << last;
  EXPECT_NE(last.find("s: round 1, waits for tasks from rank 1"), std::string::npos) << last;
}

/// Waiting for the other rank moves the clock.
TEST(one_rank, counts_the_time_of_the_calls_that_balance) {
  auto const program = [](communicator& world, meter& m) {
    task_collection<timed> all(world, {.name = "balanced", .steals = false}, [&](timed const& t) { m.now_ns += t.ns; });
    for (int n = 0; n < 8; ++n) all.add({.ns = 1000});
    for (int iteration = 0; iteration < 3; ++iteration) {
      all.process();
      static_cast<void>(world.sum(1.0));  // takes time, too
      std::uint64_t took_ns = 0;
      auto const timed_call = [&](auto call) {
        std::uint64_t const began_ns = m.now_ns;
        call();
        took_ns += m.now_ns - began_ns;
      };
      if (iteration == 0) timed_call([&] { all.rebalance("hierarchical"); });
      if (iteration == 1) timed_call([&] { static_cast<void>(all.rebalance_if_due("hierarchical")); });
      if (iteration < 2) {
        timed_call([&] { all.restore(); });
      } else {
        timed_call([&] { all.restore("hierarchical"); });
      }
      all.process();
      EXPECT_EQ(in_ns(all.own_report().balancing), took_ns) << iteration;
      static_cast<void>(all.report_by_rank());
      all.restore();
    }
  };
  metered::on_ranks(2, program, program);
}

TEST(one_rank, keeps_the_time_of_each_leaf_in_the_order_of_the_indices) {
  on_one_rank([](communicator& world, meter& m) {
    std::vector<std::uint64_t> order;
    task_collection<index_range> all(world, {.name = "leaves"}, [&](index_range const& r) {
      order.push_back(r.first);
      for (std::uint64_t i = r.first; i < r.last; ++i) m.now_ns += 100 * (i + 1);
    });
    all.add_range(0, 8, 2);
    for (int iteration = 0; iteration < 3; ++iteration) {
      order.clear();
      all.process();
      EXPECT_EQ(order, (std::vector<std::uint64_t>{0, 2, 4, 6}));
      EXPECT_EQ((times_of<index_range>(all, "leaves")), (std::vector<std::uint64_t>{300, 700, 1100, 1500}));
      EXPECT_EQ(in_ns(all.own_report().busy), 3600U);
      all.restore();
    }
  });
}

}}}}  // namespace skua::v0::ranks
