// SPDX-License-Identifier: MIT
// For models of requests for attention: a thread that makes one and sleeps, and the owner that wakes it. (deque.md, "request_attention")
#pragma once

#include <atomic>
#include <mutex>

#include "tests/explorer/explorer.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// A thread that requests attention, lets time pass, sees nothing and sleeps until an owner wakes it.
template <class Sync>
class attention_seeker {
 public:
  template <class Request, class LooksEmpty>
  void fall_asleep(Request const& request_attention, LooksEmpty const& looks_empty) {
    asleep_.store(1, std::memory_order_release);  // the request publishes it
    request_attention();
    typename Sync::mutex lock;
    std::unique_lock hold(lock);
    typename Sync::condition signal;
    static_cast<void>(signal.short_wait(hold));
    if (looks_empty()) asleep_.wait(1, std::memory_order_acquire);
  }
  /// For the owner, relaxed: the poll that reports the request acquires.
  [[nodiscard]] bool has_announced() const { return asleep_.load(std::memory_order_relaxed) == 1; }
  /// For the owner whose poll has reported the request.
  void wake() {
    explorer::require(has_announced(), "a request for attention shows what was announced before it");
    if (asleep_.exchange(0, std::memory_order_acq_rel) == 1) asleep_.notify_all();
  }

 private:
  typename Sync::template atomic<int> asleep_{0};
};

}}}  // namespace skua::v0::runtime
