// SPDX-License-Identifier: MIT
// The rest of sleep.hpp: a limit on the workers that are awake, which changes at any time. States, steps (H1..) and proof: limit.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "skua/machine/threads/engine/sleep/sleep.hpp"

namespace skua { inline namespace v0 { namespace runtime {

template <synchronisation Sync>
template <class ForItAlone>
inline bool sleep_state<Sync>::stand_down(worker_id self, bool searches, ForItAlone&& for_it_alone) {
  {
    std::lock_guard const hold(sleepers_lock_);
    if (awake() <= limit_.load(std::memory_order_relaxed)) return false;  // relaxed: written under the lock
    sleeping_.add(self);
    owes_ = true;
    // seq_cst: as in start_search. Pairs with: notify_worker, load of counts_.
    counts_.fetch_add(searches ? one_asleep - one_searching : one_asleep, std::memory_order_seq_cst);
  }
  Sync::full_fence();  // as S3. Pairs with: notify_worker, fence
  if (for_it_alone()) {
    stay_awake(self);
  } else {
    sleep_until_woken(self);
  }
  return true;
}

template <synchronisation Sync>
inline bool sleep_state<Sync>::is_over_limit() const noexcept {
  std::uint32_t const most = limit_.load(std::memory_order_relaxed);  // relaxed, both: stand_down asks again
  return most < workers_ && workers_ - asleep(counts_.load(std::memory_order_relaxed)) > most;
}

template <synchronisation Sync>
inline bool sleep_state<Sync>::anyone_to_wake() const noexcept {
  std::uint32_t const sleepers = asleep_now();
  return sleepers > 0 && workers_ - sleepers < limit_.load(std::memory_order_relaxed);  // relaxed: a hint
}

template <synchronisation Sync>
inline void sleep_state<Sync>::limit_to(std::uint32_t most) noexcept {
  bool pays = false;
  {
    std::lock_guard const hold(sleepers_lock_);
    limit_.store(most, std::memory_order_relaxed);  // relaxed: under the lock; others take it as a hint
    pays = owes_ && !is_at_limit();                 // H3
  }
  if (pays) wake_any();
}

template <synchronisation Sync>
inline bool sleep_state<Sync>::limit_sleepers_to(std::uint32_t most) noexcept {
  std::lock_guard const hold(sleepers_lock_);
  if (awake() > 0) return false;
  limit_.store(most, std::memory_order_relaxed);  // relaxed: as in limit_to
  return true;
}

}}}  // namespace skua::v0::runtime
