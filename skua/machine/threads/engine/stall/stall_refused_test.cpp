// SPDX-License-Identifier: MIT
// A pool whose stalls could not be reported is not made; what counts as work, and as ready, in rare states.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "skua/machine/threads/engine/core/parked_frames.hpp"
#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/stall/stall_report.hpp"
#include "skua/machine/threads/face/isolate.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/skua.hpp"
#include "tests/programs/refused_threads.hpp"
#include "tests/programs/wait_until.hpp"

namespace skua { inline namespace v0 { namespace {

class watched : public ::testing::Test {
 protected:
  watched() { ::setenv("SKUA_STALL", "3600s", 1); }
  ~watched() override { ::unsetenv("SKUA_STALL"); }
};

TEST_F(watched, pools_are_refused_where_the_thread_that_watches_is) {
  if (runtime::under_tsan || runtime::under_asan) GTEST_SKIP() << "the sanitizer makes the threads";
  std::optional<testing::threads_are_refused> refused;
  auto const refuse_threads = [&refused](worker_id) { refused.emplace(); };
  for (int round = 0; round < 2; ++round) {
    std::string text = "accepted";
    try {
      pool const p({.workers = 1, .on_worker_begin = refuse_threads});  // the watching thread comes after the workers
    } catch (resource_error const& e) {
      text = e.what();
    }
    refused.reset();
    EXPECT_EQ(text.find("SKUA_STALL: no thread that watches the pool: "), 0u) << text;
    EXPECT_EQ(pool(1).run([](auto&) { return 7; }), 7);
  }
}

TEST_F(watched, a_call_that_waits_without_leaving_its_stack_is_work) {
  pool p({.workers = 1});
  runtime::pool_core& c = runtime::core_of(p);
  one_shot<> answer;
  std::thread caller([&] { p.run([&](auto&) { isolate([&](auto& alone) { answer.wait(alone); }); }); });
  testing::wait_until("it waits, and is not at work", [&] {
    return runtime::describe_stall(c, *c.parked(), 0).find("which waits without leaving its stack for") !=
           std::string::npos;
  });
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(runtime::has_work(c, *c.parked()));
    std::this_thread::yield();
  }
  answer.set_value();
  caller.join();
  EXPECT_FALSE(runtime::has_work(c, *c.parked()));
}

/// As a frame that has been moved between two groups.
TEST_F(watched, a_frame_that_waits_for_nothing_is_ready_to_go_on) {
  pool p({.workers = 1});
  runtime::pool_core& c = runtime::core_of(p);
  p.run([&](auto& h) {
    runtime::frame parked{fiber_of(h), nullptr, true};
    runtime::parked_frames list;
    auto const report = [&](runtime::group const* waits_for) {
      parked.noted = {};
      parked.noted.waits_for = waits_for;
      parked.noted.reason = {"an answer"};
      list.add(parked);
      std::string text = runtime::describe_stall(c, list, 0);
      list.remove(parked);
      return text;
    };
    auto const has = [](std::string const& text, char const* part) { return text.find(part) != std::string::npos; };
    EXPECT_PRED2(has, report(nullptr), " is ready to continue\n");
    runtime::group waits(nullptr, 2);
    EXPECT_PRED2(has, report(&waits), " waits for an answer\n");
  });
}

}}}  // namespace skua::v0
