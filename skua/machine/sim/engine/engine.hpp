// SPDX-License-Identifier: MIT
// The engine of the simulator: one run. States and invariants: simulator.md. Each file beside this one does one part:
// time and result engine.cpp; probing, taking and placing probing.cpp; fences of steals fences.cpp; stacks of calls,
// groups and scopes stacks.cpp; finish regions finish.cpp; teams teams.cpp; the trace tracing.cpp.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "skua/machine/sim/calendar.hpp"
#include "skua/machine/sim/deque_bias.hpp"
#include "skua/machine/sim/engine/inherited_places.hpp"
#include "skua/machine/sim/engine/node_table.hpp"
#include "skua/machine/sim/heavy_fences.hpp"
#include "skua/machine/sim/idle_workers.hpp"
#include "skua/machine/sim/lanes.hpp"
#include "skua/machine/sim/run_trace.hpp"
#include "skua/machine/sim/simulator.hpp"
#include "skua/machine/sim/validator.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/ordered/ordered_lane.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// The tags that a policy wrote on an exposed group, and the group's progress.
struct exposed_group {
  enum class stage : std::uint8_t {
    placing,     ///< children are marked and placed, until one is kept here
    calling,     ///< the kept child runs
    continuing,  ///< it has returned: the later children are placed too, or run unexposed
  };
  task_tag task{};                ///< of the task that met the group
  task_tag group{};               ///< as the policy gave it
  task_tag rest{};                ///< of the children without a place so far
  task_tag child{};               ///< of the child that was kept
  lane exposed_in = lane::forks;  ///< the lane of the tagged entry with the rest ...
  worker_id exposed_at{};         ///< ... and its worker
  stage now = stage::placing;
};

/// One call that has not returned. For a task or a scope's body `next` is its next step. For a group `next` is the next
/// child to call, and `forked` the first of the children that it offered to thieves while a child runs.
struct frame {
  tree_node_id node;  ///< no_tree_node: the base of a stack, which calls `next` and then ends
  tree_node_id next;
  tree_node_id forked = no_tree_node;
  tree_node_id pending = no_tree_node;  ///< the child to call next: the stack was preempted when it forked the child
  tree_node_kind kind = tree_node_kind::task;        ///< of `node`
  bool owner = true;                                 ///< false: a share of a group that a thief took
  bool parked = false;                               ///< it has waited for other workers
  bool shared = false;                               ///< of a group: a part of it has left this stack
  bool drops = false;                                ///< of a base: the task is dead, and not called
  std::unique_ptr<exposed_group> exposed = nullptr;  ///< of a group or scope, if it was exposed
};

/// A stack of calls, and the ticks that it has run so far.
struct alignas(64) fiber {
  std::vector<frame> frames;
  tick ran = 0;
  team_id team = no_team;  ///< a member of this team runs on it, and it never leaves `home`
  worker_id home{};
  bool open = false;   ///< its top waits for a group
  bool spins = false;  ///< at a barrier, without leaving its worker
  tick spins_since = 0;
  task_tag tag{};  ///< the policy's tag of the task on top
};

/// What every move of a worker touches: one cache line.
struct alignas(64) worker_state {
  fiber_id stack = no_fiber;        ///< that it runs
  worker_id last_victim{};          ///< of its last probe; itself: a lane of its own
  std::uint64_t last = 0;           ///< first tag word of what it ran last
  worker_policy* policy = nullptr;  ///< behind the checker
  tick busy = 0;                    ///< as in worker_counters
  tick work = 0;
  tick scheduling = 0;
  frame const* top = nullptr;  ///< for prefetching: of its stack ...
  tree_node_id soon = 0;       ///< ... and the node that begins or ends next
  bool keeps_next = false;     ///< `local` or `next` holds a task for which nobody was woken
};
static_assert(sizeof(worker_state) == 64);

/// A task that runs as a team. Members that have left do not count.
struct running_team {
  tree_node_id task;
  std::uint32_t present;
  worker_id first{};
  std::uint32_t width = 0;
  tick placed = 0;
  bool has_failed = false;
  std::vector<fiber_id> waiting{};  ///< at the barrier
};

/// The state of a group of which a part has left the stack that met it, of a scope or finish region; by its node.
struct group_state {
  std::uint32_t outstanding = 0;  ///< shares of a group without the owner's; children of a scope; tasks of a region
  bool stolen = false;            ///< some share or child was taken from its owner
  fiber_id waiting = no_fiber;    ///< the parked stack whose top is this group or scope
};

/// A steal that waits for a fence before it may look at its victim.
struct delayed_steal {
  enum class stage : std::uint8_t {
    none,    ///< the worker waits for nothing
    asks,    ///< for the owner's answer
    fences,  ///< for its own heavy fence
  };
  stage now = stage::none;
  policies::probe probe{};
  tick since = 0;
};

class engine final : private policies::machine_view {
 public:
  /// `live`: a program whose tree, `program`, grows while it runs; null: the tree is complete.
  engine(task_tree const& program, stepped_program* live, policy& scheduler, layout const& where, rules const& by,
         costs& prices, observer& watcher);
  run_result run();

 private:
  // Time (engine.cpp).
  void schedule(worker_id w, tick at);
  [[nodiscard]] bool moves_next();
  void move(worker_id w);
  void check_policies_rest();
  void pay(worker_id w, operation what, worker_id whom);
  void pay(worker_id w, operation what) { pay(w, what, w); }
  void expect(worker_id moved);
  void note_top(worker_id w);
  [[nodiscard]] worker_state& of(worker_id w) { return workers_[index(w)]; }
  [[nodiscard]] worker_state const& of(worker_id w) const { return workers_[index(w)]; }
  void grow();

  // The trace (tracing.cpp). Without a trace, each costs a branch.
  void note(worker_id w, trace::event const& e) {
    if (trace_ != nullptr) [[unlikely]]
      write(w, e);
  }
  void acts(worker_id w, trace::kind activity, tick at) {
    if (trace_ != nullptr) [[unlikely]]
      write_activity(w, activity, at);
  }
  [[gnu::cold, gnu::noinline]] void write(worker_id w, trace::event const& e);
  [[gnu::cold, gnu::noinline]] void write_activity(worker_id w, trace::kind activity, tick at);
  [[gnu::cold, gnu::noinline]] void note_begin(worker_id w, item const& it, lane from);
  [[gnu::cold, gnu::noinline]] void note_call(worker_id w, tree_node_id id);
  [[gnu::cold, gnu::noinline]] void note_end(worker_id w, fiber_id f);
  [[gnu::cold, gnu::noinline]] void note_attempt(worker_id w, probe const& p, outcome how, item const* taken);

  // Fences (fences.cpp).
  [[nodiscard]] tick heavy_fence_length(worker_id w);
  tick fence_heavily(worker_id w);
  void price_fences();
  [[nodiscard]] bool interrupted(worker_id w, std::uint64_t times);
  bool delays(worker_id w, worker_policy const& m, probe const& p);
  void continue_steal(worker_id w);
  void give_up_steal(worker_id w);
  [[nodiscard]] bool is_being_revoked(probe const& p);
  void touches_own(worker_id w, lane where);
  void pops_own(worker_id w, lane where, bool got);
  void taken_from_top(worker_id of, lane where);
  [[nodiscard]] deque_bias& bias_of(worker_id w, lane where) {
    return biases_[index(w)][where == lane::spawned ? 1 : 0];
  }
  [[nodiscard]] bool has_biases() const noexcept { return !biases_.empty(); }

  // Searching and sleeping (probing.cpp).
  void keep_searching(worker_id w);
  [[nodiscard]] bool nothing_in_reach_of(worker_id w) const;
  void found(worker_id w, bool leaves_more = false);
  [[nodiscard]] bool leaves_more(probe const& p, item const& taken) const;
  void offered(worker_id by);
  void wake(worker_id by, worker_id whom);

  // Probing, taking, placing (probing.cpp).
  void next_probe(worker_id w);
  tick price_of_look(worker_id w, probe const& p);
  void finish_probe(worker_id w, worker_policy const& m, probe const& p, tick waited);
  void rest(worker_id w, worker_policy const& m, probe const& p);
  [[nodiscard]] bool touches_first() const;
  [[nodiscard]] bool has_in_reach(worker_id w, worker_policy const& m);
  [[nodiscard]] bool finds_something_for(worker_id w) const;
  [[nodiscard]] hint hint_of(tree_node_id child);
  void count_steal(std::uint32_t distance);
  std::pair<outcome, std::optional<item>> execute(worker_id w, probe const& p);
  void receive(worker_id w, item taken, probe const& by);
  void split_off(item const& it);
  placement place(worker_id w, task_tag& task, cause why, bool may_be_team = false);
  void put(worker_id w, item const& what, placement const& to, cause why);
  void send(worker_id w, item const& what, placement const& to, cause why);
  void tell(worker_id w, event const& what);
  std::uint64_t published_by(worker_id w) const;

  // Finish regions (finish.cpp).
  void order_tasks();
  void spawn(worker_id w, fiber_id f, tree_node_id task);
  void release(worker_id w, fiber_id f, tree_node_id task, cause why);
  [[nodiscard]] bool is_asked(tree_node_id task) const;
  void bypass_next(worker_id w);
  [[nodiscard]] std::optional<worker_id> place_worker(worker_id w, tree_node_id task);
  void push_ordered(worker_id w, tree_node_id task, runtime::offered_task offered);
  void pay_comparisons(worker_id w, std::uint64_t n);
  std::pair<outcome, std::optional<item>> take_ordered(worker_id w, probe const& p);
  std::optional<item> take_own_ordered(worker_id w, tree_node_id region);
  void bring_urgent(worker_id w);
  void show_ordered(worker_id w);
  void drop(worker_id w, fiber_id f, tree_node_id task);
  void note_dead(worker_id w, tree_node_id task);
  [[nodiscard]] group_state& group_of(tree_node_id task) { return groups_[program_.group_of(task)]; }

  // Teams (teams.cpp).
  [[nodiscard]] bool is_moldable(item const& it) const;
  void count_partition(worker_id leader, std::uint32_t width);
  void form_team(worker_id w, item const& whole, placement const& to, cause why);
  void arrive(worker_id w, fiber_id f);
  void open_barrier(worker_id w, running_team& t);
  void end_spin(fiber& member);
  void park_at_barrier(worker_id w, fiber_id f);
  void resume_at_home(worker_id w, fiber_id f);
  void end_member(fiber_id f, tree_node_id task);
  void tell_team_end(worker_id w, fiber_id f, bool failed);
  void leave_team(worker_id w, fiber_id f);
  [[nodiscard]] bool is_ready_member(item const& it) const {
    return it.content == item::kind::frame && is_member(it.fiber);
  }
  [[nodiscard]] bool has_tasks(worker_id w) const noexcept override {
    return !(lanes_.empty(w, lane::spawned) && lanes_.empty(w, lane::local) && lanes_.empty(w, lane::migrated) &&
             lanes_.empty(w, lane::ordered) && lanes_.empty(w, lane::next) && lanes_.empty(w, lane::nodes));
  }
  [[nodiscard]] std::uint64_t now_ns(worker_id) const noexcept override {
    return (now_ + spent_) / rules_.ticks_per_ns;
  }
  void note(worker_id w, policies::scheduler_note const& done) const noexcept override {
    if (trace_ != nullptr && !done.scheduler.empty()) trace_->changes_scheduler(now_ + spent_, w, done);
  }
  [[nodiscard]] std::uint64_t ready_frame(worker_id w) const noexcept override;
  bool continues_member(worker_id w);
  [[nodiscard]] bool is_member(fiber_id f) const { return fibers_[f].team != no_team; }

  // Stacks (stacks.cpp).
  void begin(worker_id w, item const& it, lane from);
  fiber_id new_fiber();
  void step(worker_id w, fiber_id f);
  void call(worker_id w, fiber_id f, tree_node_id id);
  void look_ahead(tree_node_id id) const;
  void step_body(worker_id w, fiber_id f);
  void step_group(worker_id w, fiber_id f);
  void meet(worker_id w, fiber_id f, tree_node_id group);
  void place_next(worker_id w, fiber_id f);
  void child_returned(worker_id w, fiber_id f);
  void take_back(worker_id w, frame& top);
  void end_share(worker_id w, fiber_id f);
  void fork_of_scope(worker_id w, fiber_id f, tree_node_id child);
  void end_scope(worker_id w, fiber_id f);
  void end_task(worker_id w, fiber_id f);
  [[nodiscard]] tree_node_id first_step(tree_node_id id) const {
    return live_ != nullptr ? unknown_step : program_[id].first;
  }
  [[nodiscard]] tree_node_id step_after(tree_node_id id) const {
    return live_ != nullptr ? unknown_step : program_[id].next;
  }
  void end_base(worker_id w, fiber_id f, group_state* g, bool failed = false);
  void end_group(worker_id w, fiber_id f);
  [[nodiscard]] bool is_stolen(frame const& top);
  void park(worker_id w, fiber_id f, group_state& g);
  void leave_slot(worker_id w, fiber_id f);
  bool preempts(worker_id w, fiber_id f);
  void set_aside(worker_id w, lane from);
  void set_aside(worker_id w, item it);
  worker_policy& of_worker(worker_id w) { return *of(w).policy; }

  task_tree const& program_;
  stepped_program* live_;
  policy& scheduler_;
  policies::policy_needs const needs_;
  layout const& layout_;
  rules rules_;
  costs& prices_;
  observer& watcher_;
  dice roll_;
  validator validator_;
  run_result result_;

  calendar calendar_;
  tick now_ = 0;    ///< when the current move began
  tick spent_ = 0;  ///< ... and the ticks that its worker has paid in it
  run_trace* const trace_;
  tick pause_ = 0;  ///< ... and those until its next move, for which it waits at a barrier
  idle_workers idle_;

  heavy_fences heavy_fences_;
  bool owner_fences_ = false;                      ///< every pop takes a fence
  std::vector<std::array<deque_bias, 2>> biases_;  ///< by worker: of `forks` and `spawned`; empty: none is biased
  std::vector<delayed_steal> delayed_;             ///< by worker; empty if no heavy fence has a price

  lanes lanes_;
  cached_lines cached_lines_;
  std::unique_ptr<runtime::region_urgency> urgency_;  ///< null: the workers exchange no urgent tasks. Outlives ordered_
  std::vector<std::unique_ptr<runtime::ordered_lane>> ordered_;  ///< by worker; empty: the policy does not need it
  std::vector<worker_state> workers_;
  std::vector<worker_policy const*>
      unchecked_;              ///< by worker: its policy without the checker, for questions that it passes on
  std::uint64_t running_ = 0;  ///< busy workers
  std::vector<fiber> fibers_;
  std::vector<fiber_id> free_fibers_;
  node_table<group_state> groups_;
  std::vector<running_team> teams_;  ///< also those that have ended
  node_table<bool> away_;            ///< by child of a group: the share that starts with it has left its owner
  inherited_places places_;
};

}}}  // namespace skua::v0::sim
