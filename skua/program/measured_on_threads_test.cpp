// SPDX-License-Identifier: MIT
// Measured work hints on threads, under every policy. With a clock that only leaves advance: measured_work_test.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "skua/program/measured_work.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using std::chrono::nanoseconds;

long sum_below(auto& here, int depth, work::measured& memory, std::atomic<int>& calls) {
  calls.fetch_add(1, std::memory_order_relaxed);  // relaxed: read after the run
  if (depth == 0) return 1;
  auto [a, b] = memory.join(
      here, [&, depth](auto& h, work::measured& below) { return sum_below(h, depth - 1, below, calls); },
      [&, depth](auto& h, work::measured& below) { return sum_below(h, depth / 2, below, calls); });
  std::vector<long> parts(3, 0);
  here.join_each(parts, [](auto&, long& p) { p = 1; });
  return a + b + std::accumulate(parts.begin(), parts.end(), 0L);
}

TEST(measured_work, under_every_policy_answers_are_the_serial_ones_and_all_children_are_measured) {
  std::atomic<int> calls{0};
  work::measured fresh;
  serial here;
  long const right = sum_below(here, 12, fresh, calls);
  int const right_calls = calls.exchange(0, std::memory_order_relaxed);  // relaxed: one thread
  for (char const* policy : {"random", "hierarchical", "adws", "adws:no-steal", "numa-ws", "replay"}) {
    for (std::uint32_t const workers : {1U, 2U, 7U}) {
      SCOPED_TRACE(policy);
      pool p({.workers = workers, .policy = policy});
      work::measured memory;
      for (int iteration = 0; iteration < 5; ++iteration) {
        EXPECT_EQ(p.run([&](auto& h) { return sum_below(h, 12, memory, calls); }), right);
        EXPECT_EQ(calls.exchange(0, std::memory_order_relaxed), right_calls);  // relaxed: the run has ended
        EXPECT_GT(memory.last(0), nanoseconds(0));
        EXPECT_GT(memory.last(1), nanoseconds(0));
      }
    }
  }
}

TEST(measured_work, on_threads_an_exception_comes_out_and_the_memory_lives_on) {
  pool p({.workers = 3, .policy = "adws"});
  work::measured memory;
  std::vector<int> cells(50, 1);
  for (int round = 0; round < 20; ++round) {
    EXPECT_THROW(p.run([&](auto& h) {
      memory.join_each(h, cells, [&](auto&, int const& x) {
        if (&x == &cells[static_cast<std::size_t>(round)]) throw std::runtime_error("x");
      });
    }),
                 std::runtime_error);
  }
  std::atomic<int> calls{0};
  p.run([&](auto& h) {
    memory.join_each(h, cells,
                     [&](auto&, int x) { calls.fetch_add(x, std::memory_order_relaxed); });  // relaxed: a count
  });
  EXPECT_EQ(calls.load(std::memory_order_relaxed), 50);
}

}}}}  // namespace skua::v0::runtime
