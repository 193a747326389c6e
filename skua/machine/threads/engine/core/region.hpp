// SPDX-License-Identifier: MIT
// A region: a policy and the workers that obey it. There is no other scheduler state; regions nest, and several live at
// once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skua/machine/threads/engine/core/slot_room.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"
#include "skua/machine/threads/engine/outside/injected_tasks.hpp"
#include "skua/machine/threads/engine/outside/outside_lane.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/machine/threads/lane/region_looks.hpp"
#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/parts/queue/injector.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/setup.hpp"

namespace skua { inline namespace v0 { namespace runtime {

class guest_list;
class pool_core;
class region;

/// The regions of a pool that are open at some moment. A list never changes, so workers share it and copy nothing.
using region_list = std::vector<std::shared_ptr<region>>;

class region final : public std::enable_shared_from_this<region>, private policies::machine_view {
 public:
  /// Makes slots for the `members` (their numbers in the pool). `number` also seeds the policy. Throws what `make` throws, and std::bad_alloc.
  region(pool_core& c, policies::policy_factory make, std::span<worker_id const> members, std::uint64_t number);
  ~region();
  region(region const&) = delete;
  region& operator=(region const&) = delete;

  /// Regions of a pool are numbered from 1 on, in the order in which they were opened.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] worker_slot& slot_of(worker_id local) noexcept { return *slots_[index(local)]; }
  /// The slot of a worker of the pool; null if it is not a member.
  [[nodiscard]] worker_slot* slot_for(worker const& w) const noexcept;
  [[nodiscard]] layout const& map() const noexcept { return map_; }
  [[nodiscard]] std::string_view policy_name() const noexcept { return policy_->name(); }
  [[nodiscard]] std::vector<policies::known_time> known() const { return policy_->known(); }
  /// Those of its policy. A call without a name has its place in the code instead.
  [[nodiscard]] std::vector<policies::call_choice> choices() const;
  /// Prints the policy's report on stderr, if it has one.
  void print_report() const noexcept;
  [[nodiscard]] policies::policy_factory const& policy_maker() const noexcept { return make_; }
  [[nodiscard]] pool_core& pool() noexcept { return core_; }

  /// Submits a task from outside. Any thread. Once `t` is in, it may run to its end, and end the region and the pool;
  /// so `inject` keeps both alive until it returns.
  /// If the workers have ended with the process, the calling thread runs it before this returns (exit.md).
  void inject(handed& t) noexcept;
  /// The same for a frame of this region that is ready and tied to no thread: a worker takes it before it begins a task.
  void make_ready(frame& f) noexcept;
  /// Returns null if there is none. For a worker of this region.
  [[nodiscard]] frame* take_ready() noexcept;
  [[nodiscard]] bool has_ready() const noexcept { return !ready_.looks_empty(); }
  /// An entry can be taken: wakes a worker of the region unless enough are searching. True if one was woken. Any
  /// thread.
  bool notify_work() noexcept;
  /// Takes a task from outside for the worker of `by`: of the shared queue, else of a lane. If `many` says so, it may move
  /// more of the lane's tasks to the worker's `spawned`. Counts revocations in `spent`.
  [[nodiscard]] outcome take_injected(worker_slot& by, policies::amount many, tagged_entry& out,
                                      revocation_count& spent) noexcept;
  /// For a worker that goes on with tasks from outside without a search: takes the oldest of the shared queue if is_wanted(it), and
  /// asks for the lent thread as a searcher does. Null: there is none, or another one comes first.
  template <class IsWanted>
  [[nodiscard]] handed* take_injected_if(IsWanted const& is_wanted) noexcept {
    handed* const oldest = injected_.pop_if(is_wanted);
    if (oldest != nullptr) look_after_enqueued();
    return oldest;
  }
  /// Where threads from outside submit tasks without waiting for them.
  [[nodiscard]] outside_lanes& lanes_outside() noexcept { return outside_; }
  /// Takes an injected task back; false if a worker has it.
  bool withdraw(handed& t) noexcept { return injected_.remove(t); }
  /// Call it when a task that was injected with a strategy begins, or is dropped.
  void begins_ordered() noexcept { injected_.ordered().begins(); }
  /// The guests' callers, for calls that find no worker's place free.
  [[nodiscard]] guest_list& guests() noexcept { return *guests_; }
  void stand_in_for(region& host) noexcept { host_ = &host; }
  [[nodiscard]] bool is_of_guest() const noexcept { return host_ != nullptr; }
  /// The number of workers of this region; in a guest's region, of its host.
  [[nodiscard]] std::uint32_t workers_around() const noexcept {
    return host_ == nullptr ? workers() : host_->workers();
  }
  /// Makes this region run calls of region `whole`, of which it has some of the workers (default_region.hpp).
  void limit(region const& whole) noexcept { whole_ = &whole; }
  /// True if code that runs here may call into `r` directly: `r` is this region, the host of this guest's region, or a region that either of
  /// them limits.
  [[nodiscard]] bool serves(region const& r) const noexcept {
    region const& mine = host_ == nullptr ? *this : *host_;
    return this == &r || &mine == &r || mine.whole_ == &r;
  }
  /// True if injected tasks have not begun.
  [[nodiscard]] bool has_enqueued() const noexcept { return !injected_.none_waits(); }
  /// Takes a task that was injected, for `guest_list::run_task`, in no certain order: also one that a worker has in its lane `ordered`.
  /// Null: there is none that a guest may run.
  [[nodiscard]] tagged_entry take_enqueued() noexcept;
  [[nodiscard]] bool has_injected() const noexcept { return has_from_outside(injected_, outside_); }

  /// Held while a team enters its workers' inboxes.
  [[nodiscard]] brief_lock<>& order_of_teams() noexcept { return order_of_teams_; }

  /// A thread that sets a flag that `stolen_joins::want_end` reports begins the next epoch.
  [[nodiscard]] failure_epoch<>& failures() noexcept { return failures_; }
  /// Makes every fiber of this region poll at its next fork. Any thread.
  void request_attention() noexcept;
  /// The same, but the lanes of workers that sleep hold a request already (sleep.md, "Lanes of sleepers").
  void request_attention_of_awake() noexcept;
  void request_attention_of_awake_but(worker_id left) noexcept;  ///< nor in those of this worker of the pool
  /// True if there is nothing to take for the worker of this slot; with a null slot, for any member.
  [[nodiscard]] bool looks_empty_to(worker_slot* mine) noexcept;
  /// True if something is left in this slot's own lanes, or in lanes from which every member may take.
  [[nodiscard]] bool leaves_something_to(worker_slot& mine) noexcept;
  /// True if there is nothing to take for any worker. Exact if all of them sleep and no thread pushes.
  [[nodiscard]] bool holds_nothing() noexcept;
  /// True if no thread will take what is pushed (sleep_state::is_retired).
  [[nodiscard]] bool has_no_threads() const noexcept;

 private:
  friend class pool_core;
  void keep(worker_slot& by, outside_batch const& batch) noexcept;
  [[nodiscard]] bool sleeps(std::uint32_t local) const noexcept;
  [[nodiscard]] bool has_tasks(worker_id local) const noexcept override;
  [[nodiscard]] bool works_elsewhere(worker_id local) const noexcept override;
  [[nodiscard]] bool runs_nested(worker_id local) const noexcept override;
  [[nodiscard]] std::uint64_t now_ns(worker_id local) const noexcept override;
  [[nodiscard]] called_code code_of_call(worker_id local) const noexcept override;
  void note(worker_id local, policies::scheduler_note const& done) const noexcept override;
  [[nodiscard]] std::uint64_t ready_frame(worker_id local) const noexcept override;
  void submit(injector<>& to, handed& t) noexcept;
  void inject_as_visitor(handed& t) noexcept;
  void push_injected(handed& t) noexcept;
  void look_after_enqueued() noexcept;

  std::uint64_t const number_;
  pool_core& core_;
  std::vector<worker_id> const members_;  ///< by their numbers in the pool
  layout const map_;
  policies::policy_factory const make_;
  std::unique_ptr<policies::policy> const policy_;
  std::unique_ptr<region_urgency> const urgency_;  ///< null: no worker looks for more urgent tasks of others
  slot_room const room_;                           ///< must outlive slots_
  shared_forks left_over_;                         ///< as room_
  std::vector<slot_pointer> slots_;
  std::vector<worker_slot*> slot_of_member_;  ///< by number in the pool
  injector<> ready_;                          ///< frames
  injected_tasks injected_;
  outside_lanes outside_;
  std::unique_ptr<guest_list> guests_;
  failure_epoch<> failures_;
  brief_lock<> order_of_teams_;
  region* host_ = nullptr;         ///< of a guest's region
  region const* whole_ = nullptr;  ///< of one that a limit made
  bool is_closed_ = false;         ///< the pool's, under its lock of the regions
};

}}}  // namespace skua::v0::runtime
