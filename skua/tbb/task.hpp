// SPDX-License-Identifier: MIT
// oneTBB's resumable tasks: a task waits for an event from outside, and its worker runs others. skua::one_shot is the native form.
#pragma once

#include <utility>

#include "skua/machine/threads/face/one_shot.hpp"

namespace skua { inline namespace v0 { namespace tbb {

struct task {
  /// Names a task that waits, until it is resumed.
  using suspend_point = one_shot<>*;

  /// Calls f(point), and waits until somebody calls resume(point): f itself, or any thread, once.
  template <class F>
  static void suspend(F&& f) {
    one_shot<> resumed;
    std::forward<F>(f)(&resumed);
    resumed.wait();
  }
  static void resume(suspend_point point) { point->set_value(); }
};

}}}  // namespace skua::v0::tbb
