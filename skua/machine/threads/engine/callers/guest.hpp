// SPDX-License-Identifier: MIT
// A place for a caller that finds no worker's place free: a worker without a thread, from which no worker steals. So any number
// of callers make progress, each on its own call. (caller.md, "More callers than workers")
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "skua/machine/threads/engine/core/pool_core.hpp"
#include "skua/machine/threads/engine/core/region.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class root;

class guest {
 public:
  /// Throws std::bad_alloc, or resource_error.
  explicit guest(region& host);
  /// Runs the call on this thread. Tasks that the call leaves go to the host. Returns false, without effect, if this guest is used up:
  /// a late wake-up, for a frame that had resumed already, marked its worker awake, and it has no thread that could sleep again.
  [[nodiscard]] bool run(root& call) noexcept;

 private:
  region& host_;
  pool_core core_;
  std::shared_ptr<region> own_;
};

/// The guests of a region that are not in use.
class guest_list {
 public:
  explicit guest_list(region& host) noexcept : host_(host) {}
  /// Runs the call as a guest. Throws what guest's constructor throws; then nothing was run.
  void run(root& call);
  /// The number of calls that run as guests. A hint. Any thread.
  [[nodiscard]] std::uint32_t in_use() const noexcept {
    return in_use_.load(std::memory_order_relaxed);
  }  // relaxed: a hint
  /// The same for a task that was submitted to the host, with `extra`. Without memory for a guest it waits until there is some.
  void run_task(handed& t, std::uint64_t extra) noexcept;

 private:
  region& host_;
  std::mutex changing_;
  std::vector<std::unique_ptr<guest>> free_;
  std::atomic<std::uint32_t> in_use_{0};  ///< relaxed everywhere: a statistic
};

}}}  // namespace skua::v0::runtime
