// SPDX-License-Identifier: MIT
// A worker goes on with calls from outside, and with tasks of a group, without a search between them: what a search would find first
// goes first all the same, and a worker that blocks keeps nothing back.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "skua/skua.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::wait_until;

/// Each letter is a task of the only worker, in the order in which they run.
/// `group`: whose tasks the calls start.
std::string order_of(std::string_view policy, auto&& start, skua::task_group* group = nullptr) {
  skua::pool pool({.workers = 1, .policy = std::string(policy)});
  std::string order;
  std::atomic<bool> is_complete{false};
  pool.enqueue([&] {
    while (!is_complete.load()) std::this_thread::yield();
  });
  start(pool, order);
  is_complete = true;
  pool.drain();
  if (group != nullptr) group->wait();
  return order;
}

class going_on : public ::testing::TestWithParam<char const*> {};

TEST_P(going_on, a_ready_frame_goes_before_the_next_call) {
  skua::one_shot<int> answer;
  EXPECT_EQ(order_of(GetParam(),
                     [&](skua::pool& pool, std::string& order) {
                       pool.enqueue([&](auto& here) {
                         order += 'a';
                         static_cast<void>(answer.wait(here));
                         order += 'A';
                       });
                       pool.enqueue([&] {
                         order += 'b';
                         answer.set_value(1);
                       });
                       for (int i = 0; i < 3; ++i) pool.enqueue([&] { order += 'c'; });
                     }),
            "abAccc");
}

TEST_P(going_on, tasks_of_a_call_go_before_the_next_call) {
  skua::task_group group;
  EXPECT_EQ(order_of(
                GetParam(),
                [&](skua::pool& pool, std::string& order) {
                  pool.enqueue([&] {
                    order += 'a';
                    for (char const task : {'3', '2', '1'}) group.run([&order, task] { order += task; });
                  });
                  for (int i = 0; i < 2; ++i) pool.enqueue([&] { order += 'b'; });
                },
                &group),
            "a123bb");
}

TEST_P(going_on, a_ready_frame_goes_before_the_next_task_of_a_group) {
  skua::one_shot<int> answer;
  skua::task_group group;
  EXPECT_EQ(order_of(
                GetParam(),
                [&](skua::pool& pool, std::string& order) {
                  pool.enqueue([&] {  // it ends, and the worker pops its tasks, the newest first
                    for (int i = 0; i < 3; ++i) group.run([&] { order += 'c'; });
                    group.run([&] {
                      order += 'b';
                      answer.set_value(1);
                    });
                    group.run([&](auto& here) {
                      order += 'a';
                      static_cast<void>(answer.wait(here));
                      order += 'A';
                    });
                  });
                },
                &group),
            "abAccc");
}

/// The second call waits for the third, which stays where others take it.
TEST_P(going_on, a_call_that_blocks_keeps_no_other_back) {
  skua::pool pool({.workers = 1, .policy = GetParam()});
  std::promise<void> answer;
  pool.enqueue([] {});
  pool.enqueue([&] { answer.get_future().wait(); });
  pool.enqueue([&] { answer.set_value(); });
  pool.drain();
}

TEST_P(going_on, a_group_ends_when_its_last_task_has_ended) {
  skua::pool pool({.workers = 2, .policy = GetParam()});
  for (int round = 0; round < 200; ++round) {
    auto group = std::make_unique<skua::task_group>();
    std::atomic<int> ran{0};
    pool.enqueue([&] {
      for (int i = 0; i < 100; ++i) group->run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    });
    pool.drain();
    group->wait();
    EXPECT_EQ(ran.load(), 100);
    group.reset();
  }
}

/// Counters see each of them.
TEST_P(going_on, each_call_is_counted) {
  skua::pool pool({.workers = 1, .policy = GetParam()});
  std::uint64_t const before = pool.counters()[0].tasks;
  for (int i = 0; i < 100; ++i) pool.enqueue([] {});
  pool.drain();
  EXPECT_EQ(pool.counters()[0].tasks - before, 100U);
}

INSTANTIATE_TEST_SUITE_P(, going_on, ::testing::Values("random", "auto", "strategies", "hierarchical"),
                         [](auto const& param) { return std::string(param.param); });

}  // namespace
