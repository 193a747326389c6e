// SPDX-License-Identifier: MIT
#include "skua/parts/context/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/parts/context/flow_test.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace {

using testing::flow;
using testing::worker_thread;

TEST(context, flows_alternate_in_the_order_of_switches) {
  worker_thread const worker;
  stack_pool pool;
  std::string trace;
  flow f(pool, [&](flow& me) {
    trace += 'b';
    me.pause();
    trace += 'd';
  });
  trace += 'a';
  EXPECT_TRUE(f.resume());
  trace += 'c';
  EXPECT_FALSE(f.resume());
  trace += 'e';
  EXPECT_EQ(trace, "abcde");
  EXPECT_EQ(pool.count().live, 0U);
}

TEST(context, locals_and_floating_point_mode_stay_with_the_flow) {
  worker_thread const worker;
  stack_pool pool;
  int mode_in_flow = -1;
  flow f(pool, [&](flow& me) {
    std::fesetround(FE_UPWARD);
    std::array<int, 100> numbers{};
    for (int i = 0; i < 100; ++i) {
      numbers[static_cast<std::size_t>(i)] = i;
      me.pause();
    }
    mode_in_flow = std::fegetround();
    int sum = 0;
    for (int const n : numbers) sum += n;
    EXPECT_EQ(sum, 4950);
    std::fesetround(FE_TONEAREST);
  });
  while (f.resume()) EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(mode_in_flow, FE_UPWARD);
}

TEST(context, running_names_the_stack_of_the_flow) {
  worker_thread worker;
  stack_pool pool;
  EXPECT_EQ(worker.record().running, nullptr);
  flow f(pool, [&](flow& me) {
    for (int i = 0; i < 2; ++i) {
      stack const* const s = current_thread()->running;
      ASSERT_NE(s, nullptr);
      auto* const frame = static_cast<std::byte*>(__builtin_frame_address(0));
      EXPECT_GE(frame, s->low());
      EXPECT_LT(frame, s->top());
      me.pause();
    }
  });
  while (f.resume()) EXPECT_EQ(worker.record().running, nullptr);
  EXPECT_EQ(worker.record().running, nullptr);
}

/// A parked flow whose `after` publishes it, and a thread that resumes it as soon as it is published.
struct parked_flow {
  context self;  ///< the flow that parks
  context loop;  ///< the flow that ran it
  std::atomic<context*> published{nullptr};
  std::byte* after_ran_at = nullptr;
  bool complete_in_after = false;
  std::atomic<bool> ended{false};
  std::atomic<bool> last_words{false};  ///< set by the flow itself: for TSan, what `after` publishes is not the flow's
};

void publish(void* argument) noexcept {
  auto& p = *static_cast<parked_flow*>(argument);
  p.after_ran_at = static_cast<std::byte*>(__builtin_frame_address(0));
  p.complete_in_after = p.self.stack_pointer != nullptr && p.self.stack != nullptr;
  p.published.store(&p.self, std::memory_order_release);  // pairs with the other thread's load
}

void end_of_flow(void* argument) noexcept {
  // Pairs with the acquire of the thread that waits for the end.
  static_cast<parked_flow*>(argument)->ended.store(true, std::memory_order_release);
}

void park_once(void* argument) noexcept {
  auto& p = *static_cast<parked_flow*>(argument);
  switch_to(p.self, p.loop, publish, &p);
  leave_to(p.self, p.loop, end_of_flow, &p);
}

TEST(context, after_runs_on_the_other_stack_when_the_flow_is_complete) {
  worker_thread const worker;
  stack_pool pool;
  parked_flow p;
  stack* const s = pool.take();
  start(p.self, *s, park_once, &p);
  switch_to(p.loop, p.self, nullptr, nullptr);
  EXPECT_TRUE(p.complete_in_after);
  EXPECT_TRUE(p.after_ran_at < s->low() || p.after_ran_at >= s->top());
  EXPECT_FALSE(p.ended.load(std::memory_order_relaxed));
  switch_to(p.loop, p.self, nullptr, nullptr);
  EXPECT_TRUE(p.ended.load(std::memory_order_relaxed));
  EXPECT_EQ(p.self.stack, s) << "the ended flow names the stack that may be given back";
  pool.give(s);
}

/// Ping-pong over threads: thread A parks the flow, thread B may resume it before A has returned from `after`.
TEST(context, published_flow_may_be_resumed_elsewhere_at_once) {
  constexpr int rounds = under_tsan ? 200 : 2000;
  stack_pool pool;
  std::atomic<parked_flow*> mail{nullptr};
  std::atomic<int> resumed{0};
  std::thread other([&] {
    worker_thread const worker(1);
    for (int i = 0; i < rounds; ++i) {
      parked_flow* p = nullptr;
      // Pairs with the store into `mail`, so that p is complete.
      while ((p = mail.exchange(nullptr, std::memory_order_acquire)) == nullptr) std::this_thread::yield();
      context* ready = nullptr;
      // Pairs with the store in `publish`, so that the context is complete.
      while ((ready = p->published.load(std::memory_order_acquire)) == nullptr) relax();
      switch_to(p->loop, *ready, nullptr, nullptr);
      resumed.fetch_add(1, std::memory_order_release);  // pairs with the main thread's load: p is not used any more
    }
  });
  worker_thread const worker(0);
  for (int i = 0; i < rounds; ++i) {
    parked_flow p;
    context loop_before;
    stack* const s = pool.take();
    struct both {
      parked_flow* flow;
      context* loop;
    } argument{&p, &loop_before};
    start(
        p.self, *s,
        [](void* a) noexcept {
          auto& [flow_of, loop] = *static_cast<both*>(a);
          parked_flow& mine = *flow_of;
          switch_to(mine.self, *loop, publish, &mine);
          mine.last_words.store(true, std::memory_order_release);  // pairs with the load below
          leave_to(mine.self, mine.loop, end_of_flow, &mine);
        },
        &argument);
    mail.store(&p, std::memory_order_release);  // pairs with the exchange above
    switch_to(loop_before, p.self, nullptr, nullptr);
    // Acquire, here and below: pair with the stores of the same names by the other thread and by the flow.
    while (resumed.load(std::memory_order_acquire) != i + 1) std::this_thread::yield();
    EXPECT_TRUE(p.last_words.load(std::memory_order_acquire));
    EXPECT_TRUE(p.ended.load(std::memory_order_acquire));
    pool.give(s);
  }
  other.join();
}

TEST(context, thread_locals_are_those_of_the_thread_that_resumes) {
  stack_pool pool;
  std::vector<std::uint32_t> workers;
  flow f(pool, [&](flow& me) {
    for (int i = 0; i < 4; ++i) {
      workers.push_back(current_thread()->worker);
      me.pause();
      workers.push_back(current_thread()->worker);
    }
  });
  bool more = true;
  for (std::uint32_t w = 0; more; ++w) {
    std::thread([&] {
      worker_thread const worker(w);
      more = f.resume();
    }).join();
  }
  EXPECT_EQ(workers, (std::vector<std::uint32_t>{0, 1, 1, 2, 2, 3, 3, 4}));
}

TEST(context, a_hundred_thousand_switches_keep_the_count) {
  worker_thread const worker;
  stack_pool pool;
  constexpr int switches = under_tsan ? 20'000 : 100'000;
  int counted = 0;
  flow f(pool, [&](flow& me) {
    for (;; me.pause()) {
      if (++counted == switches) return;
    }
  });
  while (f.resume()) continue;
  EXPECT_EQ(counted, switches);
}

TEST(context, many_flows_may_be_parked_at_once) {
  worker_thread const worker;
  stack_pool pool;
  constexpr std::size_t many = under_tsan ? 500 : 3000;
  std::vector<std::unique_ptr<flow>> flows;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < many; ++i) {
    flows.push_back(std::make_unique<flow>(pool, [&sum, i](flow& me) {
      std::size_t const mine = i;
      me.pause();
      sum += mine;
    }));
  }
  for (auto& f : flows) EXPECT_TRUE(f->resume());
  EXPECT_EQ(pool.count().live, many);
  for (auto f = flows.rbegin(); f != flows.rend(); ++f) EXPECT_FALSE((*f)->resume());
  EXPECT_EQ(sum, many * (many - 1) / 2);
  EXPECT_EQ(pool.count().live, 0U);
}

TEST(context, flows_nest_and_stacks_are_reused) {
  worker_thread const worker;
  stack_pool pool;
  int depth_reached = 0;
  std::function<void(int)> nest = [&](int depth) {
    depth_reached = std::max(depth_reached, depth);
    if (depth == 40) return;
    flow inner(pool, [&](flow& me) {
      std::array<char, 2000> frame{};
      frame[static_cast<std::size_t>(depth)] = 'x';
      me.pause();
      nest(depth + 1);
      EXPECT_EQ(frame[static_cast<std::size_t>(depth)], 'x');
    });
    EXPECT_TRUE(inner.resume());
    EXPECT_FALSE(inner.resume());
  };
  for (int i = 0; i < 5; ++i) nest(0);
  EXPECT_EQ(depth_reached, 40);
  EXPECT_EQ(pool.count().peak, 40U);
}

TEST(context, a_flow_that_is_never_resumed_is_forgotten) {
  worker_thread const worker;
  stack_pool pool;
  bool ran = false;
  for (int i = 0; i < 100; ++i) flow const f(pool, [&](flow&) { ran = true; });
  EXPECT_FALSE(ran);
  EXPECT_EQ(pool.count().live, 0U);
  EXPECT_EQ(pool.count().peak, 1U);
}

TEST(context_DeathTest, misuse_is_named) {
  if (!checked) GTEST_SKIP() << "this build checks no preconditions (SKUA_CHECKED=OFF)";
  EXPECT_DEATH(
      {
        context a;
        context b;
        switch_to(a, b, nullptr, nullptr);
      },
      "a thread that switches has a thread_record");
  EXPECT_DEATH(
      {
        worker_thread const worker;
        context a;
        context nothing_suspended;
        switch_to(a, nothing_suspended, nullptr, nullptr);
      },
      "resumed once for each time");
  EXPECT_DEATH(
      {
        worker_thread const worker;
        stack_pool pool;
        context f;
        context back;
        start(f, *pool.take(), [](void*) noexcept {}, nullptr);
        switch_to(back, f, nullptr, nullptr);
      },
      "a flow ends with leave_to");
  EXPECT_DEATH(
      {
        // This thread's native flow is suspended while another thread tries to resume it.
        worker_thread const worker;
        stack_pool pool;
        context native;
        context target;
        start(
            target, *pool.take(),
            [](void* a) noexcept {
              std::thread([a] {
                worker_thread const thief(1);
                context mine;
                switch_to(mine, *static_cast<context*>(a), nullptr, nullptr);
              }).join();
            },
            &native);
        switch_to(native, target, nullptr, nullptr);
      },
      "resumed by its own thread");
}

/// Touches a local in every frame, and has no edge to the flow that uses its stack next.
struct scribbles {
  context self;
  context back;
  static void run(void* argument) noexcept {
    auto& me = *static_cast<scribbles*>(argument);
    scribble(20);
    leave_to(me.self, me.back, nullptr, nullptr);
  }
  [[gnu::noinline]] static int scribble(int depth) {
    std::array<int, 32> frame{};
    int* volatile pinned = frame.data();
    for (std::size_t i = 0; i < frame.size(); ++i) pinned[i] = depth;
    return depth == 0 ? 0 : scribble(depth - 1) + pinned[3];
  }
};

TEST(context, next_flow_on_a_stack_is_no_race) {
  worker_thread const worker;
  stack_pool pool;
  stack* const s = pool.take();
  for (int i = 0; i < 5; ++i) {
    scribbles one;
    start(one.self, *s, scribbles::run, &one);
    switch_to(one.back, one.self, nullptr, nullptr);
  }
  pool.give(s);
}

/// The control of all ASan runs.
TEST(context_DeathTest, asan_sees_an_overrun_in_a_flow) {
  if (!under_asan) GTEST_SKIP() << "this build is without AddressSanitizer (make asan)";
  EXPECT_DEATH(
      {
        worker_thread const worker;
        stack_pool pool;
        flow f(pool, [](flow& me) {
          std::array<char, 16> small{};
          char* volatile beyond = small.data() + small.size();
          me.pause();
          *beyond = 'x';
        });
        while (f.resume()) continue;
      },
      "stack-buffer-overflow");
}

struct increments {
  context self;
  context back;
  int* shared = nullptr;
  static void run(void* argument) noexcept {
    auto& me = *static_cast<increments*>(argument);
    ++*me.shared;
    leave_to(me.self, me.back, nullptr, nullptr);
  }
};

/// The control of all TSan runs: without it, "no race reported" could mean that switches hide races.
TEST(context_DeathTest, tsan_sees_a_race_between_flows_of_one_thread) {
  if (!under_tsan) GTEST_SKIP() << "this build is without ThreadSanitizer (make tsan)";
  EXPECT_EXIT(
      {
        worker_thread const worker;
        stack_pool pool;
        increments a;
        increments b;
        auto const shared = std::make_unique<int>(0);
        a.shared = b.shared = shared.get();
        for (increments* const one : {&a, &b}) start(one->self, *pool.take(), increments::run, one);
        for (increments* const one : {&a, &b}) switch_to(one->back, one->self, nullptr, nullptr);
        for (increments* const one : {&a, &b}) pool.give(one->self.stack);
        std::exit(0);
      },
      ::testing::ExitedWithCode(66), "data race");
}

}}}}  // namespace skua::v0::runtime
