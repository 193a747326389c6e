// SPDX-License-Identifier: MIT
// The slot of a fiber, whole. Programs compile its front only (slot_front.hpp).
#pragma once

#include <utility>

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/lane/fiber_slot.hpp"
#include "skua/machine/threads/lane/wait_reason.hpp"

namespace skua { inline namespace v0 { namespace runtime {

inline fiber_slot& fiber::slot() const noexcept { return static_cast<fiber_slot&>(*slot_); }
inline void fiber::run_in(fiber_slot& s) noexcept {
  slot_ = &s;
  s.enter(*forks_);
}
inline void fiber::begin_in(fiber_slot& s) noexcept {
  forks_ = &s.unused_forks.take();
  forks_->running = this;
  watch(nullptr);
  run_in(s);
}
inline void fiber::end_in(fiber_slot& s) noexcept { s.unused_forks.give(*std::exchange(forks_, nullptr)); }

/// States what the wait during its life is for. Cost: two stores.
class waits_for {
 public:
  waits_for(fiber const& f, wait_reason const& why) noexcept : fiber_(f) { f.slot().say_why(why); }
  ~waits_for() { fiber_.slot().say_why({}); }
  waits_for(waits_for const&) = delete;
  waits_for& operator=(waits_for const&) = delete;

 private:
  fiber const& fiber_;
};

}}}  // namespace skua::v0::runtime
