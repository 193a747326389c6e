// SPDX-License-Identifier: MIT
// A worker's share of a region: its lanes there, and its mind. A worker has one worker slot in every region it serves.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/frame.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/machine/threads/worker/lanes.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"
#include "skua/machine/threads/worker/slot_front.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/tagged_queue.hpp"

namespace skua::runtime {

class region;
class worker;

class alignas(cache_line_bytes) worker_slot : public lanes<real_sync, runtime::slot_front> {
 public:
  /// Throws std::bad_alloc.
  worker_slot(worker& w, leaf_log& its_leaves, region& r, std::uint32_t region_workers, worker_id number,
              worker_policy& decides)
      : lanes(deque_options{}, its_leaves, region_workers, number), who(w), in(r), policy(decides) {}

  worker& who;
  region& in;
  worker_policy& policy;

  tagged_queue<tagged_entry> mailbox{1};  ///< room for one that another worker has placed here
  tagged_queue<tagged_entry> local;       ///< continuations with a tag of their own
  tagged_queue<tagged_entry> migrated;    ///< tasks that other workers have placed here

  /// The first word of the tag of what runs here: what a thief would take. Any thread.
  [[nodiscard]] std::uint64_t published_tag() const noexcept {
    return shown_.load(std::memory_order_relaxed);
  }  // relaxed: a hint
  void publish_tag(std::uint64_t first_word) noexcept {
    shown_.store(first_word, std::memory_order_relaxed);
  }  // relaxed: a hint

  /// The worker slot of another worker of the region.
  [[nodiscard]] worker_slot& neighbour(worker_id local) noexcept;
  /// Something was put here that any worker of the region may take: one that sleeps is woken, unless enough are about.
  void notify_work() noexcept;
  /// Something was put here for this worker slot's worker. If it can be stolen, any other may come instead.
  void notify_worker_of_slot() noexcept;

  /// The policy may have changed its mind. For the owner; a fork that must be shown takes the slow path.
  void update_exposure() noexcept {
    tsan::unseen const of_the_worker;
    exposes_groups_ = policy.sees_forks();
    if (exposes_groups_) forks.outside().request_attention();
  }

 private:
  std::atomic<std::uint64_t> shown_{0};
};

inline worker_slot& fiber::at() const noexcept { return static_cast<worker_slot&>(*slot_); }
inline void fiber::run_in(worker_slot& s) noexcept { slot_ = &s; }

}  // namespace skua::runtime
