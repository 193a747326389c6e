// SPDX-License-Identifier: MIT
#include "skua/machine/sim/simulator.hpp"

#include <algorithm>
#include <cmath>

#include "skua/machine/sim/engine.hpp"
#include "skua/machine/sim/flat_costs.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::sim {

engine::engine(task_tree const& program, unfolding* live, policy& scheduler, layout const& where, rules const& by,
               costs& priced_by, observer& watched_by)
    : program_(program), live_(live), scheduler_(scheduler), where_(where), by_(by), prices_(priced_by),
      watched_by_(watched_by), roll_(by.seed), validator_(scheduler, where.workers(), by), calendar_(where.workers()),
      idlers_(where.workers()), lanes_(where.workers()), stack_of_(where.workers(), no_fiber),
      last_(where.workers(), 0) {
  result_.workers.resize(where.workers());
  result_.steals_by_distance.resize(1);
  grow();
}

/// Room for what is known of the nodes that are new.
void engine::grow() {
  std::size_t const before = place_of_.size();
  if (before == program_.size()) return;
  result_.turns.resize(program_.size());
  gatherings_.resize(program_.size());
  away_.resize(program_.size());
  place_of_.resize(program_.size());
  for (auto i = static_cast<node_id>(before); i < program_.size(); ++i) {
    node const& n = program_[i];
    place_of_[i] = n.hints.place || n.parent == no_node ? n.hints.place : place_of_[n.parent];
  }
}

run_result engine::run() {
  result_.order.reserve(program_.size());
  lanes_.push(worker_id{0}, lane::injected, {.what = item::kind::child, .node = 0});
  for (std::uint32_t w = 0; w < stack_of_.size(); ++w) schedule(worker_id{w}, 0);
  while (!result_.finished && validator_.content()) {
    worker_id const w = calendar_.first();
    now_ = calendar_.of(w).at;
    if (now_ == calendar::never) {
      validator_.fault("everybody sleeps");
      break;
    }
    spent_ = 0;
    ++result_.moves;
    move(w);
    if (!idlers_.sleeps(w)) schedule(w, now_ + spent_);
  }
  if (result_.finished) let_everybody_rest();
  result_.faults = validator_.take();
  return std::move(result_);
}

void engine::schedule(worker_id w, tick at) { calendar_.set(w, {at, roll_.next()}); }

/// What `w` does besides the program's work, to or for `whom`.
void engine::pay(worker_id w, operation what, worker_id whom) {
  tick const price = prices_.price(now_ + spent_, what, w, whom);
  result_.workers[index(w)].scheduling += price;
  spent_ += price;
}

/// One move of a worker.
void engine::move(worker_id w) {
  fiber_id const f = stack_of_[index(w)];
  if (f == no_fiber) {
    next_probe(w);
    if (running_ == 0 && lanes_.all_empty()) validator_.fault("nothing runs, and nothing can");
    return;
  }
  step(w, f);
  result_.workers[index(w)].busy += spent_;
  fibers_[f].ran += spent_;
}

/// The program has ended: now every mind must soon have had enough of looking.
void engine::let_everybody_rest() {
  for (std::uint32_t w = 0; w < stack_of_.size() && validator_.content(); ++w) {
    worker_policy& m = of_worker(worker_id{w});
    for (bool rests = false; !rests && validator_.content();) {
      probe const p = m.next_probe();
      rests = p.what == action::rest;
      if (!rests) m.learn(probed{p, outcome::empty});
      validator_.answered(worker_id{w}, p, outcome::empty, false);
    }
  }
}

tick ticks_of(task_tree const& program, node_id id, rules const& by) noexcept {
  constexpr double most = 1e15;
  return static_cast<tick>(std::min(std::ceil(program.amount(id, by.in) / by.units_per_tick), most));
}

run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by) {
  observer nobody;
  return run(program, scheduler, where, by, nobody);
}

run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by,
               observer& watched_by) {
  if (by.probe_ticks == 0) {
    throw usage_error("tabletop: probe_ticks is 0, but must be at least 1, or idle workers stop the clock");
  }
  if (!(by.units_per_tick > 0) || !std::isfinite(by.units_per_tick)) {
    throw usage_error("tabletop: units_per_tick must be a positive finite number");
  }
  flat_costs prices(by);
  return run(program, scheduler, where, by, prices, watched_by);
}

run_result run(task_tree const& program, policy& scheduler, layout const& where, rules const& by, costs& priced_by,
               observer& watched_by) {
  if (by.lost_per_mille >= 1000) throw usage_error("tabletop: lost_per_mille must be below 1000, or no steal succeeds");
  return engine(program, nullptr, scheduler, where, by, priced_by, watched_by).run();
}

run_result run(unfolding& program, policy& scheduler, layout const& where, rules const& by, costs& priced_by,
               observer& watched_by) {
  return engine(program.tree(), &program, scheduler, where, by, priced_by, watched_by).run();
}

}  // namespace skua::sim
