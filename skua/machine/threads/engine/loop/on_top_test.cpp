// SPDX-License-Identifier: MIT
// Without a stack for its worker a task waits in place, and others run on top of it: afterwards it is again what the policy, the trace
// and the clock know it as.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/stack.hpp"
#include "skua/parts/trace/trace_reader.hpp"
#include "skua/skua.hpp"
#include "tests/programs/listening_policy.hpp"

namespace {

using namespace std::chrono_literals;
using skua::policies::begun, skua::policies::ended, skua::policies::event;
using skua::testing::ears, skua::testing::open_listening;

/// The address space has room for about a hundred stacks of this size.
constexpr std::size_t huge_stack = std::size_t{1} << 40;
constexpr bool address_space_is_ours = !skua::runtime::under_tsan && !skua::runtime::under_asan;

/// Takes all of that room while it lives.
class all_stacks {
 public:
  all_stacks() {
    while (skua::runtime::stack* const s = pool_.try_take()) taken_.push_back(s);
  }
  ~all_stacks() {
    for (skua::runtime::stack* const s : taken_) pool_.give(s);
  }
  all_stacks(all_stacks const&) = delete;
  all_stacks& operator=(all_stacks const&) = delete;

 private:
  skua::runtime::stack_pool pool_{huge_stack};
  std::vector<skua::runtime::stack*> taken_;
};

/// before(), then a task of a group on top of the caller, which waits for it.
template <class Before>
void run_one_on_top(auto& here, Before const& before) {
  skua::task_group group;
  skua::one_shot<> answer;
  before();
  group.run([&] { answer.set_value(); });
  answer.wait(here);
  group.wait();
}

void work_for(std::chrono::microseconds time) {
  auto const end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {}
}

}  // namespace

TEST(on_top, a_task_leaves_the_one_below_its_tag) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  std::vector<std::uint64_t> began;
  std::vector<std::uint64_t> goes_on;
  std::vector<std::uint64_t> has_ended;
  ears all;
  all.heard = [&](skua::worker_id, event const& e) {
    if (auto const* const b = std::get_if<begun>(&e)) (b->open ? goes_on : began).push_back(b->task.words[1]);
    if (auto const* const o = std::get_if<ended>(&e)) has_ended.push_back(o->task.words[1]);
  };
  skua::pool pool({.workers = 1, .stack_bytes = huge_stack});
  auto const region = open_listening(pool, all);
  {
    all_stacks const none_left;
    region.run([&](auto& here) { run_one_on_top(here, [] {}); });
  }
  ASSERT_GE(began.size(), 2U);
  ASSERT_NE(began[0], began[1]) << "the task on top has a tag of its own";
  ASSERT_FALSE(goes_on.empty());
  for (std::uint64_t const tag : goes_on) EXPECT_EQ(tag, began[0]);
  ASSERT_FALSE(has_ended.empty());
  EXPECT_EQ(has_ended.back(), began[0]);
}

TEST(on_top, a_task_leaves_the_one_below_its_time) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  std::vector<std::uint64_t> ran_ns;
  ears all;
  all.needs = {.times = skua::policies::which_tasks::all};
  all.heard = [&](skua::worker_id, event const& e) {
    if (auto const* const o = std::get_if<ended>(&e)) ran_ns.push_back(o->duration_ns);
  };
  skua::pool pool({.workers = 1, .stack_bytes = huge_stack});
  auto const region = open_listening(pool, all);
  {
    all_stacks const none_left;
    region.run([&](auto& here) { run_one_on_top(here, [] { work_for(20ms); }); });
  }
  ASSERT_GE(ran_ns.size(), 2U);
  EXPECT_GE(ran_ns.back(), std::uint64_t{20'000'000}) << "what it did before it waited";
}

TEST(on_top, a_task_ends_in_the_trace) {
  if (!address_space_is_ours) GTEST_SKIP() << "the sanitizer lives in the address space";
  using skua::trace::kind;
  std::string where = (std::filesystem::temp_directory_path() / "skua_on_top_XXXXXX").string();
  ASSERT_NE(::mkdtemp(where.data()), nullptr);
  std::string const path = where + "/t";
  {
    skua::pool pool({.workers = 1, .trace = path, .stack_bytes = huge_stack});
    all_stacks const none_left;
    pool.run([&](auto& here) { run_one_on_top(here, [] {}); });
  }
  int begun_tasks = 0;
  int ended_tasks = 0;
  for (auto const& track : skua::trace::read_trace(path).tracks) {
    for (auto const& e : track.events) {
      if (e.what == kind::task_began) ++begun_tasks;
      if (e.what == kind::task_ended) ++ended_tasks;
    }
  }
  std::filesystem::remove_all(where);
  EXPECT_GE(begun_tasks, 1);
  EXPECT_EQ(ended_tasks, begun_tasks);
}
