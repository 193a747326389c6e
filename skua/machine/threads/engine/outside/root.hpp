// SPDX-License-Identifier: MIT
// A root: a function that a waiter submits to a region from outside. The waiter is a user's thread, which blocks, or a fiber of
// another region, which parks while its worker runs other work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "skua/machine/threads/engine/outside/outside_call.hpp"
#include "skua/machine/threads/fork/fiber/frame.hpp"
#include "skua/machine/threads/fork/join/here.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Set once, and waited for once, by a thread that is not a worker. It may be destroyed as soon as wait has returned,
/// because the setter signals under the lock.
class completion {
 public:
  void set() {
    std::lock_guard const hold(mutex_);
    done_ = true;
    signal_.notify_one();
  }
  void wait() {
    std::unique_lock hold(mutex_);
    signal_.wait(hold, [this] { return done_; });
  }
  /// Returns false if it was not set in that time.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds limit) {
    std::unique_lock hold(mutex_);
    return signal_.wait_for(hold, limit, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable signal_;
  bool done_ = false;
};

/// The part of a root that lanes and groups need. The group counts two children: the waiter's own share, and the
/// function.
struct root_base : handed {
  struct root_group : group {
    root_group() noexcept : group(nullptr, 2) {}
  };
  explicit root_base(task_kind const& k) noexcept : handed(k) {}

  root_group waited;              ///< used if a fiber waits
  completion* blocked = nullptr;  ///< used if a thread waits
};

class root final : public root_base {
 public:
  explicit root(outside_call& c) noexcept : root_base(kind), call_(c) {}
  /// The call runs a task from a lane, which has this hint, and which reports its own end to the policy.
  root(outside_call& c, hint const& of_task) noexcept : root_base(kind), call_(c), hint_(of_task), runs_a_task_(true) {}

  /// Calls the function and keeps what it throws.
  void call(fiber& on) noexcept {
    try {
      call_.call(call_, on);
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  [[nodiscard]] char const* name() const noexcept { return call_.name; }
  [[nodiscard]] hint const& hinted() const noexcept { return hint_; }
  [[nodiscard]] static bool is_one(task const& t) noexcept { return t.kind == &kind; }
  /// A number of the code that a task from outside runs.
  [[nodiscard]] static std::uint64_t code_of(task const& t) noexcept {
    if (!is_one(t)) return reinterpret_cast<std::uintptr_t>(t.kind);
    return reinterpret_cast<std::uintptr_t>(static_cast<root const&>(t).call_.call);
  }
  /// Makes it wait for a worker's place: no guest may run it.
  void need_a_place() noexcept { needs_a_place_ = true; }
  /// True if it is a root that waits for a worker's place.
  [[nodiscard]] static bool waits_for_a_place(task const& t) noexcept {
    return t.kind == &kind && static_cast<root const&>(t).needs_a_place_;
  }
  [[nodiscard]] bool reports_its_end() const noexcept { return runs_a_task_; }
  /// Call this after the wait: throws what the call threw.
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  static void run_task(task& t, std::uint64_t, fiber& on) noexcept {
    auto& self = static_cast<root&>(t);
    self.call(on);
    on.task_ends(self.error_ != nullptr);
    if (self.blocked != nullptr) {
      self.blocked->set();
    } else {
      on.finish_piece(self.waited, 1, 0);
    }
  }

  static char const* name_of_call(task const& t) noexcept { return static_cast<root const&>(t).name(); }
  static constexpr task_kind kind{.run = &root::run_task, .name_of = &root::name_of_call};

  outside_call& call_;
  hint hint_;
  bool runs_a_task_ = false;
  bool needs_a_place_ = false;  ///< beside the other flag, so that one store writes both
  std::exception_ptr error_;
};

}}}  // namespace skua::v0::runtime
