// SPDX-License-Identifier: MIT
// A worker slot: what one worker has in one region, namely its lanes there and its part of the policy's state.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/frame.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/machine/threads/worker/lanes.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"
#include "skua/machine/threads/worker/region_looks.hpp"
#include "skua/machine/threads/worker/slot_front.hpp"
#include "skua/machine/threads/worker/tagged_lanes.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/ordered/ordered_lane.hpp"
#include "skua/policy/policy.hpp"

namespace skua::inline v0::runtime {

class finish_region;
class region;
class worker;

class alignas(cache_line_bytes) worker_slot : public lanes<real_sync, slot_front> {
 public:
  /// Throws std::bad_alloc.
  worker_slot(worker& w, leaf_log& worker_leaves, region& r, std::uint32_t region_workers, worker_id number,
              worker_policy& decides, policies::policy_needs const& its_needs, layout const& map)
      : lanes(deque_options{}, worker_leaves, region_workers, number), who(w), in(r), policy(decides), needs(its_needs),
        built_(its_needs.lanes),
        ordered_(its_needs.lanes.has(lane::ordered)
                     ? std::make_unique<ordered_lane>(number, map.distances_from(number), its_needs.strategies)
                     : nullptr),
        mailbox(built_.mailbox()), local(built_.local()), migrated(built_.migrated()), ordered(ordered_.get()) {}

  worker& who;
  region& in;
  worker_policy& policy;
  policies::policy_needs const needs;

 private:
  tagged_lanes built_;
  std::unique_ptr<ordered_lane> const ordered_;

 public:
  // Those that the policy does not need take no entries.
  tagged_queue<tagged_entry>& mailbox;  ///< room for one entry that another worker put here
  tagged_queue<tagged_entry>& local;  ///< the rest of exposed groups, and preempted fibers; thieves take from it by tag
  tagged_queue<tagged_entry>& migrated;  ///< tasks that policies placed here
  ordered_lane* const ordered;           ///< null: the policy does not need it

  /// Asks the policy where a task goes. A width above 1 is refused unless a team can run it, and there are so many workers.
  [[nodiscard]] placement place(task_tag& task, cause why, bool is_moldable = false) noexcept {
    placement const to = policy.place(task, why);
    if (to.width == 1) [[likely]]
      return to;
    return is_moldable && index(to.worker) + to.width <= in_workers ? to : place_alone(task);
  }
  /// A team is refused: the task runs alone.
  [[nodiscard]] placement place_alone(task_tag& task) noexcept;

  /// The first word of the running task's tag, which a thief would inherit. Any thread.
  [[nodiscard]] std::uint64_t published_tag() const noexcept {
    return published_tag_.load(std::memory_order_relaxed);
  }  // relaxed: a hint
  void publish_tag(std::uint64_t first_word) noexcept {
    published_tag_.store(first_word, std::memory_order_relaxed);
  }  // relaxed: a hint

  /// A hint. Any thread.
  [[nodiscard]] bool tagged_lanes_look_empty() const noexcept {
    return tagged_lanes_are_empty(mailbox, local, migrated, ordered);
  }
  /// For the owner: nothing that it would run next. A thief may have just taken the last.
  [[nodiscard]] bool own_tasks_look_empty() noexcept {
    return spawned.outside().looks_empty() && (ordered == nullptr || ordered->looks_empty()) && local.looks_empty() &&
           migrated.looks_empty();
  }
  /// For the owner: what it would run next is of this finish region. A hint, too.
  [[nodiscard]] bool next_is_of(finish_region const& one) noexcept;
  /// The same, of the lanes whose tasks may run on top of the region's owner: those that the policy does not place.
  [[nodiscard]] bool next_unplaced_is_of(finish_region const& one) noexcept;
  /// As take_newest, from `spawned`.
  [[nodiscard]] task* take_newest_spawned(std::uint64_t key) noexcept {
    return static_cast<task*>(take_newest(spawned, key));
  }

  /// The slot of another worker of the region.
  [[nodiscard]] worker_slot& neighbour(worker_id number) noexcept;
  /// An entry was put where any worker of the region may take it. Wakes a sleeper unless enough workers are searching.
  void notify_work() noexcept;
  /// An entry was put here for this slot's worker. Wakes it; if it is awake, another worker may come and steal the
  /// entry.
  void notify_owner() noexcept;

  /// Asks the policy whether it wants to see forks. If so, the next fork takes the slow path. For the owner.
  void update_exposure() noexcept {
    tsan::unseen const of_the_worker;
    exposes_groups_ = policy.sees_forks() && !keeps_groups_;
    if (exposes_groups_) forks.request_attention();
  }

  /// The fiber that runs is isolated: the policy does not place its children. For the owner.
  void keep_groups(bool on) noexcept {
    tsan::unseen const of_the_worker;
    keeps_groups_ = on;
    update_exposure();
  }

 private:
  bool keeps_groups_ = false;
  std::atomic<std::uint64_t> published_tag_{0};
};

inline worker_slot& fiber::at() const noexcept { return static_cast<worker_slot&>(*slot_); }
inline void fiber::run_in(worker_slot& s) noexcept { slot_ = &s; }

}  // namespace skua::inline v0::runtime
