// SPDX-License-Identifier: MIT
// A worker slot: what one worker has in one region, namely its lanes there and its part of the policy's state.
#pragma once

#include <atomic>
#include <cstdint>

#include "skua/machine/threads/join/group.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/machine/threads/worker/lanes.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/queue/tagged_queue.hpp"

namespace skua::runtime {

class region;
class worker;

/// What a fiber must do after a push that asked for attention.
enum class advice : std::uint8_t {
  go_on,   ///< continue: there is room, and sleepers were notified
  full,    ///< no memory for another push: take the entry back, and call the child instead
  expose,  ///< the policy wants to see this group: take the entry back, and run it as an exposed group
  stop,    ///< the running task was asked to end
};

/// Makes every fiber of the region poll at its next fork. Any thread.
void request_attention_everywhere(region& r) noexcept;

class alignas(cache_line_bytes) worker_slot : public lanes<> {
 public:
  /// Throws std::bad_alloc.
  worker_slot(worker& w, leaf_log& worker_leaves, region& r, std::uint32_t region_workers, worker_id number,
              worker_policy& decides)
      : who(w), in(r), in_workers(region_workers), id(number), policy(decides), leaves(worker_leaves) {}

  worker& who;
  region& in;
  std::uint32_t const in_workers;  ///< workers of the region
  worker_id const id;              ///< this worker's number within the region
  worker_policy& policy;
  leaf_log& leaves;  ///< shared by all slots of the worker

  tagged_queue<tagged_entry> mailbox{1};  ///< room for one entry that another worker put here
  tagged_queue<tagged_entry> local;  ///< the rest of exposed groups, and preempted fibers; thieves take from it by tag
  tagged_queue<tagged_entry> migrated;  ///< tasks that policies placed here

  /// The first word of the running task's tag, which a thief would inherit. Any thread.
  [[nodiscard]] std::uint64_t published_tag() const noexcept {
    return published_tag_.load(std::memory_order_relaxed);
  }  // relaxed: a hint
  void publish_tag(std::uint64_t first_word) noexcept {
    published_tag_.store(first_word, std::memory_order_relaxed);
  }  // relaxed: a hint

  /// The slot of another worker of the region.
  [[nodiscard]] worker_slot& neighbour(worker_id number) noexcept;
  /// An entry was put where any worker of the region may take it. Wakes a sleeper unless enough workers are searching.
  void notify_work() noexcept;
  /// An entry was put here for this slot's worker. Wakes it; if it is awake, another worker may come and steal the
  /// entry.
  void notify_owner() noexcept;

  /// The policy sees groups from now on. For the owner.
  [[nodiscard]] bool exposes_groups() const noexcept {
    tsan::unseen const of_the_worker;
    return exposes_groups_;
  }
  /// Asks the policy whether it wants to see forks. If so, the next fork takes the slow path. For the owner.
  void update_exposure() noexcept {
    tsan::unseen const of_the_worker;
    exposes_groups_ = policy.sees_forks();
    if (exposes_groups_) forks.outside().request_attention();
  }

 private:
  std::atomic<std::uint64_t> published_tag_{0};
  bool exposes_groups_ = false;
};

}  // namespace skua::runtime
