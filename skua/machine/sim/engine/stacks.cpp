// SPDX-License-Identifier: MIT
// The simulator's busy workers: stacks of calls that meet groups and scopes, wait for them, and continue.
#include <algorithm>

#include "skua/machine/sim/engine/engine.hpp"
#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

/// Otherwise it counts its children one by one: a scope, or a finish region.
bool is_group(tree_node_kind k) { return k == tree_node_kind::join || k == tree_node_kind::each; }

}  // namespace

void engine::begin(worker_id w, item const& it, lane from) {
  invariant(lanes_.empty(w, lane::forks), "bare: the forks lane of an idle worker is empty");
  if (of(w).keeps_next) bypass_next(w);
  ++running_;
  watcher_.began(now_, w, it);
  bool const is_frame = it.content == item::kind::frame;
  if (is_frame) pay(w, operation::resume);
  fiber_id const f = of(w).stack = is_frame ? it.fiber : new_fiber();
  fibers_[f].tag = it.tag;
  if (!is_frame) {
    fibers_[f].team = it.team;
    fibers_[f].home = w;
  }
  if (trace_ != nullptr) [[unlikely]]
    note_begin(w, it, from);
  tell(w, begun{.task = it.tag, .open = std::exchange(fibers_[f].open, false)});
  if (is_frame) return;
  if (is_moldable(it)) count_partition(w, 1);
  if (it.content == item::kind::rest) {
    tree_node_id const group = program_[it.node].parent;
    fibers_[f].frames.push_back({.node = group, .next = it.node, .kind = program_[group].kind, .owner = false});
  } else {
    fibers_[f].frames.push_back({.node = no_tree_node, .next = it.node, .drops = it.dead});  // calls it, then ends
  }
}

fiber_id engine::new_fiber() {
  if (free_fibers_.empty()) {
    fibers_.emplace_back();
    return static_cast<fiber_id>(fibers_.size() - 1);
  }
  fiber_id const f = free_fibers_.back();
  free_fibers_.pop_back();
  fibers_[f].ran = 0;
  return f;
}

/// One move of a running stack.
void engine::step(worker_id w, fiber_id f) {
  invariant(!fibers_[f].frames.empty(), "a running stack holds a call");
  if (fibers_[f].spins) return park_at_barrier(w, f);
  frame& top = fibers_[f].frames.back();
  if (top.node == no_tree_node) {
    tree_node_id const child = top.next;
    bool const drops = top.drops;
    fibers_[f].frames.pop_back();
    return drops ? drop(w, f, child) : call(w, f, child);
  }
  tree_node_kind const k = top.kind;
  if (is_group(k)) return step_group(w, f);
  if (top.next == unknown_step) {
    if (trace_ != nullptr) [[unlikely]]
      trace_->program_runs(now_ + spent_);
    top.next = live_->next(f, w, now_ + spent_);
    grow();
  }
  if (top.next == at_barrier) {
    top.next = unknown_step;
    return arrive(w, f);
  }
  if (top.next != no_tree_node) return step_body(w, f);
  return k == tree_node_kind::task ? end_task(w, f) : end_scope(w, f);
}

/// Nodes are numbered in preorder, so a stack next meets the nodes after the one that it has just begun. Prefetches
/// them while other workers move: the hardware prefetcher follows fewer streams than there are stacks.
void engine::look_ahead(tree_node_id id) const {
  constexpr tree_node_id ahead = 6;  // two or three tasks of a binary tree
  tree_node_id const next = std::min(id + ahead, program_.size() - 1);
  __builtin_prefetch(&program_[next]);
  __builtin_prefetch(&result_.turns[next], 1);
}

/// Calls a task, leaf or step.
void engine::call(worker_id w, fiber_id f, tree_node_id id) {
  look_ahead(id);
  turn& t = result_.turns[id];
  tick const begin = now_ + spent_;
  if (trace_ != nullptr) [[unlikely]]
    note_call(w, id);
  tick const cost = prices_.run(begin, w, program_, id);
  ++t.times;
  t.worker = w;
  t.begin = begin;
  t.end = begin + cost;
  spent_ += cost;
  of(w).work += cost;
  result_.order.push_back(id);
  if (program_[id].kind != tree_node_kind::task) return;
  fibers_[f].frames.push_back({.node = id, .next = first_step(id)});
  if (live_ != nullptr) live_->calls(f, id);
}

/// Runs the next step of a task or of a scope's body.
void engine::step_body(worker_id w, fiber_id f) {
  frame& top = fibers_[f].frames.back();
  tree_node_id const id = top.next;
  top.next = step_after(id);
  switch (program_[id].kind) {
    case tree_node_kind::leaf:
    case tree_node_kind::step: return call(w, f, id);
    case tree_node_kind::task: return program_[id].region == no_tree_node ? fork_of_scope(w, f, id) : spawn(w, f, id);
    case tree_node_kind::join:
    case tree_node_kind::each:
      if (trace_ != nullptr) [[unlikely]]
        note_call(w, id);
      fibers_[f].frames.push_back({.node = id, .next = program_[id].first, .kind = program_[id].kind});
      if (program_[id].first != no_tree_node && unchecked_[index(w)]->sees_forks()) meet(w, f, id);
      return;
    case tree_node_kind::scope:
    case tree_node_kind::finish:
      if (trace_ != nullptr) [[unlikely]]
        note_call(w, id);
      fibers_[f].frames.push_back({.node = id, .next = first_step(id), .kind = program_[id].kind});
  }
}

// ---- groups --------------------------------------------------------------------------------------------------------

/// Exposes the group on top of the stack, or the scope that is about to fork its first child, to the policy.
void engine::meet(worker_id w, fiber_id f, tree_node_id group) {
  double total = 0;
  std::uint64_t n = 0;
  if (program_[group].kind != tree_node_kind::scope) {
    for (tree_node_id c = program_[group].first; c != no_tree_node; c = program_[c].next, ++n) {
      total += work_of(program_[c].hints);
    }
  }
  auto d = std::make_unique<exposed_group>();
  d->task = fibers_[f].tag;
  d->group = d->rest = of_worker(w).meet(d->task, total, n);
  watcher_.met(w, group, d->group);
  note(w, {.what = trace::kind::exposed, .value = n});
  if (n == 0) fibers_[f].tag = d->group;
  fibers_[f].frames.back().exposed = std::move(d);
}

/// One move of a group: returns from a child, then calls the next one, with the later ones open to thieves.
void engine::step_group(worker_id w, fiber_id f) {
  frame& top = fibers_[f].frames.back();
  if (top.pending != no_tree_node) return call(w, f, std::exchange(top.pending, no_tree_node));
  if (top.exposed && top.exposed->now == exposed_group::stage::placing) return place_next(w, f);
  if (top.exposed && top.exposed->now == exposed_group::stage::calling) child_returned(w, f);
  if (top.forked != no_tree_node) take_back(w, top);
  if (top.next == no_tree_node) return end_share(w, f);
  if (top.exposed && unchecked_[index(w)]->sees_forks()) {
    top.exposed->now = exposed_group::stage::placing;
    return place_next(w, f);
  }
  tree_node_id const child = std::exchange(top.next, no_tree_node);
  top.forked = program_[child].next;
  if (top.forked == no_tree_node) return call(w, f, child);
  pay(w, operation::fork);
  lanes_.push(w, lane::forks, {.content = item::kind::rest, .node = top.forked});
  offered(w);
  if (!preempts(w, f)) return call(w, f, child);
  top.pending = child;
}

/// Sends the next child of an exposed group away, alone; or calls it here, and makes one tagged entry of the later
/// children.
void engine::place_next(worker_id w, fiber_id f) {
  frame& top = fibers_[f].frames.back();
  if (top.next == no_tree_node) return end_share(w, f);
  exposed_group& d = *top.exposed;
  tree_node_id const child = std::exchange(top.next, program_[top.next].next);
  bool const is_last = top.next == no_tree_node;
  task_tag its = of_worker(w).mark(d.rest, program_[child].hints);
  placement const to = place(w, its, cause::forked);
  if (!is_last) pay(w, operation::expose);
  if (to.worker != w || to.lane == lane::migrated) {
    ++groups_[top.node].outstanding;
    top.shared = true;
    item const alone{.content = item::kind::child, .node = child, .tag = its};
    return to.worker != w ? send(w, alone, to, cause::forked) : put(w, alone, to, cause::forked);
  }
  d.now = exposed_group::stage::calling;
  fibers_[f].tag = d.child = its;
  if (is_last) return call(w, f, child);
  top.forked = std::exchange(top.next, no_tree_node);
  d.exposed_in = to.lane == lane::local ? lane::local : lane::forks;
  d.exposed_at = w;
  put(w, {.content = item::kind::rest, .node = top.forked, .tag = d.rest}, {.worker = w, .lane = d.exposed_in},
      cause::forked);
  call(w, f, child);
}

/// The child of an exposed group that was kept here has returned.
void engine::child_returned(worker_id w, fiber_id f) {
  exposed_group& d = *fibers_[f].frames.back().exposed;
  d.now = exposed_group::stage::continuing;
  tell(w, returned{d.child});
  fibers_[f].tag = d.rest;
}

/// The stack takes back the children after the one that has returned, unless a thief has taken them.
void engine::take_back(worker_id w, frame& top) {
  tree_node_id const rest = std::exchange(top.forked, no_tree_node);
  if (top.exposed && top.exposed->exposed_in == lane::local) {
    auto const back = lanes_.take(top.exposed->exposed_at, lane::local, end::newest,
                                  [=](item const& it) { return it.content == item::kind::rest && it.node == rest; });
    top.exposed->exposed_in = lane::forks;  // from now on as if it had not been exposed
    if (back) {
      top.next = rest;
    } else {
      top.shared = true;
      invariant(away_[rest], "one owner: what is gone from `local` is a share of its own");
    }
    return;
  }
  item const* const newest = lanes_.newest(w, lane::forks);
  bool const mine = newest != nullptr && newest->node == rest;
  pops_own(w, lane::forks, mine);
  if (mine) {
    top.next = lanes_.take(w, lane::forks, end::newest).node;
  } else {
    top.shared = true;
    invariant(away_[rest] && newest == nullptr, "oldest first: if my continuation is gone, all older ones are");
  }
}

/// This stack has no more child of the group to call.
void engine::end_share(worker_id w, fiber_id f) {
  frame& top = fibers_[f].frames.back();
  if (!top.owner) {
    group_state& g = groups_[top.node];
    fibers_[f].frames.pop_back();
    invariant(fibers_[f].frames.empty(), "a thief's share is the base of its stack");
    end_base(w, f, &g);
    return;
  }
  if (top.parked || !top.shared || groups_[top.node].outstanding == 0) return end_group(w, f);
  park(w, f, groups_[top.node]);
}

// ---- scopes --------------------------------------------------------------------------------------------------------

void engine::fork_of_scope(worker_id w, fiber_id f, tree_node_id child) {
  tree_node_id const scope = program_[child].parent;
  if (!fibers_[f].frames.back().exposed && unchecked_[index(w)]->sees_forks()) meet(w, f, scope);
  ++groups_[scope].outstanding;
  pay(w, operation::fork);
  lanes_.push(w, lane::spawned, {.content = item::kind::child, .node = child});
  offered(w);
  static_cast<void>(preempts(w, f));
}

/// The body of a scope or finish region has ended: calls the children that are still in this worker's lane, waits for the
/// others.
void engine::end_scope(worker_id w, fiber_id f) {
  tree_node_id const scope = fibers_[f].frames.back().node;
  group_state& g = groups_[scope];
  if (g.outstanding == 0) {
    end_group(w, f);
    return;
  }
  if (auto const first = take_own_ordered(w, scope)) {
    if (!first->dead) return call(w, f, first->node);
    --g.outstanding;
    return note_dead(w, first->node);
  }
  item const* const newest = lanes_.newest(w, lane::spawned);
  bool const mine =
      newest != nullptr && newest->content == item::kind::child && program_.group_of(newest->node) == scope;
  if (!mine) {
    park(w, f, g);
    return;
  }
  pops_own(w, lane::spawned, true);
  call(w, f, lanes_.take(w, lane::spawned, end::newest).node);
}

// ---- ends and waits ------------------------------------------------------------------------------------------------

void engine::end_task(worker_id w, fiber_id f) {
  tree_node_id const task = fibers_[f].frames.back().node;
  fibers_[f].frames.pop_back();
  result_.turns[task].end = now_ + spent_;
  if (task == 0) {
    result_.finished = true;
    result_.makespan = now_ + spent_ - result_.turns[0].begin;
    end_base(w, f, nullptr);
    return note(w, {.what = trace::kind::region_closed});
  }
  bool const is_base = fibers_[f].frames.empty();
  if (!is_base && is_group(fibers_[f].frames.back().kind)) return;  // its stack has called it, and goes on
  tree_node_id const group = program_.group_of(task);
  if (is_base) {
    if (is_member(f)) end_member(f, task);
    end_base(w, f, &groups_[group], live_ != nullptr && live_->has_failed(f));
  } else if (!is_group(program_[group].kind)) {
    --groups_[group].outstanding;
  }
}

/// The base of the stack has ended, and so has the stack; with it ends one share or child of `g` (null: no group
/// waits). `failed`: the task on it threw or was dropped.
void engine::end_base(worker_id w, fiber_id f, group_state* g, bool failed) {
  if (trace_ != nullptr) [[unlikely]]
    note_end(w, f);
  if (is_member(f)) tell_team_end(w, f, failed);
  tell(w,
       ended{.task = fibers_[f].tag, .duration_ns = (fibers_[f].ran + spent_) / rules_.ticks_per_ns, .failed = failed});
  leave_slot(w, f);
  if (is_member(f)) leave_team(w, f);
  free_fibers_.push_back(f);
  if (g == nullptr || --g->outstanding > 0 || g->waiting == no_fiber) return;
  fiber_id const woken = std::exchange(g->waiting, no_fiber);
  ++result_.workers[index(w)].resumes;
  if (is_member(woken)) return resume_at_home(w, woken);
  placement const to = place(w, fibers_[woken].tag, cause::resumed);
  item const it{.content = item::kind::frame, .fiber = woken, .tag = fibers_[woken].tag};
  to.worker == w ? begin(w, it, lane::forks) : send(w, it, to, cause::resumed);
}

/// Some share or child was taken from the owner of a complete group that was not exposed.
bool engine::is_stolen(frame const& top) { return is_group(top.kind) ? top.shared : groups_[top.node].stolen; }

/// The group or scope on top is complete: its task continues, here or elsewhere. The policy is asked only if the group
/// was exposed, or if a part of it was stolen.
void engine::end_group(worker_id w, fiber_id f) {
  fiber& stack = fibers_[f];
  frame const top = std::move(stack.frames.back());
  stack.frames.pop_back();
  if (top.exposed) {
    stack.tag = top.parked ? stack.tag : top.exposed->task;
    of_worker(w).leave(stack.tag, top.exposed->group);
    watcher_.left(w, top.node);
  }
  if (top.parked || (!top.exposed && !is_stolen(top))) return;  // parked: the policy was asked at the wake-up
  if (is_member(f)) return;
  placement const to = place(w, stack.tag, cause::resumed);
  if (to.worker == w) return;
  note(w, {.what = trace::kind::moved, .other = index(to.worker), .id = run_trace::id_of_frame(f)});
  leave_slot(w, f);
  send(w, {.content = item::kind::frame, .fiber = f, .tag = stack.tag}, to, cause::resumed);
}

/// The top of `f` must wait: the stack parks, and its worker becomes idle.
void engine::park(worker_id w, fiber_id f, group_state& g) {
  frame& top = fibers_[f].frames.back();
  top.parked = fibers_[f].open = true;
  g.waiting = f;
  ++result_.workers[index(w)].parks;
  pay(w, operation::park);
  note(w, {.what = trace::kind::parked, .id = run_trace::id_of_frame(f)});
  tell(w, waiting{});
  leave_slot(w, f);
  if (top.exposed) fibers_[f].tag = top.exposed->task;
}

/// The stack has just forked: it is preempted if the policy prefers the task in the worker's mailbox.
bool engine::preempts(worker_id w, fiber_id f) {
  if (lanes_.empty(w, lane::mailbox) || is_member(f) || !of_worker(w).preempts()) return false;
  ++result_.workers[index(w)].preempted;
  fibers_[f].open = true;
  note(w, {.what = trace::kind::parked, .id = run_trace::id_of_frame(f)});
  leave_slot(w, f);
  set_aside(w, {.content = item::kind::frame, .fiber = f, .tag = fibers_[f].tag});
  return true;
}

/// The stack leaves its worker. Calls below the top offered the entries of the forks lane (there are some only if the
/// top is a scope, or was preempted). Each entry becomes a share of its own: the stack may continue on another worker,
/// where it would not find them. Entries in `spawned` get their tags now if the policy is choosy, because the worker
/// will soon run another task, and publish that task's tag.
void engine::leave_slot(worker_id w, fiber_id f) {
  of(w).last = fibers_[f].tag.words[0];
  of(w).stack = no_fiber;
  --running_;
  if (of_worker(w).is_choosy()) set_aside(w, lane::spawned);
  set_aside(w, lane::forks);
}

/// Moves every entry of this lane, which has no room for tags, to another lane of the same worker.
void engine::set_aside(worker_id w, lane from) {
  if (lanes_.empty(w, from)) return;
  touches_own(w, from);
  taken_from_top(w, from);
  item_queue const all = lanes_.take_all(w, from);
  for (item it : all) {
    split_off(it);
    it.tag = {{of(w).last}};
    it.tag = of_worker(w).mark(it.tag, hint_of(it.node));
    set_aside(w, it);
  }
}

/// Puts one entry into the lane of the same worker that the policy names.
void engine::set_aside(worker_id w, item it) { put(w, it, place(w, it.tag, cause::preempted), cause::preempted); }

}}}  // namespace skua::v0::sim
