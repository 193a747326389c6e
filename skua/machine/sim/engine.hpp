// SPDX-License-Identifier: MIT
// The engine of the simulator: one game. States and invariants: simulator.md. Time and result: simulator.cpp;
// hunting, taking and placing: hunting.cpp; stacks of calls, groups and scopes: stacks.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "skua/machine/sim/calendar.hpp"
#include "skua/machine/sim/idlers.hpp"
#include "skua/machine/sim/lanes.hpp"
#include "skua/machine/sim/observer.hpp"
#include "skua/machine/sim/simulator.hpp"
#include "skua/machine/sim/unfolding.hpp"
#include "skua/machine/sim/validator.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::sim {

/// What a mind has written on a group that it was shown, and on what becomes of it.
struct exposed_group {
  enum class stage : std::uint8_t {
    placing,   ///< children are marked and placed, until one is kept
    calling,   ///< the one that was kept runs
    going_on,  ///< it has returned: those after it are placed as well, or run unshown if forks are not shown any more
  };
  task_tag task{};                ///< of the task that met the group
  task_tag group{};               ///< as the policy gave it
  task_tag rest{};                ///< of the children that are not placed yet
  task_tag child{};               ///< of the one that was kept
  lane exposed_in = lane::forks;  ///< where the rest was filed ...
  worker_id exposed_at{};         ///< ... and whose lane it was
  stage now = stage::placing;
};

/// One call that has not returned. A task or a scope's body: `next` is its next step. A group: `next` is the next child
/// to call, `forked` the first of those that were offered to thieves while a child runs.
struct frame {
  node_id node;  ///< no_node: the base of a stack that calls `next` and then ends
  node_id next;
  node_id forked = no_node;
  node_id pending = no_node;         ///< a child that is called next: the stack was laid aside when it forked
  node_kind kind = node_kind::task;  ///< of `node`
  bool owner = true;                 ///< false: the share of a group that a thief took
  bool parked = false;               ///< it has waited for others
  std::unique_ptr<exposed_group> shown = nullptr;  ///< of a group or scope, if the policy was shown it
};

/// A stack of calls, and the ticks that it took so far.
struct fiber {
  std::vector<frame> frames;
  task_tag tag{};     ///< what the policy has written on what runs on top
  bool open = false;  ///< its top waits for a group
  tick ran = 0;
};

/// The state of a group or scope, by its node.
struct gathering {
  std::uint32_t outstanding = 0;  ///< shares of a group, the owner's included; children of a scope
  bool stolen = false;            ///< some share or child was taken from its owner
  fiber_id waiting = no_fiber;    ///< the parked stack on whose top it waits
};

class engine {
 public:
  /// `live`: the program is found out while it is played, and `program` is its tree; null: it is all there.
  engine(task_tree const& program, unfolding* live, policy& scheduler, layout const& where, rules const& by,
         costs& priced_by, observer& watched_by);
  run_result run();

 private:
  // Time (simulator.cpp).
  void schedule(worker_id w, tick at);
  void move(worker_id w);
  void let_everybody_rest();
  void pay(worker_id w, operation what, worker_id whom);
  void pay(worker_id w, operation what) { pay(w, what, w); }
  void grow();

  // Searching and sleeping (hunting.cpp).
  void search_on(worker_id w);
  [[nodiscard]] bool nothing_for(worker_id w) const;
  void found(worker_id w);
  void offered(worker_id by);
  void wake(worker_id by, worker_id whom);

  // Hunting, taking, placing (hunting.cpp).
  void next_probe(worker_id w);
  [[nodiscard]] bool finds_something_for(worker_id w) const;
  [[nodiscard]] hint hint_of(node_id child) const;
  void count_steal(std::uint32_t distance);
  std::pair<outcome, std::optional<item>> execute(worker_id w, probe const& p);
  void receive(worker_id w, item taken, probe const& by);
  void split_off(item const& it);
  placement place(worker_id w, task_tag& task, cause why);
  void put(worker_id w, item const& what, placement const& to, cause why);
  void send(worker_id w, item const& what, placement const& to, cause why);
  void tell(worker_id w, event const& what);
  std::uint64_t published_by(worker_id w) const;

  // Stacks (stacks.cpp).
  void begin(worker_id w, item const& it);
  fiber_id new_fiber();
  void step(worker_id w, fiber_id f);
  void call(worker_id w, fiber_id f, node_id id);
  void look_ahead(node_id id) const;
  void step_body(worker_id w, fiber_id f);
  void step_group(worker_id w, fiber_id f);
  void meet(worker_id w, fiber_id f, node_id group);
  void place_next(worker_id w, fiber_id f);
  void come_back(worker_id w, fiber_id f);
  void take_back(worker_id w, frame& top);
  void end_share(worker_id w, fiber_id f);
  void fork_of_scope(worker_id w, fiber_id f, node_id child);
  void end_scope(worker_id w, fiber_id f);
  void end_task(worker_id w, fiber_id f);
  [[nodiscard]] node_id first_step(node_id id) const { return live_ != nullptr ? unknown_step : program_[id].first; }
  [[nodiscard]] node_id step_after(node_id id) const { return live_ != nullptr ? unknown_step : program_[id].next; }
  void end_base(worker_id w, fiber_id f, gathering* g);
  void end_group(worker_id w, fiber_id f);
  void park(worker_id w, fiber_id f, gathering& g);
  void leave_slot(worker_id w, fiber_id f);
  bool preempts(worker_id w, fiber_id f);
  void set_aside(worker_id w, lane from);
  void set_aside(worker_id w, item it);
  worker_policy& of_worker(worker_id w) { return validator_.of_worker(w); }

  task_tree const& program_;
  unfolding* live_;
  policy& scheduler_;
  layout const& where_;
  rules by_;
  costs& prices_;
  observer& watched_by_;
  dice roll_;
  validator validator_;
  run_result result_;

  calendar calendar_;
  tick now_ = 0;    ///< the begin of this move
  tick spent_ = 0;  ///< ... and what its worker has paid in it
  idlers idlers_;

  lanes lanes_;
  std::vector<fiber_id> stack_of_;   ///< by worker: what it runs
  std::vector<std::uint64_t> last_;  ///< by worker: first word of the tag of what it ran last
  std::uint64_t running_ = 0;        ///< workers that are not idle
  std::vector<fiber> fibers_;
  std::vector<fiber_id> free_fibers_;
  std::vector<gathering> gatherings_;
  std::vector<bool> away_;  ///< by child of a group: the share that it begins is not its owner's any more
  std::vector<std::optional<place_id>> place_of_;  ///< by node: what was said of it, or of what it is a part of
};

}  // namespace skua::sim
