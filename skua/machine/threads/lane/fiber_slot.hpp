// SPDX-License-Identifier: MIT
// What one worker has in one region, as its fibers see it: its lanes there, its part of the policy's state, and what it
// counts. Which worker and which region that is, only the engine knows (worker_slot.hpp); fibers ask it by `duties`.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "skua/machine/threads/lane/duties.hpp"
#include "skua/machine/threads/lane/failure_epoch.hpp"
#include "skua/machine/threads/lane/kept_next.hpp"
#include "skua/machine/threads/lane/lanes.hpp"
#include "skua/machine/threads/lane/ordered_calls.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/machine/threads/lane/region_looks.hpp"
#include "skua/machine/threads/lane/slot_front.hpp"
#include "skua/machine/threads/lane/spare_forks.hpp"
#include "skua/machine/threads/lane/tagged_lanes.hpp"
#include "skua/machine/threads/lane/task.hpp"
#include "skua/machine/threads/lane/turns.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/context/sanitizer.hpp"
#include "skua/parts/ordered/ordered_lane.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/policy.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class finish_region;
template <class Region>
class finish_share;
struct live_counters;
class worker_trace;

/// The parts of its worker and its region that a slot refers to.
struct slot_surroundings {
  leaf_log& leaves;
  live_counters& counts;
  worker_trace& trace;
  finish_share<finish_region>& share;  ///< what the worker counts for the finish region that it is inside of
  kept_next& kept;                     ///< of the worker
  injector<> const& tied_ready;        ///< ready frames that only this worker, or its thread, may resume
  injector<> const& ready;             ///< ready frames of the region that any of its workers may resume
  ordered_calls<>& calls;              ///< of the region
  failure_epoch<>& failures;           ///< of the region
  layout const& map;                   ///< of the region
  region_urgency* urgency;             ///< null: the workers exchange no urgent tasks
  std::span<worker_id const> members;  ///< the region's workers, by their numbers in the pool
  std::size_t most_joins;              ///< that may be open on one stack
  shared_forks& left_over;             ///< of the region
  bool counts_forks;                   ///< of the pool: every fork polls
};

/// The base that is made before the lanes.
struct slot_forks {
  explicit slot_forks(slot_surroundings const& all)  ///< Throws std::bad_alloc.
      : unused_forks(all.most_joins, all.left_over, all.counts_forks) {}
  spare_forks unused_forks;  ///< what no fiber uses
};

class fiber_slot : private slot_forks, public lanes<real_sync, slot_front>, public duties {
 public:
  using slot_forks::unused_forks;

  /// Throws std::bad_alloc.
  fiber_slot(slot_surroundings const& all, std::uint32_t region_workers, worker_id number, worker_policy& decides,
             policies::policy_needs const& its_needs)
      : slot_forks(all), lanes(deque_options{}, unused_forks.first(), all.leaves, region_workers, number),
        policy(decides), needs(its_needs), counts(all.counts), trace(all.trace), share(all.share), kept(all.kept),
        calls(all.calls), failures(all.failures), map(all.map), built_(its_needs.lanes),
        ordered_(its_needs.lanes.has(lane::ordered)
                     ? std::make_unique<ordered_lane>(number, map.distances_from(number), its_needs.strategies)
                     : nullptr),
        tied_ready_(all.tied_ready), ready_(all.ready), mailbox(built_.mailbox()), local(built_.local()),
        migrated(built_.migrated()), next(built_.next()), nodes(built_.nodes()), ordered(ordered_.get()),
        members(all.members) {
    if (all.urgency != nullptr) ordered_->exchange_urgent(*all.urgency, its_needs.urgency_us * ticks_per_us());
  }
  fiber_slot(fiber_slot const&) = delete;
  fiber_slot& operator=(fiber_slot const&) = delete;

  worker_policy& policy;
  policies::policy_needs const needs;
  live_counters& counts;
  worker_trace& trace;
  finish_share<finish_region>& share;
  kept_next& kept;
  ordered_calls<>& calls;
  failure_epoch<>& failures;
  layout const& map;
  std::uint32_t calls_in_turn =
      0;  ///< brought to `ordered` since the worker took another task from outside. For the owner
  bool takes_several =
      false;  ///< the last probe of injected tasks allowed more than one (policies::amount). For the owner
  task const* placed_call = nullptr;  ///< while the policy places a task from outside (machine_view). For the owner

 private:
  tagged_lanes built_;
  std::unique_ptr<ordered_lane> const ordered_;
  injector<> const& tied_ready_;
  injector<> const& ready_;

 public:
  // Lanes that the policy does not need take no entries.
  tagged_queue<tagged_entry>& mailbox;  ///< room for one entry that another worker put here
  tagged_queue<tagged_entry>& local;  ///< the rest of exposed groups, and preempted fibers; thieves take from it by tag
  tagged_queue<tagged_entry>& migrated;      ///< tasks that policies placed here
  tagged_queue<tagged_entry>& next;          ///< nodes of flows that this worker runs next; thieves take from it by tag
  tagged_queue<tagged_entry>& nodes;         ///< nodes of flows that policies placed here
  ordered_lane* const ordered;               ///< null: the policy does not need it
  std::span<worker_id const> const members;  ///< of the region, by their numbers in the pool

  /// Asks the policy where a task goes. A width above 1 is refused unless a team can run the task and the region has that many workers.
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
  /// Thieves read the line, so only changes are written.
  void publish_tag(std::uint64_t first_word) noexcept {
    if (published_tag() == first_word) return;
    published_tag_.store(first_word, std::memory_order_relaxed);  // relaxed: a hint
  }

  /// True if a ready frame waits for this worker, in this region or tied to its thread. The worker must resume it before it begins a
  /// task. A hint.
  [[nodiscard]] bool has_ready() const noexcept { return turns::has_ready(tied_ready_, ready_, inbox); }
  /// True if a thief would find nothing in the lanes with tags. A hint. Any thread.
  [[nodiscard]] bool tagged_lanes_look_empty() const noexcept {
    return tagged_lanes_are_empty(mailbox, local, migrated, next, nodes, ordered);
  }
  /// For the owner: true if its own lanes have nothing to run next. A hint: a thief may have just taken the last entry.
  [[nodiscard]] bool own_tasks_look_empty() noexcept {
    return spawned.outside().looks_empty() && (ordered == nullptr || ordered->looks_empty()) && local.looks_empty() &&
           migrated.looks_empty() && next.looks_empty() && nodes.looks_empty();
  }
  /// True if the policy measures the time of a task with this tag.
  [[nodiscard]] bool is_timed(task_tag const& t) const noexcept {
    return needs.times == policies::which_tasks::all || (needs.times == policies::which_tasks::nodes && t.node[0] != 0);
  }
  /// As take_newest, from `spawned`.
  [[nodiscard]] task* take_newest_spawned(std::uint64_t key) noexcept {
    return static_cast<task*>(take_newest(spawned, key));
  }

  /// Asks the policy whether it wants to see forks. If so, the next fork takes the slow path. For the owner.
  void update_exposure() noexcept {
    tsan::unseen const of_the_worker;
    exposes_groups_ = policy.sees_forks() && !keeps_groups_;
    if (exposes_groups_) forks().request_attention();
  }

  /// While `keep`, the policy does not place the children of the running fiber, which is isolated. For the owner.
  void keep_groups(bool keep) noexcept {
    tsan::unseen const of_the_worker;
    keeps_groups_ = keep;
    update_exposure();
  }

 private:
  bool keeps_groups_ = false;
  std::atomic<std::uint64_t> published_tag_{0};
};

}}}  // namespace skua::v0::runtime
