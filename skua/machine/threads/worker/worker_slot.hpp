// SPDX-License-Identifier: MIT
// A worker's share of a region: its lanes there, and its mind. A worker has one seat in every region it serves.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/frame.hpp"
#include "skua/machine/threads/worker/lanes.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"
#include "skua/machine/threads/worker/slot_front.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/tagged_queue.hpp"
#include "skua/policy/policy.hpp"

namespace skua::threads {

class region;
class worker;

class alignas(cache_line_bytes) seat : public lanes<real_sync, runtime::slot_front> {
 public:
  /// Throws std::bad_alloc.
  seat(worker& w, leaf_log& its_leaves, region& r, std::uint32_t region_workers, worker_id number, mind& decides)
      : lanes(deque_options{}, its_leaves, region_workers, number), who(w), in(r), thinks(decides) {}

  worker& who;
  region& in;
  mind& thinks;

  filing<filed> slot{1};   ///< room for one that another worker has placed here
  filing<filed> kept;      ///< continuations with a tag of their own
  filing<filed> migrated;  ///< tasks that other workers have placed here

  /// The first word of the tag of what runs here: what a thief would take. Any thread.
  [[nodiscard]] std::uint64_t shown_tag() const noexcept {
    return shown_.load(std::memory_order_relaxed);
  }  // relaxed: a hint
  void show_tag(std::uint64_t first_word) noexcept {
    shown_.store(first_word, std::memory_order_relaxed);
  }  // relaxed: a hint

  /// The seat of another worker of the region.
  [[nodiscard]] seat& neighbour(worker_id local) noexcept;
  /// Something was put here that any worker of the region may take: one that sleeps is woken, unless enough are about.
  void call_help() noexcept;
  /// Something was put here for this seat's worker. If it can be stolen, any other may come instead.
  void call_its_worker() noexcept;

  /// The mind may have changed its mind. For the owner; a fork that must be shown takes the slow path.
  void ask_whether_to_show() noexcept {
    tsan::unseen const of_the_worker;
    shows_groups_ = thinks.sees_forks();
    if (shows_groups_) forks.outside().poke();
  }

 private:
  std::atomic<std::uint64_t> shown_{0};
};

inline seat& strand::at() const noexcept { return static_cast<seat&>(*seat_); }
inline void strand::sit(seat& s) noexcept { seat_ = &s; }

}  // namespace skua::threads
