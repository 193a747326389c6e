// SPDX-License-Identifier: MIT
// The smallest user of contexts: a body on a stack of its own that alternates with its resumer.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <utility>

#include "skua/parts/context/context.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/parts/context/stack.hpp"

namespace skua { inline namespace v0 { namespace runtime { namespace testing {

/// Makes the calling thread a worker while it lives.
class worker_thread {
 public:
  explicit worker_thread(std::uint32_t worker = 0) {
    record_.worker = worker;
    set_current_thread(&record_);
  }
  ~worker_thread() { set_current_thread(nullptr); }
  worker_thread(worker_thread const&) = delete;
  worker_thread& operator=(worker_thread const&) = delete;
  [[nodiscard]] thread_record& record() noexcept { return record_; }

 private:
  thread_record record_;
};

/// body(flow) runs on a pooled stack and calls pause(); its creator calls resume(), from any thread.
class flow {
 public:
  using body = std::function<void(flow&)>;

  flow(stack_pool& pool, body b) : pool_(pool), body_(std::move(b)) { start(self_, *pool_.take(), run, this); }
  ~flow() {
    if (!begun_) {
      stack* const s = self_.stack;
      forget(self_);
      pool_.give(s);
    }
  }
  flow(flow const&) = delete;
  flow& operator=(flow const&) = delete;

  // A switch orders nothing for TSan, so through `edge_` each side publishes what it
  // did and acquires what the other did.

  /// Lets the body run until it pauses or ends; rethrows what it throws. False once it has ended.
  bool resume() {
    begun_ = true;
    publish();
    switch_to(resumer_, self_, nullptr, nullptr);
    publish();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    return !ended_;
  }
  void pause() {
    publish();
    switch_to(self_, resumer_, nullptr, nullptr);
    publish();
  }

 private:
  static void run(void* argument) noexcept {
    flow& me = *static_cast<flow*>(argument);
    me.publish();
    me.call_body();
    me.publish();
    leave_to(me.self_, me.resumer_, give_stack_back, &me);
  }
  void call_body() noexcept {
    try {
      body_(*this);
    } catch (...) {
      thrown_ = std::current_exception();
    }
    ended_ = true;
  }
  static void give_stack_back(void* argument) noexcept {
    flow& me = *static_cast<flow*>(argument);
    me.pool_.give(me.self_.stack);
  }

  /// Release pairs with the acquire of the next call, which is made by the other side.
  void publish() noexcept { edge_.fetch_add(1, std::memory_order_acq_rel); }

  std::atomic<unsigned> edge_{0};
  stack_pool& pool_;
  body body_;
  context self_;
  context resumer_;
  std::exception_ptr thrown_;
  bool begun_ = false;
  bool ended_ = false;
};

}}}}  // namespace skua::v0::runtime::testing
