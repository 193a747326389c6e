// SPDX-License-Identifier: MIT
// Cost model of the simulated machine: the engine asks how long an operation takes, a model answers. `flat_costs`
// charges the constants of `rules`; model/ has caches, memory and prices taken from real machines.
#pragma once

#include <cstdint>
#include <span>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// Virtual time. `rules` define its unit; on a machine model a tick is a picosecond.
using tick = std::uint64_t;

/// What a scheduler does besides the program's own work.
enum class operation : std::uint8_t {
  fork,         ///< offer a child, or the rest of a group, and later find it still there
  spawn,        ///< offer a task of a finish region, and later find it; comparisons not included
  compare,      ///< ask which of two tasks goes first
  expose,       ///< mark and place one child of an exposed group
  pop,          ///< take an entry from one's own lane, or the region's
  steal,        ///< take an entry from `whom`
  miss,         ///< look into a lane of `whom` that is empty
  look,         ///< read one more cache line that `whom` writes: to see another of its lanes, or where to search
  send,         ///< put a task or fiber into a lane of `whom`
  park,         ///< leave a waiting fiber
  resume,       ///< continue a fiber
  rest,         ///< the pause before the next look, when nothing is left to try
  notify,       ///< the waker's cost of waking `whom`
  wake_up,      ///< ... and the delay until `whom` runs
  fence,        ///< the extra cost of a pop from one's own deque while thieves may come, on top of `pop` and `fork`
  heavy_fence,  ///< make one other processor execute a fence; 0: there are no heavy fences
  heavy_fence_each,  ///< ... and each further one
  interrupt,         ///< what another worker's heavy fence costs a running worker
};

/// Which side pays for the fences that make steals safe. (parts/queue/deque.md, docs/decisions/0002)
enum class deque_kind : std::uint8_t {
  biased,  ///< as on threads: the first thief, with a heavy fence if the owner does not answer; then the owner's pops
  thief_fences,  ///< every attempt on a non-empty deque takes a heavy fence
  owner_fences,  ///< every pop takes a fence, as where the kernel has no membarrier
};

class costs {
 public:
  virtual ~costs() = default;

  /// The leaf, step or task `id` begins on `w` at `now`; returns the ticks of its own work. The engine asks in the
  /// order of time, once for every node that begins, so a model may remember which worker ran what before.
  virtual tick run(tick now, worker_id w, task_tree const& program, tree_node_id id) = 0;

  /// Called before the run: memory that was written before, and the memory that the program gave to places of `where`.
  /// Only models with memory use it.
  virtual void own(std::span<owned_range const>, layout const& /*where*/) {}

  /// The time until which leaves that have begun touch pages for the first time; 0: none does. Only models with memory
  /// know.
  [[nodiscard]] virtual tick first_touches_until() const noexcept { return 0; }

  /// `w` executes another operation at `now`, on or for `whom` (often itself).
  virtual tick price(tick now, operation what, worker_id w, worker_id whom) = 0;
};

/// Flat prices, the seed, and when the validator stops a run.
struct rules {
  std::uint64_t seed = 1;                ///< decides which worker moves first when several could at the same tick
  skua::unit unit = skua::unit::leaves;  ///< in which unit the nodes of the tree are weighed ...
  double units_per_tick = 1;             ///< ... and how many units a worker does per tick (rounded up per node)
  tick fork_ticks = 1;
  tick probe_ticks = 1;                    ///< at least 1; also the price of a rest
  std::uint32_t lost_per_mille = 0;        ///< of the steals that would succeed: they are lost as to another thief
  std::uint64_t most_fruitless = 0;        ///< probes in a row that may fail while there is work, or without a rest;
                                           ///< 0: 1000 + 200 * workers
  bool slot_refusals_allowed = true;       ///< false: placing a task in an occupied mailbox is a fault
  tick spin_ticks = ~tick{0};              ///< how long a worker searches before it sleeps; default: forever
  tick ticks_per_ns = 1;                   ///< converts the durations that policies learn
  std::uint64_t barrier_spin_ns = 20'000;  ///< how long a team's member waits at a barrier before it leaves its worker
  deque_kind deques = deque_kind::biased;
  tick fence_ticks = 0;
  tick heavy_fence_ticks = 0;  ///< 0: steals cost no fence, whatever the deques
  tick interrupt_ticks = 0;
};

/// The ticks of node `id`'s own work.
tick ticks_of(task_tree const& program, tree_node_id id, rules const& by) noexcept;

/// The prices of the rules: constants, for any worker and victim.
class flat_costs final : public costs {
 public:
  explicit flat_costs(rules const& by) : rules_(by) {}
  tick run(tick, worker_id, task_tree const& program, tree_node_id id) override {
    return ticks_of(program, id, rules_);
  }
  tick price(tick, operation what, worker_id, worker_id) override {
    switch (what) {
      case operation::fork:
      case operation::spawn:
      case operation::expose: return rules_.fork_ticks;
      case operation::pop:
      case operation::steal:
      case operation::miss:
      case operation::look:
      case operation::rest: return rules_.probe_ticks;
      case operation::compare:
      case operation::send:
      case operation::park:
      case operation::resume:
      case operation::notify:
      case operation::wake_up:
      case operation::heavy_fence_each: break;
      case operation::fence: return rules_.fence_ticks;
      case operation::heavy_fence: return rules_.heavy_fence_ticks;
      case operation::interrupt: return rules_.interrupt_ticks;
    }
    return 0;
  }

 private:
  rules rules_;
};

}}}  // namespace skua::v0::sim
