// SPDX-License-Identifier: MIT
// The simulator's finish regions: how tasks are spawned, and taken in the order of their strategies. Rules: simulator.md.
#include <cstdint>
#include <optional>

#include "skua/machine/sim/engine/engine.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

/// A store keeps pointers, and never dereferences them.
void* as_pointer(tree_node_id task) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(task)); }
tree_node_id as_node(void* task) { return static_cast<tree_node_id>(reinterpret_cast<std::uintptr_t>(task)); }
item item_of(runtime::taken_task const& taken) {
  return {.content = item::kind::child, .dead = taken.is_dead, .node = as_node(taken.task)};
}

}  // namespace

/// The same store as on threads, if the policy needs it.
void engine::order_tasks() {
  if (!needs_.lanes.has(lane::ordered)) return;
  for (std::uint32_t w = 0; w < layout_.workers(); ++w) {
    ordered_.push_back(
        std::make_unique<runtime::ordered_lane>(worker_id{w}, layout_.distances_from(worker_id{w}), needs_.strategies));
  }
  if (needs_.urgency_us == 0 || layout_.workers() == 1) return;
  urgency_ = std::make_unique<runtime::region_urgency>(layout_.workers());
  for (auto const& mine : ordered_) {
    mine->exchange_urgent(*urgency_, std::uint64_t{1000} * needs_.urgency_us * rules_.ticks_per_ns);
  }
}

/// The running task has spawned another one: it runs inline if the policy says so, else it is offered.
void engine::spawn(worker_id w, fiber_id f, tree_node_id task) {
  spawn_request const asked = live_ != nullptr ? live_->spawned(f, task) : spawn_request{};
  worker_counters& counts = result_.workers[index(w)];
  ++groups_[program_[task].region].outstanding;
  ++counts.spawns;
  bool const is_foreign = place_worker(w, task).value_or(w) != w;
  if (asked.may_be_call && !is_foreign && !ordered_.empty() && needs_.strategies &&
      of_worker(w).calls_instead(asked.task.weight, ordered_[index(w)]->size())) {
    ++counts.conversions;
    return call(w, f, task);
  }
  pay(w, operation::spawn);
  bool const is_first_of_order = needs_.declared_only && asked.is_declared;
  if (!is_first_of_order && is_asked(task))
    return release(w, f, task, asked.is_unblocked ? cause::unblocked : cause::released);
  if (!ordered_.empty() && (asked.is_declared || !needs_.declared_only)) {
    if (needs_.declared_only) tell(w, policies::ordered_here{});
    push_ordered(w, task, asked.task);
    return offered(w);
  }
  lanes_.push(w, lane::spawned, {.content = item::kind::child, .node = task});
  offered(w);
  static_cast<void>(preempts(w, f));
}

/// True if the policy chooses the lane of such a task.
bool engine::is_asked(tree_node_id task) const {
  return policies::asks_about(needs_.released, program_[task].hints.address.has_value(),
                              live_ != nullptr && live_->is_moldable(task));
}

/// The policy chooses the lane of the spawned task.
void engine::release(worker_id w, fiber_id f, tree_node_id task, cause why) {
  task_tag parent = fibers_[f].tag;
  item it{.content = item::kind::child, .node = task, .tag = of_worker(w).mark(parent, hint_of(task))};
  placement const to = place(w, it.tag, why, is_moldable(it));
  if (to.width > 1) {
    form_team(w, it, to, why);
  } else if (to.worker != w) {
    send(w, it, to, why);
  } else if (to.lane == lane::migrated || to.lane == lane::nodes) {
    put(w, it, to, why);
  } else if (to.lane == lane::local ||
             to.lane == lane::next) {  // as on threads, nobody is woken for it until it is bypassed
    lanes_.push(w, to.lane, it);
    of(w).keeps_next = true;
    watcher_.put(now_, w, to, it, why);
  } else {
    lanes_.push(w, lane::spawned, it);
    offered(w);
  }
  static_cast<void>(preempts(w, f));
}

/// The worker begins something else before what it keeps in `local` or `next`: others may take that now.
void engine::bypass_next(worker_id w) {
  of(w).keeps_next = false;
  auto const is_released = [](item const& it) { return it.content == item::kind::child; };
  for (lane const kept : {lane::local, lane::next}) {
    for (std::size_t left = lanes_.items_of(w, kept).size(); left > 0; --left) {
      std::optional<item> next = lanes_.take(w, kept, end::newest, is_released);
      if (!next) break;
      pay(w, operation::pop);
      put(w, *next, place(w, next->tag, cause::bypassed), cause::bypassed);
    }
  }
}

/// A worker of the task's place: `w` if it belongs to the place; none if there is no hint.
std::optional<worker_id> engine::place_worker(worker_id w, tree_node_id task) {
  std::optional<place_id> const place = places_.of(task);
  if (!place || index(*place) >= layout_.places()) return {};
  return layout_.place_of(w) == *place ? w : layout_.workers_of(*place).front();
}

/// To who looks into this lane: swept tasks, which are dead, count as well, since their groups wait for them.
void engine::show_ordered(worker_id w) {
  runtime::ordered_lane const& its = *ordered_[index(w)];
  lanes_.set_ordered(w, its.size() + its.swept());
}

void engine::push_ordered(worker_id w, tree_node_id task, runtime::offered_task offered) {
  runtime::ordered_lane& mine = *ordered_[index(w)];
  std::uint64_t const before = mine.comparisons(w);
  offered.task = as_pointer(task);
  offered.group = as_pointer(program_[task].region);
  offered.place = place_worker(w, task);
  if (!mine.push(offered)) throw std::bad_alloc();
  show_ordered(w);
  pay_comparisons(w, mine.comparisons(w) - before);
}

/// Before a pop, as on threads: brings a more urgent task of another worker here. A look at the board costs one line that another
/// worker has changed; a task that it finds costs a steal and a spawn, and the comparisons of its push.
void engine::bring_urgent(worker_id w) {
  if (urgency_ == nullptr) return;
  runtime::ordered_lane& mine = *ordered_[index(w)];
  std::uint64_t const compared = mine.comparisons(w);
  std::uint64_t const looked = mine.looks();
  std::uint64_t const had_swept = mine.swept();
  std::optional<runtime::brought_task> const brought = mine.bring_urgent([this] { return now_ + spent_; });
  if (mine.looks() != looked) spent_ += prices_.price(now_, operation::look, w, brought ? brought->from : w);
  // Dead tasks that it has found are swept here, also where nothing was brought.
  if (mine.swept() != had_swept) {
    for (std::uint32_t v = 0; v < ordered_.size(); ++v) show_ordered(worker_id{v});
  }
  if (!brought) return;
  show_ordered(w);
  show_ordered(brought->from);
  pay_comparisons(w, mine.comparisons(w) - compared);
  pay(w, operation::steal, brought->from);
  pay(w, operation::spawn);
  ++result_.workers[index(w)].steals;
  count_steal(layout_.distance(w, brought->from));
}

/// Takes from a lane that strategies order: one task, or half of another worker's work. Pays for the comparisons, and
/// for each task that moves between stores the price of a spawn.
std::pair<outcome, std::optional<item>> engine::take_ordered(worker_id w, probe const& p) {
  std::uint64_t const published = published_by(p.victim);
  bool const steals = p.kind == action::steal;
  if (steals && !of_worker(w).admits(published)) return {outcome::barred, {}};
  runtime::ordered_lane& mine = *ordered_[index(w)];
  runtime::ordered_lane& victim = *ordered_[index(p.victim)];
  std::uint64_t const before = mine.comparisons(p.victim);
  std::uint64_t const had = mine.size();
  runtime::taken_task taken;
  outcome const how = !steals                         ? mine.pop(taken)
                      : p.amount == amount::half_work ? mine.steal_half(p.victim, victim, taken)
                                                      : mine.steal(p.victim, victim, taken);
  show_ordered(w);
  show_ordered(p.victim);
  pay_comparisons(w, mine.comparisons(p.victim) - before);
  for (std::uint64_t moved = had; steals && moved < mine.size(); ++moved) pay(w, operation::spawn);
  if (how != outcome::got) return {how, {}};
  item out = item_of(taken);
  if (steals) out.tag = {{published}};
  return {how, out};
}

/// The body of a scope or region has ended: takes the first task of this worker's order, if it belongs to the region.
/// Pays for it.
std::optional<item> engine::take_own_ordered(worker_id w, tree_node_id region) {
  if (ordered_.empty() || program_[region].kind != tree_node_kind::finish) return {};
  bring_urgent(w);
  runtime::ordered_lane& mine = *ordered_[index(w)];
  std::uint64_t const before = mine.comparisons(w);
  runtime::taken_task taken;
  outcome const how = mine.pop_of(as_pointer(region), taken);
  pay_comparisons(w, mine.comparisons(w) - before);
  show_ordered(w);
  if (how != outcome::got) return {};
  return item_of(taken);
}

void engine::pay_comparisons(worker_id w, std::uint64_t n) {
  tick const price = n * prices_.price(now_ + spent_, operation::compare, w, w);
  of(w).scheduling += price;
  spent_ += price;
}

/// The task that the stack was to begin is dead.
void engine::drop(worker_id w, fiber_id f, tree_node_id task) {
  note_dead(w, task);
  end_base(w, f, &group_of(task), true);
}

/// The dead task counts as run, and takes no time.
void engine::note_dead(worker_id w, tree_node_id task) {
  turn& t = result_.turns[task];
  ++t.times;
  t.worker = w;
  t.begin = t.end = now_ + spent_;
  ++result_.workers[index(w)].dead;
  result_.order.push_back(task);
  if (live_ != nullptr) live_->drops(task);
}

}}}  // namespace skua::v0::sim
