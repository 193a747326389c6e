// SPDX-License-Identifier: MIT
// stdexec's algorithms on pools, and its parallel_scheduler on the default pool.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <exec/async_scope.hpp>
#include <exec/task.hpp>
#include <stdexec/execution.hpp>

#include "skua/execution.hpp"
#include "skua/skua.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

std::shared_ptr<stdexec::parallel_scheduler_replacement::parallel_scheduler_backend>
stdexec::parallel_scheduler_replacement::query_parallel_scheduler_backend() {
  return skua::parallel_scheduler_backend();
}

namespace skua { inline namespace v0 { namespace {

namespace ex = ::stdexec;
using testing::this_thread_number;
using testing::wait_until;

static_assert(ex::scheduler<pool_scheduler>);
static_assert(std::is_constructible_v<ex::task_scheduler, pool_scheduler>);
static_assert(ex::sender_of<decltype(ex::schedule(std::declval<pool_scheduler>())), ex::set_value_t()>);
static_assert(ex::sender_of<decltype(ex::schedule(std::declval<pool_scheduler>())), ex::set_stopped_t()>);

/// The only value of a sender.
template <class Sender>
auto value_of(Sender&& sender) {
  return std::get<0>(ex::sync_wait(std::forward<Sender>(sender)).value());
}

TEST(stdexec_pool, schedules_on_its_workers) {
  pool two({.workers = 2});
  auto const where = ex::schedule(pool_scheduler(two)) | ex::then([] { return &current_pool(); });
  EXPECT_EQ(value_of(where), &two);
  EXPECT_EQ(value_of(ex::just(20) | ex::continues_on(pool_scheduler(two)) | ex::then([](int n) { return n + 1; })), 21);
  EXPECT_EQ(value_of(ex::starts_on(pool_scheduler(two), ex::just(3))), 3);
  EXPECT_EQ(value_of(ex::on(pool_scheduler(two), ex::just() | ex::then([] { return &current_pool(); }))), &two);
}

TEST(stdexec_pool, queries_have_the_standards_answers) {
  pool one({.workers = 1});
  pool other({.workers = 1});
  pool_scheduler const on(one);
  EXPECT_EQ(on, pool_scheduler(one));
  EXPECT_NE(on, pool_scheduler(other));
  EXPECT_EQ(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(on))), on);
  EXPECT_EQ(ex::get_forward_progress_guarantee(on), ex::forward_progress_guarantee::parallel);
}

TEST(stdexec_pool, when_all_runs_on_several_workers) {
  pool two({.workers = 2});
  std::atomic<int> begun{0};
  auto const meet = ex::schedule(pool_scheduler(two)) | ex::then([&] {
                      ++begun;
                      wait_until("both have begun", [&] { return begun == 2; });
                      return 1;
                    });
  auto const [a, b] = ex::sync_wait(ex::when_all(meet, meet)).value();
  EXPECT_EQ(a + b, 2);
}

TEST(stdexec_pool, exceptions_and_stops_arrive) {
  pool one({.workers = 1});
  auto const throws = ex::schedule(pool_scheduler(one)) | ex::then([] { throw std::runtime_error("inside"); });
  EXPECT_THROW(ex::sync_wait(throws), std::runtime_error);
  EXPECT_EQ(value_of(throws | ex::then([] { return 1; }) | ex::upon_error([](std::exception_ptr) { return 2; })), 2);
  ex::inplace_stop_source stop;
  stop.request_stop();
  auto const stopped = ex::write_env(ex::schedule(pool_scheduler(one)), ex::prop(ex::get_stop_token, stop.get_token()));
  EXPECT_FALSE(ex::sync_wait(stopped).has_value());
}

TEST(stdexec_pool, loops_are_skuas) {
  pool two({.workers = 2});
  auto const on = ex::schedule(pool_scheduler(two));
  std::vector<std::atomic<int>> calls(1000);
  ex::sync_wait(on | ex::bulk(ex::par, 1000U, [&](unsigned i) { ++calls[i]; }));
  ex::sync_wait(on | ex::bulk_chunked(ex::par_unseq, 1000U, [&](unsigned i, unsigned end) {
                  EXPECT_LT(end - i, 1000U) << "in pieces";
                  for (; i < end; ++i) ++calls[i];
                }));
  ex::sync_wait(on | ex::bulk_unchunked(ex::par, 1000U, [&](unsigned i) { ++calls[i]; }));
  for (auto const& c : calls) EXPECT_EQ(c, 3);
}

TEST(stdexec_pool, elements_of_a_loop_run_side_by_side) {
  pool two({.workers = 2});
  std::atomic<int> begun{0};
  ex::sync_wait(ex::schedule(pool_scheduler(two)) | ex::bulk_unchunked(ex::par, 2, [&](int) {
                  EXPECT_EQ(&current_pool(), &two);
                  ++begun;
                  wait_until("both have begun", [&] { return begun == 2; });
                }));
}

TEST(stdexec_pool, a_loop_in_sequence_stays_on_one_thread) {
  pool two({.workers = 2});
  std::vector<int> order;
  ex::sync_wait(ex::schedule(pool_scheduler(two)) | ex::bulk(ex::seq, 100, [&](int i) { order.push_back(i); }));
  std::vector<int> sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  EXPECT_EQ(order, sorted);
}

TEST(stdexec_pool, loops_pass_values_errors_and_stops) {
  pool two({.workers = 2});
  auto const three = ex::schedule(pool_scheduler(two)) | ex::then([] { return std::vector<int>(1000, 3); });
  auto const tripled = value_of(three | ex::bulk(ex::par, 1000U, [](unsigned i, std::vector<int>& v) { v[i] *= 3; }));
  EXPECT_EQ(std::accumulate(tripled.begin(), tripled.end(), 0), 9000);
  EXPECT_THROW(ex::sync_wait(three | ex::bulk(ex::par, 1000U,
                                              [](unsigned i, auto&) {
                                                if (i == 500) throw std::runtime_error("inside");
                                              })),
               std::runtime_error);
  ex::inplace_stop_source stop;
  auto const cut_short =
      ex::schedule(pool_scheduler(two)) | ex::bulk_unchunked(ex::par, 100'000, [&](int) { stop.request_stop(); });
  EXPECT_FALSE(ex::sync_wait(ex::write_env(cut_short, ex::prop(ex::get_stop_token, stop.get_token()))).has_value());
}

exec::task<int> sum_of(pool& where, int n) {
  co_await ex::schedule(pool_scheduler(where));
  EXPECT_EQ(&current_pool(), &where);
  if (n < 2) co_return n;
  int const one = co_await sum_of(where, n - 1);
  co_return one + n;
}

ex::task<int> goes_on_where_it_began(pool& where, pool& other) {
  EXPECT_EQ(&current_pool(), &where);
  pool* const there = co_await (ex::schedule(pool_scheduler(other)) | ex::then([] { return &current_pool(); }));
  EXPECT_EQ(there, &other);
  EXPECT_EQ(&current_pool(), &where);
  co_return 9;
}

TEST(stdexec_pool, the_standards_coroutines_stay_on_their_pool) {
  pool two({.workers = 2});
  pool one({.workers = 1});
  std::atomic<int> got{0};
  exec::async_scope scope;
  scope.spawn(ex::starts_on(pool_scheduler(two), goes_on_where_it_began(two, one)) |
              ex::then([&](int n) noexcept { got = n; }) | ex::upon_error([](auto const&) noexcept { ADD_FAILURE(); }));
  ex::sync_wait(scope.on_empty());
  EXPECT_EQ(got, 9);
}

TEST(stdexec_pool, coroutines_wait_for_it) {
  pool two({.workers = 2});
  EXPECT_EQ(value_of(ex::starts_on(pool_scheduler(two), sum_of(two, 20))), 210);
}

TEST(stdexec_pool, a_task_that_waits_does_not_block_its_worker) {
  pool one({.workers = 1});
  auto const thread = ex::schedule(pool_scheduler(one)) | ex::then([] { return this_thread_number(); });
  one.enqueue([&] {
    EXPECT_EQ(value_of(thread), this_thread_number());
    EXPECT_EQ(value_of(ex::when_all(thread, thread)), this_thread_number());
    EXPECT_EQ(std::get<0>(skua::sync_wait(thread).value()), this_thread_number());
    EXPECT_EQ(std::get<0>(skua::sync_wait(ex::read_env(ex::get_scheduler)).value()), pool_scheduler(one));
    EXPECT_THROW(ex::sync_wait(thread | ex::then([](long) { throw std::runtime_error("inside"); })),
                 std::runtime_error);
  });
  one.drain();
  EXPECT_EQ(std::get<0>(skua::sync_wait(ex::just(6)).value()), 6);
}

TEST(stdexec_parallel_scheduler, tasks_may_wait_for_it) {
  default_pool().run([] {
    auto const pool_there = ex::schedule(ex::get_parallel_scheduler()) | ex::then([] { return &current_pool(); });
    EXPECT_EQ(std::get<0>(skua::sync_wait(pool_there).value()), &default_pool());
  });
}

TEST(stdexec_pool, random_work_in_a_scope_is_done_when_the_scope_is_empty) {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 dice(seed);
    pool two({.workers = 2});
    pool one({.workers = 1});
    exec::async_scope scope;
    std::atomic<long> sum{0};
    long expected = 0;
    for (int i = 0; i < 200; ++i) {
      pool& first = dice() % 2 == 0 ? two : one;
      pool& second = dice() % 2 == 0 ? two : one;
      int const n = static_cast<int>(dice() % 20);
      expected += 1 + n;
      scope.spawn(ex::schedule(pool_scheduler(first)) | ex::then([&] { ++sum; }) |
                  ex::continues_on(pool_scheduler(second)) | ex::bulk(ex::par, n, [&](int) noexcept { ++sum; }) |
                  ex::upon_error([](auto const&) noexcept { ADD_FAILURE(); }));
    }
    ex::sync_wait(scope.on_empty());
    EXPECT_EQ(sum, expected);
  }
}

TEST(stdexec_parallel_scheduler, runs_on_the_default_pool) {
  auto const everywhere = ex::get_parallel_scheduler();
  EXPECT_EQ(everywhere, ex::get_parallel_scheduler());
  EXPECT_EQ(value_of(ex::schedule(everywhere) | ex::then([] { return &current_pool(); })), &default_pool());
  std::vector<std::atomic<int>> calls(1000);
  auto const on = ex::schedule(everywhere);
  ex::sync_wait(on | ex::bulk(ex::par, 1000U, [&](unsigned i) { ++calls[i]; }));
  ex::sync_wait(on | ex::bulk_unchunked(ex::par, 1000U, [&](unsigned i) { ++calls[i]; }));
  for (auto const& c : calls) EXPECT_EQ(c, 2);
}

TEST(stdexec_parallel_scheduler, hears_of_stops) {
  ex::inplace_stop_source stop;
  auto const cut_short = ex::schedule(ex::get_parallel_scheduler()) |
                         ex::bulk_unchunked(ex::par, 100'000, [&](int) { stop.request_stop(); });
  EXPECT_FALSE(ex::sync_wait(ex::write_env(cut_short, ex::prop(ex::get_stop_token, stop.get_token()))).has_value());
}

}}}  // namespace skua::v0
