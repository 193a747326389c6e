// SPDX-License-Identifier: MIT
// The lane to which a thread that is no worker submits tasks, so that a submission takes no lock and writes no word that other threads
// write: outside_lane.md.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "skua/machine/threads/engine/outside/lane_list.hpp"
#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/outcome.hpp"
#include "skua/parts/context/block_cache.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/parts/queue/deque.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class outside_lanes;

/// The tasks that one thread has submitted, oldest at the top. Also the thread's record.
struct outside_lane : thread_record {
  /// Throws std::bad_alloc.
  outside_lane(outside_lanes& region_lanes, block_pool& pool, outside_lane* before)
      : siblings(region_lanes), next(before), kept(pool) {
    submits_to = this;
    blocks = &kept;
    ownership.lock();
  }
  outside_lanes& siblings;
  outside_lane* next;
  brief_lock<> ownership;
  block_cache kept;
  deque<> tasks;
};

/// Tasks that a worker takes from a lane at once, oldest first.
struct outside_batch {
  static constexpr std::size_t most = 32;
  std::array<entry, most> tasks;
  std::size_t size = 0;
};

/// The lanes of one region. Any thread may call every member function.
class outside_lanes {
 public:
  explicit outside_lanes(block_pool& blocks) noexcept : blocks_(blocks) {}
  ~outside_lanes();
  outside_lanes(outside_lanes const&) = delete;
  outside_lanes& operator=(outside_lanes const&) = delete;

  /// The calling thread's lane, which it gets at its first call. Null if there is no memory for one, or if the thread has
  /// another record.
  [[nodiscard]] outside_lane* mine() noexcept {
    outside_lane* const has = of_this_thread();
    return has != nullptr ? has : adopt();
  }
  /// The same, or null if the thread has none.
  [[nodiscard]] outside_lane* of_this_thread() noexcept {
    thread_record* const me = current_thread();
    if (me == nullptr || me->submits_to == nullptr) return nullptr;
    auto* const lane = static_cast<outside_lane*>(me->submits_to);
    return &lane->siblings == this ? lane : nullptr;
  }

  /// Takes the oldest tasks of some lane, and sets `taken` to them: one, or up to a `parts`-th of what is there.
  [[nodiscard]] outcome take(outside_batch& taken, std::size_t parts, revocation_count& spent) noexcept;
  [[nodiscard]] bool look_empty() const noexcept { return lanes_.looks_empty(); }

 private:
  [[nodiscard]] outside_lane* adopt() noexcept;
  [[nodiscard]] outside_lane* left_here() noexcept;
  [[nodiscard]] outside_lane& find_or_make();
  static void leave(void* lane) noexcept;

  block_pool& blocks_;
  lane_list<outside_lane> lanes_;  ///< those of all threads, the newest first; linked under changing_
  std::mutex changing_;
  pthread_key_t at_end_of_thread_{};  ///< under changing_, and valid once there is a lane
};

}}}  // namespace skua::v0::runtime
