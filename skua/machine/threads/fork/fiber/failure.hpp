// SPDX-License-Identifier: MIT
// Why children end early: a sibling has thrown, or the user has requested a stop.
#pragma once

#include <exception>
#include <stop_token>
#include <utility>

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/parts/context/stop_listener.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Keeps the first of all exceptions that the children of a group throw. (group.md, "Failure")
class first_exception {
 public:
  /// Call this in the handler of what a child of `g` threw on the fiber `on`. Keeps the exception unless another came
  /// first, and makes every fiber of the region poll.
  [[gnu::cold, gnu::noinline]] void keep(group& g, fiber& on) noexcept {
    // Only the winner writes it; the subtraction in finish publishes it.
    if ((g.raise(group::failed) & group::failed) == 0) kept_ = std::current_exception();
    on.raise_alarm();
  }

  /// For the owner, when all children have ended: throws the exception that was kept, if there is one.
  void rethrow() {
    if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
  }

 private:
  std::exception_ptr kept_;
};

/// Watches a user's stop token while a function runs. When the stop is requested, every worker of the region polls at
/// its next fork, so forks pay nothing for tokens that are not in use.
class stop_scope {
 public:
  [[gnu::always_inline]] stop_scope(fiber& f, std::stop_token const& token)
      : fiber_(f), listener_(token, alarm{slot_of(f)}), node_{f.watching(), nullptr, &listener_.token()} {
    fiber_.watch(&node_);
  }
  ~stop_scope() { fiber_.watch(node_.outer); }
  stop_scope(stop_scope const&) = delete;
  stop_scope& operator=(stop_scope const&) = delete;

 private:
  /// Runs on the thread that requests the stop.
  struct alarm {
    fiber_slot& slot;  ///< any one of the region
    void operator()() const noexcept;
  };

  [[nodiscard]] static fiber_slot& slot_of(fiber const& f) noexcept;

  fiber& fiber_;
  stop_listener<alarm> listener_;
  stop_node node_;
};

}}}  // namespace skua::v0::runtime
