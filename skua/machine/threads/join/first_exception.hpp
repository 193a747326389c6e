// SPDX-License-Identifier: MIT
// The exception that a group keeps: of all that its children throw, the first. (group.md, "failure")
#pragma once

#include <exception>
#include <utility>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/group.hpp"

namespace skua::runtime {

class first_exception {
 public:
  /// In the handler of what a child of `g` has thrown on the fiber `on`: keeps it, unless another one came first, and makes
  /// everybody look up.
  [[gnu::cold, gnu::noinline]] void keep(group& g, fiber& on) noexcept {
    // Only the winner writes it; the subtraction in finish publishes it.
    if ((g.raise(group::failed) & group::failed) == 0) kept_ = std::current_exception();
    on.raise_alarm();
  }

  /// For the owner, when all children have ended: throws what was kept, if anything was.
  void rethrow() {
    if (kept_) std::rethrow_exception(std::exchange(kept_, nullptr));
  }

 private:
  std::exception_ptr kept_;
};

}  // namespace skua::runtime
