// SPDX-License-Identifier: MIT
#include "skua/policy/adws/adws.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "skua/parts/base/assert.hpp"
#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace adws {
namespace {

constexpr search_step own[] = {{lane::mailbox, after_lost::same_lane},
                               {lane::local, after_lost::same_lane},
                               {lane::spawned, after_lost::same_lane},
                               {lane::migrated, after_lost::same_lane},
                               {lane::inbox, after_lost::same_lane}};
constexpr search_step theirs[] = {{lane::mailbox}, {lane::migrated}, {lane::local}, {lane::forks}, {lane::spawned}};
constexpr std::uint8_t from_migrated = 1;  ///< of `theirs`: the mailbox only for a root that waits too long
constexpr std::uint8_t from_forks = 3;     ///< while nothing has ever been in the lanes before
constexpr search_step own_again[] = {{lane::mailbox, after_lost::same_lane}, {lane::migrated, after_lost::same_lane}};
constexpr search_order order{.own = own, .theirs = theirs, .own_again = own_again};

/// A worker that may steal fetches the root from worker 0's mailbox after this many rounds. Worker 0 usually wakes up
/// sooner: on threads the rounds take some 20 ms, because a worker that may not take what it sees naps between two
/// rounds.
constexpr std::uint32_t patience = 500;

/// A worker to which tasks are allocated regularly searches only its own lanes for this many rounds before it steals:
/// about 1.5 us on threads. That is short beside a steal of data in another worker's cache.
constexpr std::uint32_t steal_delay = 16;
/// Regularly: this many consecutive waits have ended with an allocated task. The first one is for the worker's first
/// task.
constexpr std::uint32_t regular_waits = 4;

/// A worker to which nothing has been allocated for this many rounds, with an open group around it all the time, steals in groups
/// that are not active, too. About 20 us on threads: longer than it takes to send tasks to all workers, and than most
/// leaves of cg and heat, whose owners search until their first leaf has ended.
constexpr std::uint32_t greedy_after = 200;
/// While memory is touched for the first time it begins to count them after this many rounds: some 12 ms on threads, where such a
/// worker naps between two rounds.
constexpr std::uint32_t greedy_after_touches = 300;

/// No more groups than this enclose each other with different numbers of workers.
constexpr std::uint32_t most_wider = 64;

bool has_several_nodes(layout const& where) noexcept {
  for (std::uint32_t w = 1; w < where.workers(); ++w) {
    if (where.numa_of(worker_id{w}) != where.numa_of(worker_id{0})) return true;
  }
  return false;
}

/// True for a task that was allocated to this worker: it has work of its own again.
bool is_allocated(probe const& taken) noexcept {
  return taken.kind == action::pop && (taken.lane == lane::mailbox || taken.lane == lane::migrated);
}

}  // namespace

common::common(layout const& where, adws_options const& chosen)
    : workers(where.workers()), options(chosen), line(where, chosen.by_speed),
      watches_first_touches(chosen.steal && chosen.widen == widening::carefully && has_several_nodes(where)),
      ranges(where.workers()), root(ranges, where.workers()) {}

worker_state::worker_state(common& shared, worker_id self, std::uint64_t seed)
    : common_(shared), self_(self), roll_(dice_of(seed, self)), round_(self, order), ranges_around_(self),
      may_widen_(shared.options.widen != widening::never && !shared.watches_first_touches) {}

// ---- deterministic task allocation [adws-sc19 4.2] -----------------------------------------------------------------

task_tag worker_state::meet(task_tag& task, double total_work, std::uint64_t n) noexcept {
  tag_fields c = tag_fields::read(task);
  common_.will_place();
  equal_shares_ = !(total_work > 0);
  remaining_ = equal_shares_ ? static_cast<double>(n) : total_work;
  is_searching_ = true;
  if (c.is_root) common_.ranges.deactivate(c.group);
  if (c.is_search_root()) {
    // The root has a node of its own for its waits outside of groups.
    group_id const opened =
        c.is_root ? common_.ranges.open(self_, c.range, c.group) : common_.ranges.nest(self_, c.range, c.group);
    if (opened.node == none) {
      c.is_fixed = true;  // too deep: all children stay here
    } else {
      c.group = innermost_ = opened;
    }
  }
  c.is_root = c.is_outside = false;
  if (n == 0) end_search();  // a scope's tasks are not divided: they are to be stolen
  return c.written();
}

double worker_state::share_of(hint const& hint) noexcept {
  double const mine = equal_shares_ ? 1 : work_of(hint);
  double const before = std::exchange(remaining_, remaining_ - mine);
  return before;
}

task_tag worker_state::mark(task_tag& parent, hint const& hint) noexcept {
  last_mark_ = {.parent = parent, .address = hint.address, .remaining = remaining_};
  if (!is_searching_) return parent;
  tag_fields rest = tag_fields::read(parent);
  double const before = share_of(hint);
  tag_fields child = rest;
  if (rest.is_search_root()) {
    child.range.right = common_.line.cut(rest.range, before - remaining_, before);
    rest.range.left = child.range.right;
  }
  parent = rest.written();
  return child.written();
}

placement worker_state::place(task_tag& task, cause why) noexcept {
  tag_fields c = tag_fields::read(task);
  switch (why) {
    case cause::forked: {
      if (!is_searching_ || c.is_fixed || c.is_free) return {.worker = self_, .lane = lane::local};
      std::uint32_t const owner = c.range.owner();
      if (owner == index(self_)) return {.worker = self_, .lane = lane::local};
      return {.worker = worker_id{owner}, .lane = c.range.spans() ? lane::mailbox : lane::migrated};
    }
    case cause::injected: return place_root(c, task, true);
    case cause::called: return place_root(c, task, index(self_) == 0);
    case cause::resumed: return place_resumed(c, task);
    case cause::bypassed:
    case cause::preempted: common_.will_place(); return {.worker = self_, .lane = lane::local};
    case cause::released:
    case cause::unblocked: return place_released(task);
    case cause::seeded: return {.worker = self_, .lane = lane::spawned};
    case cause::stolen: return place_stolen(c, task);
    case cause::chosen:
    case cause::next: break;  // it asks for neither
    case cause::refused: runtime::invariant(false, "one slot"); break;
  }
  return {.worker = self_, .lane = lane::inbox};
}

/// A task of a finish region, or a node of a flow, is not divided and belongs to the group of the task that spawns it.
/// Its address is a point of that task's range: the lowest address is the left end, where a group's first child is.
/// [arms-2021 3.1]
placement worker_state::place_released(task_tag& task) noexcept {
  end_search();                       // as in a scope: spawned tasks are to be stolen
  remaining_ = last_mark_.remaining;  // this task takes no work from its parent's group
  tag_fields c = tag_fields::read(last_mark_.parent);
  task = last_mark_.parent;
  if (!last_mark_.address || c.is_free || c.group.node == none || !c.range.spans())
    return {.worker = self_, .lane = lane::spawned};
  common_.will_place();
  c.is_fixed = true;  // it keeps the whole range: the tasks that it releases have addresses, too
  c.is_root = c.is_outside = false;
  task = c.written();
  double const at = std::ldexp(static_cast<double>((*last_mark_.address).fraction), -32);
  double const point = common_.line.point_in(c.range, at);
  return {.worker = worker_id{range{point, point}.owner()}, .lane = lane::migrated};
}

/// Places a task from outside. It becomes the root of the region's computation and starts on worker 0, unless the
/// region has a root already or the task must stay on this worker.
placement worker_state::place_root(tag_fields& c, task_tag& task, bool may_be_root) noexcept {
  c = {.range = common_.root.all()};
  c.is_outside = true;
  auto const opened = common_.root.open(may_be_root);
  if (!opened) {
    set_free(c, task);
    return {.worker = self_, .lane = lane::inbox};
  }
  c.is_root = true;
  c.group = *opened;
  task = c.written();
  if (index(self_) != 0) common_.root.waits(task.words[0]);
  return {.worker = worker_id{0}, .lane = lane::mailbox};
}

/// A task from outside that is not spread: any worker may steal from it.
void worker_state::set_free(tag_fields& c, task_tag& task) noexcept {
  c.is_root = false;
  c.is_free = true;
  task = c.written();
}

/// Worker 0 may be busy in another region, or wait there for this very root: the thief frees the root.
placement worker_state::place_stolen(tag_fields& c, task_tag& task) noexcept {
  if (c.is_root && common_.root.is_waiting(task.words[0])) {
    common_.root.is_fetched(c.group);
    set_free(c, task);
  }
  return {.worker = self_, .lane = lane::inbox};
}

/// A group of this task has ended: the task returns to the owner of its range (return migration), unless the group's
/// tasks may already be stolen from outside. [adws-sc19 4.2.2, 4.3.1]
placement worker_state::place_resumed(tag_fields& c, task_tag& task) noexcept {
  placement const own_inbox{.worker = self_, .lane = lane::inbox};
  if (!c.is_search_root()) return own_inbox;
  if (may_be_stolen_from_outside(c)) {
    c.is_fixed = true;
    task = c.written();
    return own_inbox;
  }
  worker_id const owner{c.range.owner()};
  if (owner == self_) return own_inbox;
  common_.will_place();  // what it has offered goes to `local`
  return {.worker = owner, .lane = lane::mailbox};
}

/// True if a group around this task is active: its tasks may be stolen from outside of its range. The root has no such
/// group.
bool worker_state::may_be_stolen_from_outside(tag_fields const& c) const noexcept {
  return !c.is_root && common_.ranges.active_from(c.group);
}

void worker_state::leave(task_tag const& task, task_tag const& group) noexcept {
  tag_fields const c = tag_fields::read(task);
  group_id const opened = tag_fields::read(group).group;
  if (opened != c.group) common_.ranges.close(opened);
  innermost_ = c.group;
  is_searching_ = false;
  may_divide_ = c.is_search_root() && c.range.owner() == index(self_) && !may_be_stolen_from_outside(c);
}

/// Without stealing no group becomes active, and every search-root returns to its owner.
void worker_state::activate(group_id group) noexcept {
  if (common_.options.steal) common_.ranges.activate(group);
}

/// Lets the workers of the innermost group steal from each other. [adws-sc19 4.3.1]
void worker_state::end_search() noexcept {
  if (may_divide_) activate(innermost_);
  is_searching_ = may_divide_ = false;
}

/// The end of a task ends a search; a search-root that ends activates its group's range. [adws-sc19 4.3.1]
void worker_state::child_ended(tag_fields const& c) noexcept {
  end_search();
  if (c.is_search_root()) activate(c.group);
}

// ---- hierarchical localized work stealing [adws-sc19 4.3] -----------------------------------------------------------

bool worker_state::admits(std::uint64_t first_word) const noexcept {
  if (first_word == everybody || (fetches_root_ && common_.root.is_waiting(first_word))) return true;
  return steal_range_ && !anywhere_ && common_.ranges.is_inside(node_of(first_word), steal_range_->id);
}

probe worker_state::next_probe() noexcept { return round_.chosen(); }  // in `learn`

/// Chooses as many victims as the steal range has other workers, uniformly. The range is found anew before each victim;
/// if it may be widened, each search includes one more enclosing group. If there are free tasks, one victim among all
/// workers follows. A worker that delays its steals gets no victim for some rounds.
std::optional<victim> worker_state::choose_victim(victim_request why) noexcept {
  fetches_root_ = why == victim_request::first && root_waits_long();
  if (fetches_root_) return victim{.worker = worker_id{0}, .is_last = true};
  if (!common_.options.steal) return {};
  if (why == victim_request::first) {
    bool const waits = common_.options.delays_steals && allocated_waits_ == regular_waits && idle_rounds_ < steal_delay;
    idle_rounds_ = std::min(idle_rounds_ + 1, steal_delay);
    if (waits) return {};
    tries_ = 0;
  }
  auto const among = [this](std::uint32_t first, std::uint32_t others) {
    std::uint32_t const v = first + roll_.below(others);
    worker_id const chosen{v < index(self_) ? v : v + 1};
    return victim{
        .worker = chosen, .first_step = common_.has_placed() ? from_migrated : from_forks, .is_last = anywhere_};
  };
  steal_range_ = ranges_around_.find(common_.ranges, roll_, wider_);
  if (why == victim_request::first) waits_one_more_round();
  if (!steal_range_ && is_greedy()) steal_range_ = ranges_around_.find_inactive(common_.ranges, wider_);
  std::uint32_t const others = steal_range_ ? steal_range_->range.leftmost() - steal_range_->range.owner() : 0;
  anywhere_ = false;
  if (tries_ < others) {
    wider_ = may_widen_ || is_greedy() ? std::min(wider_ + 1, most_wider) : 0;
    ++tries_;
    return among(steal_range_->range.owner(), others);
  }
  anywhere_ = common_.workers > 1 && common_.root.any_free_task();
  if (!anywhere_) return {};
  return among(0, common_.workers - 1);
}

/// Called once per round: the round has found nothing so far.
void worker_state::waits_one_more_round() noexcept {
  if (common_.options.widen == widening::never) return;
  if (!may_widen_ && touching_rounds_ < greedy_after_touches) {
    ++touching_rounds_;
    return;
  }
  bool const has_group = steal_range_ || ranges_around_.find_inactive(common_.ranges, 0);
  empty_rounds_ = has_group ? std::min(empty_rounds_ + 1, greedy_after) : 0;
}

/// Tasks may be ready that nobody takes by the paper's rule: the search in which they were cut goes on for long, or memory is
/// touched for the first time.
bool worker_state::is_greedy() const noexcept { return empty_rounds_ >= greedy_after; }

/// Called once per round, when the round comes to its victims.
bool worker_state::root_waits_long() noexcept {
  bool const waits = index(self_) != 0 && common_.root.any_waits();
  root_waits_ = waits ? root_waits_ + 1 : 0;
  if (root_waits_ < patience) return false;
  root_waits_ = 0;
  return true;
}

void worker_state::found(probe const& where) noexcept {
  if (is_allocated(where)) {
    wider_ = 0;
    empty_rounds_ = touching_rounds_ = 0;
    if (idle_rounds_ > 0) allocated_waits_ = std::min(allocated_waits_ + 1, regular_waits);
  } else if (where.kind == action::steal) {
    allocated_waits_ = 0;
  }
  idle_rounds_ = 0;
}

void worker_state::learn(event const& seen) noexcept {
  ranges_around_.forget_lines();
  if (auto const* p = std::get_if<probed>(&seen)) {
    if (p->outcome == runtime::outcome::got) found(p->probe);
    return round_.choose_next(*p, [this](victim_request why) { return choose_victim(why); });
  }
  if (auto const* r = std::get_if<rested>(&seen)) {
    may_widen_ = !r->first_touches;
    return;
  }
  if (std::holds_alternative<waiting>(seen) || std::holds_alternative<spawning>(seen)) return end_search();
  if (std::holds_alternative<found_beside>(seen)) {
    idle_rounds_ = 0;
    return round_.restart();
  }
  if (auto const* b = std::get_if<begun>(&seen)) {
    tag_fields const c = tag_fields::read(b->task);
    innermost_ = c.group;
    ranges_around_.was_in(c.group.node);
    is_searching_ = false;
    may_divide_ = !b->open && c.is_search_root() && c.range.owner() == index(self_);
    if (c.is_root) common_.root.begins(b->task.words[0]);
  } else if (auto const* r = std::get_if<returned>(&seen)) {
    child_ended(tag_fields::read(r->child));
  } else if (auto const* e = std::get_if<ended>(&seen)) {
    tag_fields const c = tag_fields::read(e->task);
    c.is_outside ? outside_ended(c) : child_ended(c);
  }
}

void worker_state::outside_ended(tag_fields const& c) noexcept {
  is_searching_ = may_divide_ = false;
  c.is_root ? common_.root.ends(c.group) : common_.root.free_task_ends();
}

}  // namespace adws

almost_deterministic::almost_deterministic(layout const& where, std::uint64_t seed, adws_options const& chosen)
    : shared_(where, chosen) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(shared_, worker_id{w}, seed);
}

}}}  // namespace skua::v0::policies
