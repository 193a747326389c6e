// SPDX-License-Identifier: MIT
// Every object that may be used more than once is as new after a use that went wrong: after a failure, after a stop, after it was emptied,
// resized, moved from, or ended (docs/guide/objects.md).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include "skua/as_tbb.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/fib.hpp"

namespace {

using skua::testing::fib;

struct breaks : std::runtime_error {
  breaks() : std::runtime_error("the first use fails") {}
};

/// How a use goes.
enum class use : std::uint8_t { works, fails, is_stopped };
constexpr std::array uses{use::fails, use::works, use::is_stopped, use::works, use::fails, use::is_stopped, use::works};

class second_use : public skua::testing::under_every_policy {
 protected:
  /// construct(here, part) calls part(i) for i in [0, 20), in parallel. The same object, several times.
  template <class Construct>
  void expect_as_new(skua::runtime::here& h, Construct const& construct) {
    for (use const how : uses) {
      std::atomic<int> ran{0};
      std::stop_source source;
      auto const part = [&](int i) {
        ++ran;
        if (i != 7) return;
        if (how == use::fails) throw breaks();
        if (how == use::is_stopped) source.request_stop();
      };
      auto const call = [&] { h.with_stop(source.get_token(), [&](auto& inside) { construct(inside, part); }); };
      if (how == use::fails) {
        EXPECT_THROW(call(), breaks);
      } else if (how == use::works) {
        EXPECT_NO_THROW(call());
        EXPECT_EQ(ran, 20);
      } else {
        try {
          call();  // all may have begun before
        } catch (skua::cancelled const&) {}
      }
      EXPECT_FALSE(h.stop_requested());
    }
    EXPECT_EQ(fib(h, 10), 55);
  }

  skua::pool pool_{workers(3)};
};

}  // namespace

TEST_P(second_use, of_a_here_is_as_the_first_one_whatever_forks) {
  pool_.run([&](skua::runtime::here& h) {
    expect_as_new(h, [](auto& on, auto const& part) {
      on.scope([&](auto& s) {
        for (int i = 0; i < 20; ++i) s.spawn([&part, i](auto&) { part(i); });
      });
    });
    expect_as_new(h, [](auto& on, auto const& part) {
      on.finish([&](auto& f) {
        for (int i = 0; i < 20; ++i) f.spawn([&part, i](auto&) { part(i); });
      });
    });
    expect_as_new(h, [](auto& on, auto const& part) {
      skua::for_each(on, 0, 20, [&](auto&, int i) { part(i); }, skua::grain{1});
    });
    expect_as_new(h, [](auto&, auto const& part) {
      std::array const one{0};
      skua::parallel_for_each(one.begin(), one.end(), [&](int i, skua::feeder<int>& feeder) {
        for (int k = 1; i == 0 && k < 20; ++k) feeder.add(k);
        part(i);
      });
    });
  });
}

TEST_P(second_use, of_a_group_is_as_the_first_one) {
  pool_.run([&](skua::runtime::here& h) {
    skua::task_group group;
    skua::task_group bounded(skua::at_most{3});
    for (skua::task_group* const g : {&group, &bounded}) {
      expect_as_new(h, [&](auto&, auto const& part) {
        for (int i = 1; i < 20; ++i) {
          g->run([&part, i] { part(i); });
        }
        g->run_and_wait([&] { part(0); });
      });
      for (int i = 0; i < 5; ++i) g->run([] {});
      g->cancel();
      EXPECT_EQ(g->wait(), skua::task_group_status::canceled);
    }
  });
}

TEST_P(second_use, of_a_flow_is_as_the_first_one) {
  pool_.run([&](skua::runtime::here& h) {
    std::function<void(int)> run;
    skua::flow graph(h);
    auto before = graph.add([&](auto&) { run(0); });
    for (int i = 1; i < 19; ++i) {
      auto const next = graph.add(skua::after(before), [&run, i](auto&) { run(i); });
      if (i % 3 == 0) before = next;
    }
    auto const last = graph.add([&](auto&) { run(19); });
    int runs = 0;
    expect_as_new(h, [&](auto& on, auto const& part) {
      if (++runs == 2) graph.edge(before, last);  // the first run has failed before it came to `last`
      run = part;
      graph.run(on);
    });
    graph.edge(before, graph.add([](auto&) {}));
    run = [](int) {};
    graph.run(h);
  });
}

TEST_P(second_use, of_a_pool_and_its_regions_is_as_the_first_one) {
  std::atomic<int> failed{0};
  skua::pool pool({.workers = 2, .policy = GetParam(), .on_exception = [&](std::exception_ptr const&) { ++failed; }});
  for (int round = 0; round < 5; ++round) {
    EXPECT_THROW(pool.run([] { throw breaks(); }), breaks);
    pool.enqueue([] { throw breaks(); });
    EXPECT_THROW(pool.run([](auto& h) { h.join([](auto&) { throw breaks(); }, [](auto&) {}); }), breaks);
    pool.drain();
    EXPECT_EQ(failed, round + 1);
    EXPECT_EQ(pool.run([](auto& h) { return fib(h, 10); }), 55);
    auto const region = pool.open_region("random");
    EXPECT_THROW(region.run([](auto&) { throw breaks(); }), breaks);
    EXPECT_EQ(region.run([](auto& h) { return fib(h, 10); }), 55);
  }
}

INSTANTIATE_TEST_SUITE_P(policies, second_use, ::testing::ValuesIn(skua::testing::checked_policies()),
                         skua::testing::policy_in_a_name);

TEST(second_use_of_values, of_an_arena_begins_anew_each_time) {
  skua::tbb::task_arena arena(2);
  std::atomic<int> ran{0};
  for (int round = 1; round <= 3; ++round) {
    arena.initialize(1 + round % 2);
    EXPECT_EQ(arena.max_concurrency(), 1 + round % 2);
    EXPECT_THROW(arena.execute([] { throw breaks(); }), breaks);
    arena.enqueue([&] { ++ran; });
    EXPECT_EQ(arena.execute([] { return 3; }), 3);
    arena.terminate();
    EXPECT_FALSE(arena.is_active());
  }
  EXPECT_EQ(arena.execute([] { return 4; }), 4);
}

TEST(second_use_of_values, of_a_context_works_after_each_reset) {
  skua::task_group_context context;
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> ran{0};
    auto const loop = [&](int throws_at) {
      skua::parallel_for(
          0, 50,
          [&](int i) {
            if (i == throws_at) throw breaks();
            ++ran;
          },
          skua::simple_partitioner{}, context);
    };
    EXPECT_THROW(loop(30), breaks);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    context.reset();
    ran = 0;
    loop(-1);
    EXPECT_EQ(ran, 50);
    context.cancel_group_execution();
    ran = 0;
    loop(-1);
    EXPECT_EQ(ran, 0);
    context.reset();
  }
}

TEST(second_use_of_values, of_a_queue_works_after_it_was_emptied_and_resized) {
  skua::tbb::concurrent_bounded_queue<std::string> items;
  for (int capacity : {2, 1, 3}) {
    items.set_capacity(capacity);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < capacity; ++i) EXPECT_TRUE(items.try_push(std::to_string(i)));
      EXPECT_FALSE(items.try_push("too many"));
      std::string got;
      for (int i = 0; i < capacity; ++i) {
        EXPECT_TRUE(items.try_pop(got));
        EXPECT_EQ(got, std::to_string(i));
      }
      EXPECT_FALSE(items.try_pop(got));
      items.abort();
      EXPECT_TRUE(items.empty());
    }
  }
}

TEST(second_use_of_values, of_a_once_flag_comes_after_a_function_that_threw) {
  skua::tbb::collaborative_once_flag flag;
  int calls = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_THROW(skua::tbb::collaborative_call_once(flag,
                                                    [&] {
                                                      ++calls;
                                                      throw breaks();
                                                    }),
                 breaks);
  }
  for (int i = 0; i < 3; ++i) skua::tbb::collaborative_call_once(flag, [&] { ++calls; });
  EXPECT_EQ(calls, 4);
}

TEST(second_use_of_values, of_an_object_per_worker_is_new_after_clear) {
  skua::pool pool({.workers = 3});
  skua::worker_local<int> parts;
  for (int round = 0; round < 5; ++round) {
    pool.run([&](auto& h) { skua::for_each(h, 0, 100, [&](auto&, int) { ++parts.local(); }, skua::grain{1}); });
    EXPECT_EQ(parts.combine(std::plus<>{}), 100);
    parts.clear();
    EXPECT_EQ(parts.size(), 0U);
  }
}

TEST(second_use_of_values, of_a_handle_is_a_new_task_and_it_may_move) {
  skua::task_group group;
  std::atomic<int> ran{0};
  skua::task_handle handle;
  for (int round = 1; round <= 4; ++round) {
    handle = group.defer([&] { ++ran; });
    skua::task_handle moved(std::move(handle));
    EXPECT_FALSE(handle);  // NOLINT(bugprone-use-after-move)
    group.run(std::move(moved));
    EXPECT_EQ(group.wait(), skua::task_group_status::complete);
    EXPECT_EQ(ran, round);
  }
}
