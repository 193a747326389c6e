// SPDX-License-Identifier: MIT
// Whether a leaf of a loop has failed. An exception reaches a join only when the join's other child has ended, perhaps
// on another worker and after a long time. A loop is a tree of joins; this flag stops its other leaves early.
#pragma once

#include <atomic>
#include <utility>

#include "skua/parts/base/error.hpp"
#include "skua/program/cancel.hpp"
#include "skua/program/fork_join.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// One per call of a loop, a reduction, ..; lives in the caller's frame.
class loop_failure {
 public:
  /// Calls f(), a leaf. Throws `cancelled` instead if a stop was requested or another leaf has failed. An exception of
  /// f takes precedence, because joins prefer any other exception to `cancelled`.
  template <fork_join Here, class F>
  decltype(auto) call_leaf(Here& here, F&& f) {
    throw_if_stopped(here);
    // relaxed, here and below: advice; the joins publish the exception
    if (has_failed_.load(std::memory_order_relaxed)) [[unlikely]]
      throw cancelled{};
    try {
      return std::forward<F>(f)();
    } catch (...) {
      has_failed_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

 private:
  std::atomic<bool> has_failed_{false};
};

}}}  // namespace skua::v0::runtime
