// SPDX-License-Identifier: MIT
// The lane `spawned`: free-standing tasks, and the joins that a fiber offers before it parks. A deque whose entries tell
// TSan who pushed them.
//
// The deque's owner is a thread whose fibers take turns, so program order on that thread suffices between a push by one
// fiber and a pop by another. TSan follows fibers instead: two fibers that ran one after the other are unordered for it.
// It also loses the order between a push and a thief once another fiber has pushed, because the later store of the
// bottom replaces what the earlier one released. So each entry has an edge of its own, from its push to its taker. This
// is an annotation: without TSan the class is the deque. (context.md, section 4)
#pragma once

#include <cstdint>

#include "skua/parts/base/outcome.hpp"
#include "skua/parts/base/sync.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// For the owner: takes the newest entry back if it was pushed with the word `key`. Returns null if the newest entry is
/// another one, or a thief has it.
template <synchronisation Sync>
[[nodiscard, gnu::always_inline]] inline void* take_newest(deque<Sync>& lane, std::uint64_t key) noexcept {
  return lane.pop_if(key);  // the task may have been taken and be gone, so nothing but its word is read before
}

/// Sync is the real world, or the explorer's.
template <synchronisation Sync = real_sync>
class spawned_lane : private deque<Sync> {
  using entries = deque<Sync>;  // private: a caller that took entries from it would miss their edges

 public:
  class victim : public entries::victim {
   public:
    explicit victim(entries& lane) noexcept : entries::victim(lane) {}
    outcome steal(entry& oldest, revocation_count& spent) const noexcept {
      outcome const result = entries::victim::steal(oldest, spent);
      if (result == outcome::got) tsan::acquire(oldest.task);
      return result;
    }
    outcome steal(entry& oldest) const noexcept {
      revocation_count unused;
      return steal(oldest, unused);
    }
  };

  using entries::entries;
  using entries::peek;
  using entries::published;
  using entries::request_attention;

  // A new ring is written by the flow that needs it, and then by all flows of the thread: TSan would take its allocation for a race with them.
  attention poll() noexcept {
    tsan::unseen const ring;
    return entries::poll();
  }
  [[nodiscard]] bool reserve() noexcept {
    tsan::unseen const ring;
    return entries::reserve();
  }

  [[nodiscard]] bool push(void* task, std::uint64_t extra) noexcept {
    tsan::release(task);
    return entries::push(task, extra);
  }
  [[nodiscard]] bool pop(entry& newest) noexcept { return took(entries::pop(newest), newest); }
  [[nodiscard]] bool pop_oldest(entry& oldest) noexcept { return took(entries::pop_oldest(oldest), oldest); }
  [[nodiscard]] victim outside() noexcept { return victim{*this}; }

  [[nodiscard]] friend void* take_newest(spawned_lane& lane, std::uint64_t key) noexcept {
    void* const task = runtime::take_newest(static_cast<entries&>(lane), key);
    if (task != nullptr) tsan::acquire(task);
    return task;
  }

 private:
  // By reference: an argument may be evaluated before the call that fills the entry.
  static bool took(bool got, entry const& filled) noexcept {
    if (got) tsan::acquire(filled.task);
    return got;
  }
};

}}}  // namespace skua::v0::runtime
