// SPDX-License-Identifier: MIT
// One run of the simulator: the worker that moves next, and the current time.
#include "skua/machine/sim/engine/engine.hpp"

#include <utility>

#include "skua/machine/sim/costs.hpp"

namespace skua { inline namespace v0 { namespace sim {

engine::engine(task_tree const& program, stepped_program* live, policy& scheduler, layout const& where, rules const& by,
               costs& prices, observer& watcher)
    : program_(program), live_(live), scheduler_(scheduler), needs_(scheduler.needs()), layout_(where), rules_(by),
      prices_(prices), watcher_(watcher), roll_(by.seed), validator_(scheduler, where.workers(), by),
      calendar_(where.workers()), trace_(watcher.trace()), idle_(where.workers()), heavy_fences_(where.workers()),
      lanes_(where.workers()), cached_lines_(where.workers()), workers_(where.workers()), places_(program) {
  for (std::uint32_t w = 0; w < where.workers(); ++w) {
    workers_[w].last_victim = worker_id{w};
    workers_[w].policy = &validator_.of_worker(worker_id{w});
    unchecked_.push_back(&scheduler.of_worker(worker_id{w}));
  }
  result_.workers.resize(where.workers());
  result_.steals_by_distance.resize(1);
  validator_.watch(*this);
  price_fences();
  order_tasks();
  grow();
}

/// Makes room for the state of new nodes.
void engine::grow() { result_.turns.resize(program_.size()); }

run_result engine::run() {
  result_.order.reserve(program_.size());
  if (live_ != nullptr) live_->begins(trace_, rules_.ticks_per_ns);
  if (trace_ != nullptr) trace_->begins(scheduler_.name());
  lanes_.push(worker_id{0}, lane::injected, {.content = item::kind::child, .node = 0});
  for (std::uint32_t w = 0; w < workers_.size(); ++w) schedule(worker_id{w}, 0);
  while (!result_.finished && validator_.content() && moves_next()) {}
  for (std::uint32_t w = 0; w < workers_.size(); ++w) {
    result_.workers[w].busy = workers_[w].busy;
    result_.workers[w].work = workers_[w].work;
    result_.workers[w].scheduling = workers_[w].scheduling;
  }
  if (result_.finished) check_policies_rest();
  if (trace_ != nullptr && result_.finished) trace_->ends(result_.makespan, scheduler_.choices());
  result_.faults = validator_.take();
  return std::move(result_);
}

void engine::schedule(worker_id w, tick at) { calendar_.set(w, {at, roll_.next()}); }

/// The earliest worker moves; false: none can.
[[gnu::hot]] bool engine::moves_next() {
  worker_id const w = calendar_.first();
  now_ = calendar_.time();
  if (now_ == calendar::never) [[unlikely]] {
    validator_.fault("all workers sleep");
    return false;
  }
  spent_ = 0;
  if (std::uint64_t const times = heavy_fences_.interrupting(w, now_); times > 0 && interrupted(w, times)) return true;
  ++result_.moves;
  move(w);
  if (of(w).stack != no_fiber || !idle_.sleeps(w)) schedule(w, now_ + spent_ + std::exchange(pause_, 0));
  expect(w);
  return true;
}

/// Most of a run was once waiting for memory: of a thousand workers each finds its state in a far cache. So the record of a
/// worker is fetched some moves ahead, and then what the record points to.
void engine::expect(worker_id moved) {
  note_top(moved);
  worker_id const later = calendar_.after(calendar::known - 1);
  __builtin_prefetch(&of(later));
  lanes_.fetch(later);
  worker_id const soon = calendar_.after(calendar::known / 2 - 1);
  worker_state const& next = of(soon);
  if (next.stack == no_fiber) return;
  lanes_.fetch_newest_fork(soon);
  __builtin_prefetch(unchecked_[index(soon)]);
  __builtin_prefetch(&fibers_[next.stack]);
  __builtin_prefetch(next.top);
  __builtin_prefetch(&program_[next.soon]);
  __builtin_prefetch(&result_.turns[next.soon], 1);
}

void engine::note_top(worker_id w) {
  worker_state& its = of(w);
  if (its.stack == no_fiber) return;
  fiber const& stack = fibers_[its.stack];
  if (stack.frames.empty()) return;
  frame const& top = stack.frames.back();
  its.top = &top;
  its.soon = top.next < at_barrier ? top.next : top.node;
  // The next move may be the very next one.
  __builtin_prefetch(&program_[its.soon]);
  __builtin_prefetch(&result_.turns[its.soon], 1);
  __builtin_prefetch(&top - 1);
}

/// Charges `w` for an operation on or for `whom`.
void engine::pay(worker_id w, operation what, worker_id whom) {
  tick const price = prices_.price(now_ + spent_, what, w, whom);
  of(w).scheduling += price;
  spent_ += price;
}

/// One move of a worker: a probe, or a step of its stack.
void engine::move(worker_id w) {
  fiber_id const f = of(w).stack;
  if (f == no_fiber) {
    next_probe(w);
    if (running_ == 0 && lanes_.all_empty()) validator_.fault("no task runs, and none is queued");
    return;
  }
  step(w, f);
  if (trace_ != nullptr && of(w).stack == no_fiber) acts(w, trace::kind::scheduling, now_ + spent_);
  of(w).busy += spent_;
  fibers_[f].ran += spent_;
}

/// The program has ended: from now on every policy must rest soon.
void engine::check_policies_rest() {
  for (std::uint32_t w = 0; w < workers_.size() && validator_.content(); ++w) {
    worker_policy& m = of_worker(worker_id{w});
    give_up_steal(worker_id{w});
    for (bool rests = false; !rests && validator_.content();) {
      probe const p = m.next_probe();
      rests = p.kind == action::rest;
      if (!rests) m.learn(probed{p, outcome::empty});
      validator_.answered(worker_id{w}, p, outcome::empty, false);
    }
  }
}

}}}  // namespace skua::v0::sim
