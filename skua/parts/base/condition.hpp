// SPDX-License-Identifier: MIT
// The condition on which real threads wait. Apart from sync.hpp, so that only code that sleeps includes it, and programs do not.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "skua/parts/base/sync.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class real_condition : public std::condition_variable {
 public:
  /// Waits until notified, or until every store that any thread made before the call is visible to all. Then returns
  /// false. A processor keeps a store to itself for a microsecond at most, and gives it up when its thread is preempted;
  /// so a thousand of them are enough. Morrison and Afek (2015) rely on the same bound.
  [[nodiscard]] bool short_wait(std::unique_lock<std::mutex>& held) {
    return wait_for(held, std::chrono::milliseconds(1)) == std::cv_status::no_timeout;
  }
};

}}}  // namespace skua::v0::runtime
