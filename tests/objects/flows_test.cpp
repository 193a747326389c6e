// SPDX-License-Identifier: MIT
// Flows, in every use of docs/guide/objects.md.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <optional>

#include "skua/skua.hpp"
#include "tests/objects/object_uses.hpp"

namespace {

using skua::testing::can_move;
using skua::testing::misuse_DeathTest;
using here_of_threads = skua::runtime::here;

TEST(flow_object, two_threads_at_once_are_refused) {
  skua::pool pool({.workers = 2});
  pool.run([](auto& here) {
    skua::flow graph(here);
    skua::one_shot<> runs;
    skua::one_shot<> may_end;
    graph.add([&](auto& h) {
      runs.set_value();
      may_end.wait(h);
    });
    here.join([&](auto& h) { graph.run(h); },
              [&](auto& h) {
                runs.wait(h);
                EXPECT_THROW(graph.run(h), skua::usage_error);
                EXPECT_THROW(graph.add([](auto&) {}), skua::usage_error);
                may_end.set_value();
              });
  });
}

TEST(flow_object, by_its_own_task_it_grows) {
  skua::pool pool({.workers = 2});
  pool.run([](auto& here) {
    skua::flow graph(here);
    std::atomic<int> ran{0};
    graph.add([&](auto&, auto& in) { in.add([&](auto&) { ++ran; }); });
    graph.run(here);
    EXPECT_EQ(ran.load(), 1);
  });
}

TEST(flow_object, by_its_own_task_what_is_meant_for_the_time_between_runs_is_refused) {
  skua::pool pool({.workers = 2});
  pool.run([](auto& here) {
    skua::flow graph(here);
    auto const first = graph.add([](auto&) {});
    std::optional<skua::runtime::node<void>> last;
    std::atomic<int> refused{0};
    auto const refuses = [&](auto&& f) {
      EXPECT_THROW(f(), skua::usage_error);
      ++refused;
    };
    auto const middle = graph.add(skua::after(first), [&](auto& h) {
      refuses([&] { graph.run(h); });
      refuses([&] { graph.add([](auto&) {}); });
      refuses([&] { graph.add_team([](auto&) {}); });
      refuses([&] { graph.edge(first, *last); });
      refuses([&] { graph.name(first, "first"); });
      refuses([&] { graph.address_by_breadth(); });
    });
    last = graph.add(skua::after(middle), [](auto&) {});
    graph.run(here, 2);
    EXPECT_EQ(refused.load(), 12);
    EXPECT_EQ(graph.nodes(), 3U);
  });
}

class flow_object_DeathTest : public misuse_DeathTest {};

TEST_F(flow_object_DeathTest, while_it_ends_a_run_is_named) {
  auto const misuse = [] {
    skua::pool(1).run([](auto& here) {
      auto* const graph = new skua::flow<here_of_threads>;
      graph->add([&](auto&) { delete graph; });
      graph->run(here);
    });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), "flow: destroyed while it runs");
}

TEST(flow_object, after_its_end_a_run_leaves_it_ready_for_the_next) {
  skua::pool pool({.workers = 2});
  pool.run([](auto& here) {
    skua::flow graph(here);
    int ran = 0;
    auto const a = graph.add([&](auto&) { ++ran; });
    graph.run(here);
    graph.add(skua::after(a), [&](auto&) { ran += 10; });
    graph.run(here);
    EXPECT_EQ(ran, 12);
  });
}

TEST(flow_object, moved_from_does_not_compile) { EXPECT_FALSE(can_move<skua::flow<here_of_threads>>); }

}  // namespace
