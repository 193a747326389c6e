// SPDX-License-Identifier: MIT
// What becomes of a failure on one rank: of a task's, of another rank's, of the network's, and of memory that has run out; with workers whose
// threads run when the test says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "skua/machine/ranks/collection/metered_for_test.hpp"
#include "skua/machine/ranks/protocol/counted_memory_for_test.hpp"
#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using counted_memory::alive, counted_memory::one_failure, metered::chosen_threads, metered::meter, metered::on_one_rank;

/// The text of what process() throws.
template <class Collection>
std::string failure_of(Collection& all) {
  try {
    all.process();
  } catch (std::exception const& e) {
    return e.what();
  } catch (...) {
    return "no std::exception";
  }
  return "none";
}

TEST(rank_failures, that_are_no_exceptions_of_the_library_are_told_all_the_same) {
  std::string elsewhere;
  metered::on_ranks(
      2,
      [](communicator& world, meter&) {
        task_collection<int> all(world, {.steals = false}, [](int) { throw 42; });
        all.add(1);
        EXPECT_EQ(failure_of(all), "no std::exception");
      },
      [&](communicator& world) {
        task_collection<int> all(world, {.steals = false}, [](int) {});
        elsewhere = failure_of(all);
      });
  EXPECT_EQ(elsewhere, "rank 0: an exception that is no std::exception");
}

TEST(rank_failures, of_another_rank_let_no_further_task_begin_once_they_are_heard_of) {
  int begun = 0;
  metered::on_ranks(
      2,
      [&](communicator& world, meter& m) {
        task_collection<int> all(world, {.steals = false}, [&](task_site<int>& here, int) {
          ++begun;
          while (m.heard[kind::cancel] == 0) here.progress();
          m.now_ns += 20'000;
        });
        for (int n = 0; n < 50; ++n) all.add(n);
        EXPECT_EQ(failure_of(all), "rank 1: of rank 1");
      },
      [](communicator& world) {
        task_collection<int> all(world, {.steals = false}, [](int) { throw std::runtime_error("of rank 1"); });
        all.add(1);
        EXPECT_EQ(failure_of(all), "of rank 1");
      });
  EXPECT_EQ(begun, 1);
}

TEST(rank_failures, of_another_rank_are_known_before_a_worker_is_started) {
  int begun = 0;
  metered::on_ranks(
      2,
      [&](communicator& world, meter& m) {
        chosen_threads threads(1, chosen_threads::when::at_once);
        world.work_with(&threads, serving::server_thread);
        task_collection<int> all(world, {.steals = false}, [&](int) { ++begun; });
        for (int n = 0; n < 50; ++n) all.add(n);
        world.barrier();
        m.before_poll = [&] {
          while (!m.of_rank_1->has_told_of_a_failure) std::this_thread::yield();
        };
        EXPECT_EQ(failure_of(all), "rank 1: of rank 1");
        m.before_poll = [] {};
        EXPECT_GT(threads.started, 0U) << "to drop them";
      },
      [](communicator& world) {
        task_collection<int> all(world, {.steals = false}, [](int) { throw std::runtime_error("of rank 1"); });
        all.add(1);
        world.barrier();
        EXPECT_EQ(failure_of(all), "of rank 1");
      });
  EXPECT_EQ(begun, 0);
}

TEST(rank_failures, of_a_worker_that_ends_before_the_server_looks_again_are_not_lost) {
  on_one_rank([](communicator& world, meter&) {
    chosen_threads threads(1, chosen_threads::when::at_once);
    world.work_with(&threads, serving::server_thread);
    bool fails = true;
    task_collection<int> all(world, {}, [&](int round) {
      if (fails) throw std::runtime_error("the last task of round " + std::to_string(round));
    });
    for (int round = 0; round < 2; ++round) {
      all.add(round);
      EXPECT_EQ(failure_of(all), "the last task of round " + std::to_string(round));
    }
    fails = false;
    all.add(1);
    EXPECT_EQ(failure_of(all), "none") << "the next process() knows nothing of it";
    EXPECT_EQ(all.num_recorded(), 1U);
  });
}

TEST(rank_failures, of_the_network_end_process_when_no_worker_runs_any_more) {
  on_one_rank([](communicator& world, meter& m) {
    struct asynchronous final : runtime::worker_threads {
      std::uint32_t count() const noexcept override { return 1; }
      [[nodiscard]] std::unique_ptr<runtime::one_time_signal> make_signal() override { return nullptr; }
      void start(runtime::worker_call& c) noexcept override {
        thread = std::jthread([&c] { c.run(c); });
      }
      std::jthread thread;
    } threads;
    world.work_with(&threads, serving::server_thread);
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    std::atomic<bool> may_end{false};
    task_collection<int> all(world, {}, [&](int) {
      ++begun;
      while (!may_end) std::this_thread::yield();
      ++ended;
    });
    for (int n = 0; n < 5; ++n) all.add(n);
    bool is_broken = false;
    m.before_poll = [&] {
      if (begun == 0) return;
      is_broken = true;
      throw resource_error("the network is gone");
    };
    m.on_rest = [&](std::uint32_t) {
      if (is_broken) may_end = true;
    };
    EXPECT_EQ(failure_of(all), "the network is gone");
    EXPECT_EQ(begun, 1) << "what waits is dropped";
    EXPECT_EQ(ended, 1);
    may_end = true;
    m.before_poll = [] {};
    EXPECT_NO_THROW(all.restore()) << "it is not within process() any more";
  });
}

// ---- memory ------------------------------------------------------------------------------------------------------------

struct text {
  std::string words;
  std::uint32_t children = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(words, children);
  }
};

text a_long_one(std::uint32_t children) { return {std::string(100, 'x'), children}; }

TEST(rank_failures, of_memory_drop_what_could_not_be_kept_and_lose_nothing_else) {
  bool happened = true;
  int failures = 0;
  for (long after = 0; happened; ++after) {
    SCOPED_TRACE("allocation " + std::to_string(after) + " of the worker fails");
    happened = false;
    long const before = alive();
    on_one_rank([&](communicator& world, meter&) {
      chosen_threads threads(1, chosen_threads::when::at_once);
      threads.run_call = [&](runtime::worker_call& call) {
        if (happened) return call.run(call);
        one_failure const fails(after);
        call.run(call);
        happened = fails.happened();
      };
      world.work_with(&threads, serving::server_thread);
      std::uint64_t ran = 0;
      task_collection<text> all(world, {}, [&](task_site<text>& here, text const& t) {
        ++ran;
        for (std::uint32_t c = 0; c < t.children; ++c) here.spawn(a_long_one(0));
      });
      constexpr std::uint64_t seeds = 50;
      for (std::uint64_t n = 0; n < seeds; ++n) all.add(a_long_one(n == 30 ? 20 : 0));
      std::string const failed = failure_of(all);
      if (happened) {
        EXPECT_EQ(failed, "std::bad_alloc");
        EXPECT_LT(ran, seeds + 20);
        EXPECT_EQ(all.num_recorded(), 0U);
      } else {
        EXPECT_EQ(failed, "none");
        EXPECT_EQ(ran, seeds + 20);
      }
      EXPECT_EQ(all.num_waiting(), 0U);
      ran = 0;
      all.add(a_long_one(2));
      EXPECT_EQ(failure_of(all), "none");
      EXPECT_EQ(ran, 3U);
      all.add(a_long_one(0));  // is still there in the end
    });
    EXPECT_EQ(alive(), before);
    failures += happened ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(failures, 50);
}

TEST(rank_failures, of_memory_for_a_task_that_is_added_add_none) {
  for (bool const has_threads : {false, true}) {
    for (long after = 0;; ++after) {
      bool happened = false;
      long const before = alive();
      on_one_rank([&](communicator& world, meter&) {
        chosen_threads threads(1, chosen_threads::when::at_once);
        if (has_threads) world.work_with(&threads, serving::server_thread);
        std::uint64_t ran = 0;
        task_collection<text> all(world, {}, [&](text const& t) {
          EXPECT_EQ(t.words.size(), 100U);
          ++ran;
        });
        text const one = a_long_one(0);
        all.add(one);
        {
          one_failure const fails(after);
          try {
            all.add(one);
          } catch (std::bad_alloc const&) {}
          happened = fails.happened();
        }
        all.add(one);
        EXPECT_EQ(failure_of(all), "none");
        EXPECT_EQ(ran, happened ? 2U : 3U);
      });
      EXPECT_EQ(alive(), before);
      if (!happened || ::testing::Test::HasFailure()) break;
    }
  }
}

TEST(rank_failures, of_a_full_queue_drop_what_was_added_to_it) {
  long const before = alive();
  on_one_rank([](communicator& world, meter& m) {
    chosen_threads threads(1, chosen_threads::when::when_told);
    world.work_with(&threads, serving::server_thread);
    task_collection<text> all(world, {.limit = 8}, [](text const&) {});
    auto const fill = [&] {
      for (int n = 0; n < 8; ++n) all.add(a_long_one(0));
    };
    fill();
    EXPECT_THROW(all.add(a_long_one(0)), resource_error);
    EXPECT_EQ(all.num_waiting(), 8U);
    int rests = 0;
    m.on_rest = [&](std::uint32_t) {
      if (++rests == 1) fill();
      if (rests == 4) threads.run_all();
    };
    EXPECT_NE(failure_of(all).find("full, with its limit of 8 tasks on one rank"), std::string::npos);
    m.on_rest = [&](std::uint32_t) { threads.run_all(); };
    EXPECT_EQ(all.num_waiting(), 0U);
    fill();
    EXPECT_EQ(failure_of(all), "none");
    EXPECT_EQ(all.num_recorded(), 8U);
    m.on_rest = [](std::uint32_t) {};
  });
  EXPECT_EQ(alive(), before);
}

TEST(rank_failures, are_what_an_addition_is_whose_parent_nobody_would_know) {
  on_one_rank([](communicator& world, meter&) {
    chosen_threads threads(1, chosen_threads::when::at_once);
    world.work_with(&threads, serving::server_thread);
    task_collection<int>* self = nullptr;
    task_collection<int> all(world, {.on_loss = lost_tasks::run_again}, [&](int n) {
      if (n > 0) self->add(n - 1);
    });
    self = &all;
    all.add(1);
    EXPECT_NE(failure_of(all).find("allowed: site.spawn"), std::string::npos);
    all.add(0);
    EXPECT_EQ(failure_of(all), "none");
  });
}

TEST(rank_failures, of_none_leave_no_memory_behind_either) {
  for (bool const has_threads : {false, true}) {
    long const before = alive();
    on_one_rank([&](communicator& world, meter&) {
      chosen_threads threads(2, chosen_threads::when::at_once);
      if (has_threads) world.work_with(&threads, serving::between_tasks);
      task_collection<text> all(
          world, {}, [&](text const& t) { return t.children == 1 ? task_outcome::null : task_outcome::done; });
      for (std::uint32_t n = 0; n < 40; ++n) all.add(a_long_one(n % 2));
      all.process();
      EXPECT_EQ(all.num_recorded(), 20U);
      all.restore();
      all.process();
      all.restore(placement_of_tasks::original);
      all.add(a_long_one(0));
      EXPECT_EQ(all.num_waiting(), 21U);
    });
    EXPECT_EQ(alive(), before);
  }
}

TEST(rank_failures, are_looked_for_in_other_ranks_where_their_tasks_can_run_again) {
  for (lost_tasks const how : {lost_tasks::fail, lost_tasks::run_again}) {
    metered::on_ranks(
        2,
        [&](communicator& world, meter& m) {
          task_collection<int> all(world, {.on_loss = how}, [](int) {});
          // 6 s at most: a rank that is silent for 10 s counts as dead, and the other thread may not have begun yet.
          int jumps = 100;
          m.on_rest = [&](std::uint32_t) {
            if (jumps-- > 0) m.now_ns += 60'000'000;
          };
          for (int iteration = 0; iteration < 3; ++iteration) all.process();
          m.on_rest = [](std::uint32_t) {};
          m.now_ns += 60'000'000;
          world.barrier();
          EXPECT_EQ(m.sent[kind::alive] > 0, how != lost_tasks::fail);
        },
        [&](communicator& world) {
          task_collection<int> all(world, {.on_loss = how}, [](int) {});
          for (int iteration = 0; iteration < 3; ++iteration) all.process();
          world.barrier();
        });
  }
}

}}}}  // namespace skua::v0::ranks
