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
      lanes_(where.workers()), cached_lines_(where.workers()), stack_of_(where.workers(), no_fiber),
      last_(where.workers(), 0), keeps_next_(where.workers()), places_(program) {
  for (std::uint32_t w = 0; w < where.workers(); ++w) last_victim_.push_back(worker_id{w});
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
  for (std::uint32_t w = 0; w < stack_of_.size(); ++w) schedule(worker_id{w}, 0);
  while (!result_.finished && validator_.content()) {
    worker_id const w = calendar_.first();
    now_ = calendar_.entry_of(w).time;
    if (now_ == calendar::never) {
      validator_.fault("all workers sleep");
      break;
    }
    spent_ = 0;
    if (std::uint64_t const times = heavy_fences_.interrupting(w, now_); times > 0 && interrupted(w, times)) continue;
    ++result_.moves;
    move(w);
    if (!idle_.sleeps(w)) schedule(w, now_ + spent_ + std::exchange(pause_, 0));
  }
  if (result_.finished) check_policies_rest();
  if (trace_ != nullptr && result_.finished) trace_->ends(result_.makespan, scheduler_.choices());
  result_.faults = validator_.take();
  return std::move(result_);
}

void engine::schedule(worker_id w, tick at) { calendar_.set(w, {at, roll_.next()}); }

/// Charges `w` for an operation on or for `whom`.
void engine::pay(worker_id w, operation what, worker_id whom) {
  tick const price = prices_.price(now_ + spent_, what, w, whom);
  result_.workers[index(w)].scheduling += price;
  spent_ += price;
}

/// One move of a worker: a probe, or a step of its stack.
void engine::move(worker_id w) {
  fiber_id const f = stack_of_[index(w)];
  if (f == no_fiber) {
    next_probe(w);
    if (running_ == 0 && lanes_.all_empty()) validator_.fault("no task runs, and none is queued");
    return;
  }
  step(w, f);
  if (trace_ != nullptr && stack_of_[index(w)] == no_fiber) acts(w, trace::kind::scheduling, now_ + spent_);
  result_.workers[index(w)].busy += spent_;
  fibers_[f].ran += spent_;
}

/// The program has ended: from now on every policy must rest soon.
void engine::check_policies_rest() {
  for (std::uint32_t w = 0; w < stack_of_.size() && validator_.content(); ++w) {
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
