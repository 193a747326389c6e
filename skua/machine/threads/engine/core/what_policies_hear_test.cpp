// SPDX-License-Identifier: MIT
// The events that a policy gets for tasks of every construct: the end of a task before its owner continues, the place that a stolen
// child inherits, the tag of a task that continues after another one ran on top of it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/listening_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::policies::begun, skua::policies::ended, skua::policies::event;
using skua::testing::ears, skua::testing::open_listening, skua::testing::this_thread_number, skua::testing::wait_until;

/// One child that the caller waits for in its own part, so that another worker runs it.
class stolen_child {
 public:
  void run() {
    if (this_thread_number() != caller_) runs_elsewhere_ = true;
    begun_ = true;
  }
  void await() const {
    wait_until("the child is stolen", [this] { return begun_.load(); });
  }
  [[nodiscard]] bool ran_elsewhere() const { return runs_elsewhere_; }

 private:
  long const caller_ = this_thread_number();
  std::atomic<bool> begun_{false};
  std::atomic<bool> runs_elsewhere_{false};
};

/// How long one side gives the other one to do what it must not: no claim about speed.
class grace {
 public:
  [[nodiscard]] bool is_left() const { return std::chrono::steady_clock::now() < end_; }

 private:
  std::chrono::steady_clock::time_point const end_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
};

constexpr std::array both{0, 1};

/// f(construct), where construct(here, child) calls child.run() in a child that is stolen, and child.await() beside it.
template <class F>
void for_every_construct(F const& f) {
  f("join", [](auto& h, stolen_child& c) { h.join([&](auto&) { c.await(); }, [&](auto&) { c.run(); }); });
  f("join of three",
    [](auto& h, stolen_child& c) { h.join([&](auto&) { c.await(); }, [&](auto&) { c.run(); }, [](auto&) {}); });
  f("each", [](auto& h, stolen_child& c) { h.join_each(both, [&](auto&, int i) { i == 0 ? c.await() : c.run(); }); });
  f("scope", [](auto& h, stolen_child& c) {
    h.scope([&](auto& s) {
      s.spawn([&](auto&) { c.run(); });
      c.await();
    });
  });
  f("finish region", [](auto& h, stolen_child& c) {
    h.finish([&](auto& r) {
      r.spawn([&](auto&) { c.run(); });
      c.await();
    });
  });
}

}  // namespace

TEST(what_policies_hear, of_an_end_comes_before_the_owner_goes_on) {
  long const caller = this_thread_number();
  std::atomic<bool> has_gone_on{false};
  std::atomic<int> late{0};
  ears all;
  all.heard = [&](skua::worker_id, event const& e) {
    if (!std::holds_alternative<ended>(e) || this_thread_number() == caller) return;
    for (grace time; !has_gone_on && time.is_left();) std::this_thread::yield();
    if (has_gone_on) ++late;
  };
  skua::pool pool({.workers = 2});
  auto const region = open_listening(pool, all);
  for_every_construct([&](char const* name, auto const& construct) {
    SCOPED_TRACE(name);
    for (int round = 0; round < 5; ++round) {
      region.run([&](auto& h) {
        has_gone_on = false;
        late = 0;
        stolen_child child;
        construct(h, child);
        bool const was_stolen = child.ran_elsewhere();
        has_gone_on = true;
        for (grace time; late == 0 && time.is_left();) std::this_thread::yield();
        has_gone_on = false;
        EXPECT_TRUE(was_stolen);
      });
      EXPECT_EQ(late, 0);
    }
  });
}

TEST(what_policies_hear, of_a_stolen_child_is_the_place_that_it_inherits) {
  long const caller = this_thread_number();
  std::atomic<int> with_place{0};
  std::atomic<int> without{0};
  ears all;
  all.marked = [&](skua::worker_id, skua::hint const& h) {
    if (this_thread_number() != caller) ++(h.place == skua::place_id{0} ? with_place : without);
  };
  skua::pool pool({.workers = 2});
  auto const region = open_listening(pool, all);
  for_every_construct([&](char const* name, auto const& construct) {
    SCOPED_TRACE(name);
    region.run([&](auto& h) {
      skua::at const first_place{skua::place_id{0}};
      h.join(
          first_place,
          [&](auto& g) {
            with_place = without = 0;
            stolen_child child;
            construct(g, child);
            EXPECT_GE(with_place, 1);
            EXPECT_EQ(without, 0);
          },
          first_place, [](auto&) {});
    });
  });
}
