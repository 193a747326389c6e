// SPDX-License-Identifier: MIT
// Workers of a rank whose threads run when the test says so: whom the server and workers start, in which order tasks run, who polls, and what
// ranks with one clock for each decide alike.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/ranks/collection/metered_for_test.hpp"
#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/protocol/counted_memory_for_test.hpp"
#include "skua/machine/ranks/protocol/recovery_log.hpp"
#include "skua/machine/ranks/trace/rank_trace.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using counted_memory::alive, metered::chosen_threads, metered::meter, metered::on_one_rank;

/// Spawns so many.
struct numbered {
  std::uint32_t id = 0;
  std::uint32_t children = 0;
};

TEST(started_workers, are_as_many_as_there_are_tasks_for) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(3, chosen_threads::when::when_told);
    world.work_with(&threads, serving::server_thread);
    task_collection<numbered> all(world, {}, [](numbered const&) {});
    for (std::uint32_t const tasks : {1U, 2U, 5U, 0U}) {
      for (std::uint32_t n = 0; n < tasks; ++n) all.add({n, 0});
      threads.started = 0;
      std::vector<std::uint64_t> started;
      m.on_rest = [&](std::uint32_t) {
        started.push_back(threads.started);
        threads.run_all();
      };
      all.process();
      m.on_rest = [](std::uint32_t) {};
      EXPECT_EQ(started.empty(), tasks == 0);
      if (tasks > 0) {
        EXPECT_EQ(started[0], std::min(tasks, 3U)) << tasks;
      }
      EXPECT_EQ(all.report().tasks, tasks);
    }
  });
}

TEST(started_workers, are_started_by_a_worker_for_each_task_that_it_spawns_while_one_is_idle) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(3, chosen_threads::when::when_told);
    world.work_with(&threads, serving::server_thread);
    std::vector<std::uint64_t> started;
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      if (t.children == 0) return;
      started.push_back(threads.started);
      for (std::uint32_t c = 0; c < t.children; ++c) {
        here.spawn({});
        started.push_back(threads.started);
      }
    });
    m.on_rest = [&](std::uint32_t) { threads.run_all(); };
    all.add({0, 4});
    all.process();
    EXPECT_EQ(started, (std::vector<std::uint64_t>{1, 2, 3, 3, 3}));
    EXPECT_EQ(all.report().tasks, 5U);
  });
}

TEST(started_workers, run_the_newest_of_what_they_took_first_and_leave_no_slot_behind) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(1, chosen_threads::when::at_once);
    world.work_with(&threads, serving::server_thread);
    std::vector<std::uint32_t> ran;
    task_collection<numbered> all(world, {.limit = 16}, [&](numbered const& t) {
      m.now_ns += 100;
      ran.push_back(t.id);
    });
    for (int iteration = 0; iteration < 6; ++iteration) {
      ran.clear();
      for (std::uint32_t n = 0; n < 8; ++n) all.add({n, 0});
      EXPECT_EQ(all.num_waiting(), 8U);
      all.process();
      EXPECT_EQ(ran, (std::vector<std::uint32_t>{3, 2, 1, 0, 5, 4, 6, 7})) << "half of what is there each time";
      EXPECT_EQ(static_cast<std::uint64_t>(all.report().mean_busy * 1e9 + 0.5), 800U);
      EXPECT_EQ(all.num_recorded(), 8U);
    }
  });
}

TEST(started_workers, take_from_each_other_what_was_spawned_and_count_its_time) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(2, chosen_threads::when::at_once);
    world.work_with(&threads, serving::server_thread);
    std::vector<std::uint32_t> by;
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      m.now_ns += 100;
      by.push_back(here.worker());
      EXPECT_EQ(here.num_workers(), 2U);
      EXPECT_EQ(here.rank(), 0U);
      for (std::uint32_t c = 0; c < t.children; ++c) here.spawn({});
    });
    for (int iteration = 0; iteration < 3; ++iteration) {
      by.clear();
      all.add({0, 5});
      all.process();
      EXPECT_EQ(by, (std::vector<std::uint32_t>{0, 1, 1, 1, 1, 1})) << "each as soon as it was there";
      EXPECT_EQ(all.num_recorded(), 1U);
      EXPECT_EQ(static_cast<std::uint64_t>(all.report().mean_busy * 1e9 + 0.5), 550U)
          << "of two, of which one sees the other's time pass";
    }
  });
}

TEST(started_workers, are_started_by_a_worker_before_each_task_while_others_wait) {
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(2, chosen_threads::when::when_told);
    world.work_with(&threads, serving::between_tasks);
    std::vector<std::uint64_t> started;
    task_collection<numbered> all(world, {}, [&](numbered const&) { started.push_back(threads.started); });
    for (std::uint32_t n = 0; n < 4; ++n) all.add({n, 0});
    m.on_rest = [&](std::uint32_t) { threads.run_all(); };
    all.process();
    m.on_rest = [](std::uint32_t) {};
    EXPECT_EQ(started, (std::vector<std::uint64_t>{1, 2, 2, 2}));
    started.clear();
    threads.started = 0;
    all.add({});
    all.process();
    EXPECT_EQ(started, (std::vector<std::uint64_t>{0})) << "nobody for the last one";
  });
}

TEST(started_workers, write_a_trace_of_what_they_take_from_each_other_and_of_their_tasks) {
  std::string const file =
      (std::filesystem::temp_directory_path() / ("skua_workers_" + std::to_string(getpid()))).string();
  setenv("SKUA_TRACE", file.c_str(), 1);
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(2, chosen_threads::when::at_once);
    world.work_with(&threads, serving::server_thread);
    task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
      m.now_ns += 3000;
      for (std::uint32_t c = 0; c < t.children; ++c) here.spawn({});
    });
    all.add({0, 3});
    all.process();
  });
  unsetenv("SKUA_TRACE");
  std::string const written = trace::files_of_trace(file).at(0);
  trace::trace_data const of = trace::read_trace(written);
  std::filesystem::remove(written);
  using trace::kind;
  auto const kinds = [&](std::size_t track) {
    std::vector<kind> all;
    if (track >= of.tracks.size()) return all;
    for (trace::event const& e : of.tracks[track].events) {
      bool const counts = e.what == kind::working || e.what == kind::idling || e.what == kind::task_began ||
                          e.what == kind::task_ended || e.what == kind::stolen;
      if (counts) all.push_back(e.what);
      if (e.what != kind::stolen) continue;
      EXPECT_EQ(e.other, 0U) << "from worker 0";
      EXPECT_EQ(e.count, stolen_in_rank);
    }
    return all;
  };
  if (of.tracks.size() < 3) GTEST_SKIP() << "this rank has no processors for its workers";
  EXPECT_EQ(kinds(1), (std::vector<kind>{kind::working, kind::task_began, kind::task_ended, kind::idling}));
  std::vector<kind> wanted;
  for (int child = 0; child < 3; ++child) {
    for (kind const k : {kind::stolen, kind::working, kind::task_began, kind::task_ended, kind::idling})
      wanted.push_back(k);
  }
  EXPECT_EQ(kinds(2), wanted);
}

TEST(started_workers, give_other_ranks_what_lies_in_their_queues) {
  std::atomic<bool> is_stolen{false};
  struct asynchronous final : runtime::worker_threads {
    std::uint32_t count() const noexcept override { return 1; }
    [[nodiscard]] std::unique_ptr<runtime::one_time_signal> make_signal() override { return nullptr; }
    void start(runtime::worker_call& c) noexcept override {
      threads.emplace_back([&c] { c.run(c); });
    }
    std::vector<std::jthread> threads;
  } threads;
  metered::on_ranks(
      2,
      [&](communicator& world, meter&) {
        world.work_with(&threads, serving::server_thread);
        task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
          for (std::uint32_t c = 0; c < t.children; ++c) here.spawn({});
          while (!is_stolen) std::this_thread::yield();
        });
        all.add({0, 10});
        all.process();
      },
      [&](communicator& world) {
        task_collection<numbered> all(world, {}, [&](numbered const&) { is_stolen = true; });
        all.process();
      });
  threads.threads.clear();
}

TEST(ranks_with_clocks, ask_nobody_while_they_have_tasks_for_all_of_their_workers) {
  for (bool const has_threads : {false, true}) {
    metered::on_ranks(
        2,
        [&](communicator& world, meter& m) {
          chosen_threads threads(1, chosen_threads::when::when_told);
          if (has_threads) world.work_with(&threads, serving::server_thread);
          int rests = 0;
          m.on_rest = [&](std::uint32_t) {
            if (++rests > 10) return threads.run_all();
            EXPECT_TRUE(!has_threads || m.sent[kind::steal_request] == 0);
          };
          std::uint64_t requests = 0;
          task_collection<numbered> all(world, {}, [&](numbered const&) {
            m.now_ns += 20'000;
            requests += m.sent[kind::steal_request];
          });
          for (std::uint32_t n = 0; n < 6; ++n) all.add({n, 0});
          world.barrier();
          all.process();
          m.on_rest = [](std::uint32_t) {};
          EXPECT_TRUE(has_threads || requests == 0);
        },
        [](communicator& world) {
          task_collection<numbered> all(world, {}, [](numbered const&) {});
          world.barrier();
          all.enable_stealing(false);
          all.process();
        });
  }
}

TEST(tasks_that_can_run_again, number_their_children_from_nought) {
  on_one_rank([](communicator& world, meter&) {
    slot_shape const shape{.task_bytes = sizeof(numbered), .has_identity = true};
    std::vector<std::uint64_t> parents;
    std::vector<std::uint64_t> children;
    task_collection<numbered> all(world, {.on_loss = lost_tasks::run_again},
                                  [&](task_site<numbered>& here, numbered const& t) {
                                    // A task lies in its slot, and its identity behind it.
                                    auto const* const slot = reinterpret_cast<std::byte const*>(&t);
                                    (t.children > 0 ? parents : children).push_back(shape.identity_of(slot).number);
                                    for (std::uint32_t c = 0; c < t.children; ++c) here.spawn({});
                                  });
    for (std::uint32_t n = 0; n < 3; ++n) all.add({n, 2});
    all.process();
    ASSERT_EQ(parents.size(), 3U);
    EXPECT_NE(parents[0], parents[1]);
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t const p : parents) {
      for (std::uint64_t const index : {1U, 0U}) wanted.push_back(recovery_log::child_number(p, index));
    }
    EXPECT_EQ(children, wanted) << "the newest first";
  });
}

TEST(ranks_with_clocks, hear_nothing_of_a_process_that_they_have_left) {
  metered::on_ranks(
      2,
      [](communicator& world, meter& m) {
        task_collection<numbered> all(world, {}, [](numbered const&) {});
        all.process();
        m.tell_rank_0({.kind = kind::cancel, .collection = 1, .epoch = 1, .a = 2});
        world.barrier();
        EXPECT_EQ(m.heard[kind::cancel], 1U);
        EXPECT_EQ(m.sent[kind::cancel], 0U) << "it tells nobody of a failure that came too late";
        all.process();
      },
      [](communicator& world) {
        task_collection<numbered> all(world, {}, [](numbered const&) {});
        all.process();
        world.barrier();
        all.process();
      });
}

TEST(started_workers, poll_only_where_they_are_the_servers_thread) {
  for (int const kind : {0, 1, 2}) {
    on_one_rank([&](communicator& world, meter& m) {
      chosen_threads threads(1, chosen_threads::when::at_once);
      if (kind > 0) world.work_with(&threads, kind == 1 ? serving::server_thread : serving::between_tasks);
      std::vector<bool> polled;
      task_collection<numbered> all(world, {}, [&](task_site<numbered>& here, numbered const& t) {
        auto const polls = [&] {
          std::uint64_t const before = m.polls;
          here.progress();
          return m.polls > before;
        };
        polled.push_back(polls());
        bool elsewhere = true;
        std::jthread([&] { elsewhere = polls(); }).join();
        EXPECT_FALSE(elsewhere) << "on a thread of the task's own";
        if (t.children > 0) here.spawn({});
      });
      all.add({0, 1});
      all.process();
      // With a thread beside it the server's task runs on it, and its child on the other.
      std::vector<bool> const wanted = kind == 0   ? std::vector<bool>{true, true}
                                       : kind == 1 ? std::vector<bool>{false, false}
                                                   : std::vector<bool>{true, false};
      EXPECT_EQ(polled, wanted) << kind;
    });
  }
}

TEST(started_workers, that_have_nothing_make_the_rank_ask_while_others_run) {
  std::atomic<bool> has_asked{false};
  struct asynchronous final : runtime::worker_threads {
    std::uint32_t count() const noexcept override { return 2; }
    [[nodiscard]] std::unique_ptr<runtime::one_time_signal> make_signal() override { return nullptr; }
    void start(runtime::worker_call& c) noexcept override {
      threads.emplace_back([&c] { c.run(c); });
    }
    std::vector<std::jthread> threads;
  } threads;
  metered::on_ranks(
      2,
      [&](communicator& world, meter& m) {
        world.work_with(&threads, serving::server_thread);
        m.on_rest = [&](std::uint32_t) {
          if (m.sent[kind::steal_request] > 0) has_asked = true;
        };
        task_collection<numbered> all(world, {}, [&](numbered const&) {
          while (!has_asked) std::this_thread::yield();
        });
        all.add({});
        all.process();
        EXPECT_EQ(all.report().tasks, 1U);
      },
      [](communicator& world) {
        task_collection<numbered> all(world, {}, [](numbered const&) {});
        all.process();
        static_cast<void>(all.report());
      });
  threads.threads.clear();
}

// ---- ranks -------------------------------------------------------------------------------------------------------------

TEST(ranks_with_clocks, ask_nobody_where_stealing_is_off) {
  std::atomic<bool> has_asked{false};
  constexpr std::array rounds{false, true, false};
  metered::on_ranks(
      2,
      [&](communicator& world, meter& m) {
        task_collection<numbered> all(world, {}, [](numbered const&) {});
        m.on_send = [&](kind what) {
          if (what == kind::steal_request) has_asked = true;
        };
        for (bool const steals : rounds) {
          std::uint64_t const before = m.sent[kind::steal_request];
          all.enable_stealing(steals);
          world.barrier();
          all.process();
          EXPECT_EQ(m.sent[kind::steal_request] > before, steals);
        }
      },
      [&](communicator& world) {
        bool waits = false;
        task_collection<numbered> all(world, {}, [&](numbered const&) {
          // Where rank 0 may ask it has time for it, however late it comes; where it may not, a little.
          for (int n = 0; n < (waits ? 60'000 : 3) && !(waits && has_asked); ++n)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
        for (bool const steals : rounds) {
          waits = steals;
          all.add({});
          world.barrier();
          all.process();
        }
      });
}

TEST(ranks_with_clocks, refuse_to_be_balanced_in_a_task_also_if_only_one_of_them_asks) {
  metered::on_ranks(
      2,
      [](communicator& world, meter&) {
        task_collection<numbered>* self = nullptr;
        task_collection<numbered> all(world, {.steals = false}, [&](numbered const&) {
          EXPECT_THROW(self->rebalance("centralised"), usage_error);
          EXPECT_THROW(static_cast<void>(self->rebalance_if_due("centralised")), usage_error);
        });
        self = &all;
        all.add({});
        all.process();
      },
      [](communicator& world) {
        task_collection<numbered> all(world, {.steals = false}, [](numbered const&) {});
        all.process();
      });
}

/// Rank 0 has the tasks, and moving them takes five milliseconds there and next to nothing on rank 1.
TEST(ranks_with_clocks, agree_when_balancing_is_due_by_the_longest_times) {
  constexpr std::uint64_t ms = 1'000'000;
  std::vector<bool> seen[2];
  auto const program = [&](communicator& world, meter& m) {
    task_collection<numbered> all(world, {.steals = false}, [&](numbered const& t) { m.now_ns += t.id * ms; });
    for (int n = 0; n < 4 && world.rank() == 0; ++n) all.add({1, 0});
    all.process();
    for (int round = 0; round < 5; ++round) {
      m.on_send = [&, is_slow = world.rank() == 0 && round == 0](kind what) {
        if (is_slow && what == kind::moved) m.now_ns += 5 * ms;
      };
      seen[world.rank()].push_back(all.rebalance_if_due("centralised"));
      m.on_send = [](kind) {};
      all.restore();
      if (world.rank() == 0 && round == 0) all.add({4, 0});
      all.process();
    }
    EXPECT_EQ(world.sum(all.num_recorded()), 5U);
  };
  metered::on_ranks(2, program, program);
  EXPECT_EQ(seen[0], seen[1]);
  // The first time its cost is not known. Then two milliseconds are lost each time, until they are more than five.
  EXPECT_EQ(seen[0], (std::vector<bool>{true, false, false, true, false}));
}

// ---- records -----------------------------------------------------------------------------------------------------------

constexpr slot_shape blocks{.task_bytes = sizeof(task_block*), .has_block = true};

void add(task_record& to, char const* words, std::uint64_t ns) {
  std::vector<std::byte> slot(blocks.bytes());
  blocks.put(slot.data(), std::as_bytes(std::span(words, std::strlen(words))));
  to.add(slot.data(), ns);
}
std::vector<std::string> words_of(task_record const& record) {
  std::vector<std::string> all;
  for (std::uint64_t e = 0; e < record.size(); ++e) {
    std::vector<std::byte> slot(record.slot(e), record.slot(e) + blocks.bytes());
    auto const task = blocks.task_in(slot.data());
    all.emplace_back(reinterpret_cast<char const*>(task.data()), task.size());
  }
  return all;
}
std::vector<std::uint64_t> times(task_record const& record) {
  return {record.times_ns().begin(), record.times_ns().end()};
}

TEST(task_record, owns_its_tasks_until_they_leave_it) {
  long const before = alive();
  {
    task_record record(blocks);
    task_record other(blocks);
    for (std::uint64_t n = 0; n < 5; ++n) add(record, std::string(1, static_cast<char>('a' + n)).c_str(), n);
    add(other, "x", 7);
    add(other, "y", 8);
    record.append(other);
    EXPECT_EQ(other.size(), 0U);
    EXPECT_EQ(words_of(record), (std::vector<std::string>{"a", "b", "c", "d", "e", "x", "y"}));
    record.remove({true, false, false, true, false, false, true});
    EXPECT_EQ(words_of(record), (std::vector<std::string>{"b", "c", "e", "x"}));
    EXPECT_EQ(times(record), (std::vector<std::uint64_t>{1, 2, 4, 7}));
    add(record, "z", 9);
    EXPECT_EQ(words_of(record), (std::vector<std::string>{"b", "c", "e", "x", "z"}));
    EXPECT_EQ(times(record), (std::vector<std::uint64_t>{1, 2, 4, 7, 9}));
    blocks.drop(record.slot(4));
    record.release_last();
    EXPECT_EQ(words_of(record), (std::vector<std::string>{"b", "c", "e", "x"}));
    EXPECT_EQ(times(record), (std::vector<std::uint64_t>{1, 2, 4, 7}));
    add(other, "again", 1);
    EXPECT_EQ(words_of(other), (std::vector<std::string>{"again"}));
    other.clear();
    EXPECT_EQ(other.size(), 0U);
    add(other, "later", 2);
    EXPECT_EQ(words_of(other), (std::vector<std::string>{"later"}));
  }
  EXPECT_EQ(alive(), before);
}

}}}}  // namespace skua::v0::ranks
