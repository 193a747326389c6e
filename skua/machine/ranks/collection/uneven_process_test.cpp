// SPDX-License-Identifier: MIT
// Ranks that wait for one another: process() on some ranks, and another call on others, ends on all of them, and their communicator with it
// (communicator/call_order.md). Not over MPI, where all tests
// share one communicator, which has read SKUA_STALL before they begin.
#include <gtest/gtest.h>

#include <time.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/program/collection/task_collection.hpp"
#include "skua/rank_pool.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

using uneven_collection = task_collection<int>;

/// The text of the usage_error that f throws; empty: none.
std::string text_of_refusal(std::function<void()> const& f) {
  try {
    f();
  } catch (usage_error const& e) {
    return e.what();
  }
  return {};
}

/// The first rank, and then the last one, calls `odd`, and the others `usual`.
void expect_final(std::vector<std::string> const& parts,
                  std::function<void(communicator&, uneven_collection&, uneven_collection&)> const& odd,
                  std::function<void(communicator&, uneven_collection&, uneven_collection&)> const& usual) {
  for (std::uint32_t const ranks : {2, 3, 4, 7}) {
    for (std::uint32_t const who : {0U, ranks - 1}) {
      on_ranks(ranks, [&](communicator& world) {
        uneven_collection a(world, {.name = "a", .steals = false}, [](int) {});
        uneven_collection b(world, {.name = "b", .steals = false}, [](int) {});
        a.add(1);
        std::string const said = text_of_refusal([&] { (world.rank() == who ? odd : usual)(world, a, b); });
        for (auto const& part : parts) EXPECT_TRUE(said.find(part) != std::string::npos) << part << ": " << said;
        EXPECT_EQ(text_of_refusal([&] { world.barrier(); }), said) << "from now on";
      });
    }
  }
}

TEST(uneven_process, process_on_some_ranks_only_ends_on_all) {
  auto const process_a = [](communicator&, uneven_collection& a, uneven_collection&) { a.process(); };
  auto const process_b = [](communicator&, uneven_collection&, uneven_collection& b) { b.process(); };
  auto const barrier = [](communicator& world, uneven_collection&, uneven_collection&) { world.barrier(); };
  auto const report = [](communicator&, uneven_collection& a, uneven_collection&) { static_cast<void>(a.report()); };
  expect_final({"process of 'a'", "barrier"}, process_a, barrier);
  expect_final({"process of 'a'", "barrier"}, barrier, process_a);
  expect_final({"process of 'a'", "process of 'b'"}, process_a, process_b);
  expect_final({"process of 'a'", "report of 'a'"}, report, process_a);
}

TEST(uneven_process, a_collection_that_outlives_the_rank_pool_of_a_rank_is_refused_on_all) {
  for (std::uint32_t const ranks : {1, 2, 5}) {
    for (std::uint32_t const who : {0U, ranks - 1}) {
      on_ranks(ranks, [&](communicator& world) {
        pool threads(2);
        auto outer = std::make_unique<rank_pool>(world, threads);
        uneven_collection kept(world, {.name = "kept"}, [](int) {});
        auto inner = world.rank() == who ? std::make_unique<rank_pool>(world, threads) : nullptr;
        uneven_collection all(world, {.name = "all"}, [](int) {});
        for (int n = 0; n < 10; ++n) all.add(n);
        all.process();
        inner.reset();
        kept.add(1);
        kept.process();
        EXPECT_EQ(world.sum(kept.num_recorded()), world.size()) << "the outer one lives";
        EXPECT_EQ(world.workers(), 2U);
        all.restore();
        std::string const said = text_of_refusal([&] { all.process(); });
        EXPECT_EQ(said, "the task collection 'all' of rank " + std::to_string(who) +
                            ": the rank_pool with its workers has ended; allowed: one that outlives the collection");
      });
    }
  }
}

TEST(uneven_process, ranks_that_wait_in_a_collective_call_say_in_which_and_for_whom) {
  ASSERT_EQ(setenv("SKUA_STALL", "20ms", 1), 0);
  ::testing::internal::CaptureStderr();
  on_ranks(4, [&](communicator& world) {
    world.barrier();
    auto const processor_time = [] {
      timespec t{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
      return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
    };
    if (world.rank() == 0) {
      for (auto const until = processor_time() + std::chrono::milliseconds(300); processor_time() < until;) {}
    }
    std::array<double, 3> v{};
    world.sum(v);
  });
  std::string const said = ::testing::internal::GetCapturedStderr();
  unsetenv("SKUA_STALL");
  EXPECT_NE(said.find(": in sum of 3 doubles for "), std::string::npos) << said;
  EXPECT_NE(said.find(" ms: waits for rank 0\n"), std::string::npos) << said;
}

}}}}  // namespace skua::v0::ranks
