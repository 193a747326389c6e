// SPDX-License-Identifier: MIT
// Who decides how many workers of a pool may be awake (limit.md): sleep_state tells it when that is too few, and when none is needed.
#pragma once

namespace skua { inline namespace v0 { namespace runtime {

/// Called without a lock of the sleepers, so it may call sleep_state. Any thread of the pool.
class limit_keeper {
 public:
  /// A worker was woken, or would be if the limit allowed it.
  virtual void workers_wanted() noexcept = 0;
  /// All workers sleep, or did a moment ago.
  virtual void all_sleep() noexcept = 0;

 protected:
  ~limit_keeper() = default;
};

}}}  // namespace skua::v0::runtime
