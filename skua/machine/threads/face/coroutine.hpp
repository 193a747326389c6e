// SPDX-License-Identifier: MIT
// C++20 coroutines and pools. `co_await` of a one_shot suspends a coroutine until the value is set; `co_await
// run_on(pool, f)` runs f on a pool. Either way a worker resumes the coroutine, never the thread that set the value.
// Both work in any coroutine type; Skua defines none of its own.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "skua/machine/threads/face/detached.hpp"
#include "skua/machine/threads/face/one_shot.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/type_text.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A suspended coroutine that a worker will resume. An exception of `resume` goes to the pool's handler.
struct suspended_coroutine : detached_call {
  explicit suspended_coroutine(detached_kind const& k) noexcept : detached_call{.kind = &k} {}
  std::coroutine_handle<> waiting;
};

template <class T>
class one_shot_awaiter final : one_shot_waiter, suspended_coroutine {
 public:
  explicit one_shot_awaiter(one_shot<T>& source) noexcept
      : one_shot_waiter{.wake = &one_shot_awaiter::wake_it}, suspended_coroutine(kind), source_(source) {}
  one_shot_awaiter(one_shot_awaiter const&) = delete;
  one_shot_awaiter& operator=(one_shot_awaiter const&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return source_.is_set(); }
  /// After `enroll` the coroutine may run on another thread and be destroyed. The compiler calls this function inside
  /// the coroutine, so `location` is a position in it, and traces show the name of its function.
  bool await_suspend(std::coroutine_handle<> coroutine,
                     std::source_location location = std::source_location::current()) {
    waiting = coroutine;
    location_ = location;
    announce(*this, pool_of_caller());
    bool waits = false;
    try {
      waits = source_.enroll(*this);
    } catch (...) {
      retract(*this);
      throw;
    }
    if (!waits) retract(*this);
    return waits;
  }
  T await_resume() { return source_.taken(); }

 private:
  static void wake_it(one_shot_waiter& w) noexcept { submit(static_cast<one_shot_awaiter&>(w)); }
  static void resume(detached_call& call, fiber&) {
    auto const coroutine = static_cast<one_shot_awaiter&>(call).waiting;
    coroutine.resume();
  }
  static char const* name_of(detached_call const& call) noexcept {
    return static_cast<one_shot_awaiter const&>(call).location_.function_name();
  }
  static constexpr detached_kind kind{.run = &one_shot_awaiter::resume, .name_of = &one_shot_awaiter::name_of};

  one_shot<T>& source_;
  std::source_location location_;
};

/// The awaiter of run_on.
template <class F>
class run_on_awaiter final : suspended_coroutine {
  using returned = decltype(call_body(std::declval<here&>(), std::declval<F&>()));
  using result = std::decay_t<returned>;
  struct nothing_returned {};
  using value = std::conditional_t<std::is_void_v<returned>, nothing_returned, result>;

 public:
  template <class G>
  run_on_awaiter(region& where, G&& f) : suspended_coroutine(kind), region_(where), function_(std::forward<G>(f)) {}
  run_on_awaiter(run_on_awaiter const&) = delete;
  run_on_awaiter& operator=(run_on_awaiter const&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  /// After `submit` the coroutine may run on another thread and be destroyed.
  void await_suspend(std::coroutine_handle<> coroutine) {
    waiting = coroutine;
    announce(*this, region_);
    submit(*this);
  }
  result await_resume() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if constexpr (!std::is_void_v<returned>) return std::move(*value_);
  }

 private:
  static void run_and_resume(detached_call& call, fiber& on) {
    auto& self = static_cast<run_on_awaiter&>(call);
    try {
      self.run_function(on);
    } catch (...) {
      self.error_ = std::current_exception();
    }
    auto const coroutine = self.waiting;
    coroutine.resume();
  }
  void run_function(fiber& on) {
    if constexpr (std::is_void_v<returned>) {
      call_body(here_of(on), function_);
    } else {
      value_.emplace(call_body(here_of(on), function_));
    }
  }
  static char const* name_of(detached_call const&) noexcept { return type_text<F>(); }
  static constexpr detached_kind kind{.run = &run_on_awaiter::run_and_resume, .name_of = &run_on_awaiter::name_of};

  region& region_;
  F function_;
  std::optional<value> value_;
  std::exception_ptr error_;
};

/// F: the type of run_on's argument. GCC before 13 would destroy the types that this excludes twice.
template <class F>
concept safe_in_co_await =
    !breaks_lambdas_in_co_await || std::is_lvalue_reference_v<F> || std::is_trivially_destructible_v<F>;

template <class F>
[[nodiscard]] auto run_in_region(region& where, F&& f) {
  if constexpr (!body_of<std::decay_t<F>, here>) {
    static_assert(body_of<std::decay_t<F>, here>, "run_on: the function is called as f() or f(here)");
  } else if constexpr (!safe_in_co_await<F>) {
    static_assert(
        safe_in_co_await<F>,
        "run_on: GCC before 13 destroys what a lambda inside co_await captures twice; give the lambda a name: "
        "auto f = [..] {..}; co_await run_on(pool, f), or std::ref(f) if it cannot be copied");
  } else {
    return run_on_awaiter<std::decay_t<F>>(where, std::forward<F>(f));
  }
}

/// Found by argument-dependent look-up through one_shot_base.
template <class T>
[[nodiscard]] one_shot_awaiter<T> operator co_await(one_shot<T>& source) noexcept {
  return one_shot_awaiter<T>(source);
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

/// `co_await run_on(pool, f)`: a worker of the pool runs f() or f(here), and then resumes the coroutine. Returns f's
/// value (a copy of the referent if f returns a reference), or throws what f throws. The pool counts the coroutine as
/// an enqueued task until it suspends again or ends: `drain` and the pool's destructor wait for it. Allocates nothing.
/// Throws error in a child of fork().
template <class F>
[[nodiscard]] auto run_on(pool& where, F&& f) {
  return runtime::run_in_region(runtime::root_region_of(where), std::forward<F>(f));
}
/// The same on the calling worker's pool; if the caller is no worker, on the default pool. Throws what default_pool()
/// throws.
template <class F>
[[nodiscard]] auto run_on(F&& f) {
  return runtime::run_in_region(runtime::pool_of_caller(), std::forward<F>(f));
}

}}  // namespace skua::v0
