// SPDX-License-Identifier: MIT
// A rank's part of a distributed balancer, as a coroutine: it waits for messages, and whoever carries them continues it. So one code runs
// where a rank is a process, a thread, or one of thousands in virtual time.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Begins when another one awaits it, or by `start`. What it throws comes out of `take` and of co_await. One thread at a time.
template <class T>
class [[nodiscard]] rank_steps {
 public:
  struct promise_type {
    std::coroutine_handle<> then = std::noop_coroutine();
    std::optional<T> value;
    std::exception_ptr failed;

    rank_steps get_return_object() { return rank_steps(handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct continuing {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        return ended.promise().then;
      }
      void await_resume() noexcept {}
    };
    continuing final_suspend() noexcept { return {}; }
    template <class U>
    void return_value(U&& v) {
      value.emplace(std::forward<U>(v));
    }
    void unhandled_exception() noexcept { failed = std::current_exception(); }
  };

  rank_steps(rank_steps&& other) noexcept : steps_(std::exchange(other.steps_, {})) {}
  rank_steps(rank_steps const&) = delete;
  rank_steps& operator=(rank_steps const&) = delete;
  ~rank_steps() {
    if (steps_) steps_.destroy();
  }

  /// Runs until it waits for the first message, or to the end.
  void start() { steps_.resume(); }
  [[nodiscard]] bool is_done() const noexcept { return steps_.done(); }
  /// Once, after the end.
  [[nodiscard]] T take() {
    if (steps_.promise().failed) std::rethrow_exception(steps_.promise().failed);
    return std::move(*steps_.promise().value);
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
    steps_.promise().then = waiting;
    return steps_;
  }
  [[nodiscard]] T await_resume() { return take(); }

 private:
  using handle = std::coroutine_handle<promise_type>;
  explicit rank_steps(handle h) noexcept : steps_(h) {}
  handle steps_;
};

}}}}  // namespace skua::v0::policies::balance
