// SPDX-License-Identifier: MIT
// A worker's share of a region: its lanes there, and its mind. A worker has one worker slot in every region it serves.
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

/// What a fiber shall do after a push that asked for attention.
enum class advice : std::uint8_t {
  go_on,   ///< room was made, sleepers were woken: as if nothing had happened
  full,    ///< no memory for the next push: take the entry back and call instead of fork
  expose,  ///< the policy wants to see this group: take the entry back and run it as a division
  stop,    ///< the running task was asked to end
};

/// Every fiber of the region looks at its next fork. Any thread.
void request_attention_everywhere(region& r) noexcept;

class alignas(cache_line_bytes) worker_slot : public lanes<> {
 public:
  /// Throws std::bad_alloc.
  worker_slot(worker& w, leaf_log& worker_leaves, region& r, std::uint32_t region_workers, worker_id number,
              worker_policy& decides)
      : who(w), in(r), in_workers(region_workers), id(number), policy(decides), leaves(worker_leaves) {}

  worker& who;
  region& in;
  std::uint32_t const in_workers;  ///< of the region
  worker_id const id;              ///< the number of this worker in the region
  worker_policy& policy;
  leaf_log& leaves;  ///< of the worker

  tagged_queue<tagged_entry> mailbox{1};  ///< room for one that another worker has placed here
  tagged_queue<tagged_entry> local;       ///< continuations with a tag of their own
  tagged_queue<tagged_entry> migrated;    ///< tasks that other workers have placed here

  /// The first word of the tag of what runs here: what a thief would take. Any thread.
  [[nodiscard]] std::uint64_t published_tag() const noexcept {
    return published_tag_.load(std::memory_order_relaxed);
  }  // relaxed: a hint
  void publish_tag(std::uint64_t first_word) noexcept {
    published_tag_.store(first_word, std::memory_order_relaxed);
  }  // relaxed: a hint

  /// The worker slot of another worker of the region.
  [[nodiscard]] worker_slot& neighbour(worker_id number) noexcept;
  /// Something was put here that any worker of the region may take: one that sleeps is woken, unless enough are about.
  void notify_work() noexcept;
  /// Something was put here for this worker slot's worker. If it can be stolen, any other may come instead.
  void notify_owner() noexcept;

  /// Groups are shown to the policy now. For the owner.
  [[nodiscard]] bool exposes_groups() const noexcept {
    tsan::unseen const of_the_worker;
    return exposes_groups_;
  }
  /// The policy may have changed its mind. For the owner; a fork that must be shown takes the slow path.
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
