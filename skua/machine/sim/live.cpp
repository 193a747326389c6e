// SPDX-License-Identifier: MIT
#include "skua/machine/sim/live.hpp"

#include <utility>

#include "skua/machine/sim/here.hpp"
#include "skua/machine/sim/run_trace.hpp"
#include "skua/parts/base/assert.hpp"

namespace skua { inline namespace v0 { namespace sim {
namespace {

using clock = std::chrono::steady_clock;

}  // namespace

struct live_fiber {
  explicit live_fiber(live& all) : program(all), self(all, *this) {}

  live& program;
  here self;
  runtime::context saved;  ///< while it does not run
  runtime::stack* stack = nullptr;
  tree_node_id ordered = no_tree_node;    ///< the task that the engine wants called next
  tree_node_id announced = no_tree_node;  ///< its next node
  worker_id worker{};
  bool has_room = false;           ///< for a call, at its last spawn
  bool has_failed = false;         ///< the task that ended last
  clock::time_point resumed_at{};  ///< when measured: the end of its last node
};

// ---- groups --------------------------------------------------------------------------------------------------------

bool stop_watch::requested() const noexcept {
  for (stop_watch const* w = this; w != nullptr; w = w->outer) {
    if ((w->group != nullptr && w->group->ending()) || (w->token != nullptr && w->token->stop_requested())) return true;
  }
  return false;
}

bool live_group::run(std::uint64_t i, here& on) {
  if (watch_.requested()) {
    dropped_ = ending_ = true;
    return false;
  }
  try {
    call(i, on);
    return true;
  } catch (cancelled const&) {
    dropped_ = ending_ = true;
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
    ending_ = true;
  }
  return false;
}

void live_group::check() const {
  if (failure_) std::rethrow_exception(failure_);
  if (dropped_) throw cancelled{};
}

// ---- the program ---------------------------------------------------------------------------------------------------

live::live(std::uint32_t workers, timing measured, std::size_t stack_bytes, assumed_ns assumed)
    : workers_(workers), measured_(measured), assumed_(assumed), called_(1), stacks_(stack_bytes) {
  tree_[0].ns = assumed_.task;
}

/// All fibers wait for a call, unless the run was stopped midway. They cannot be unwound then, because their frames
/// refer to each other; their stacks are leaked.
live::~live() {
  quitting_ = true;
  for (auto& s : fibers_) {
    if (s->saved.entry != nullptr) {  // it has never run
      runtime::stack* const on = s->saved.stack;
      runtime::forget(s->saved);
      stacks_.give(on);
    } else if (s->self.node_ == no_tree_node) {
      next_on(*s);
    }
  }
}

void live::begin_with(live_group& root) { called_[0] = {&root, 0}; }

tree_node_id live::add_child(tree_node_id of, hint const& hint, live_group& in, std::uint64_t number) {
  return add_task(tree_.add(of, tree_node_kind::task, hint), in, number);
}

tree_node_id live::add_spawned(tree_node_id by, tree_node_id region, hint const& hinted, live_group& in,
                               std::uint64_t number) {
  return add_task(tree_.add_spawned(by, region, hinted), in, number);
}

std::uint32_t live::address_keys(tree_node_id node) const noexcept {
  if (!derives_addresses_) return 0;
  for (; node != no_tree_node; node = tree_[node].parent) {
    hint const& own = tree_[node].hints;
    if (own.address || own.place || own.type) return 0;
  }
  return 4 * workers_;
}

tree_node_id live::add_task(tree_node_id id, live_group& in, std::uint64_t number) {
  tree_[id].ns = assumed_.task;
  called_.resize(tree_.size());
  called_[id] = {&in, number};
  return id;
}

void live::calls(fiber_id stack, tree_node_id task) {
  while (stack >= fibers_.size()) {
    auto fresh = std::make_unique<live_fiber>(*this);
    fresh->stack = stacks_.take();
    runtime::start(fresh->saved, *fresh->stack, base_loop, fresh.get());
    fibers_.push_back(std::move(fresh));
  }
  live_fiber& s = *fibers_[stack];
  invariant(s.ordered == no_tree_node, "live: a stack receives an order only after it has taken the one before");
  s.ordered = task;
}

tree_node_id live::next(fiber_id stack, worker_id on, tick now) {
  live_fiber& s = *fibers_[stack];
  s.worker = on;
  now_ = now;
  next_on(s);
  return s.announced;
}

bool live::has_failed(fiber_id stack) const { return fibers_[stack]->has_failed; }

/// A call of a task nests on its spawner's stack, so a spawn runs inline only if there is room.
spawn_request live::spawned(fiber_id stack, tree_node_id task) {
  called const what = called_[task];
  spawn_request asked = what.group->spawned(what.number);
  asked.may_be_call = asked.may_be_call && fibers_[stack]->has_room;
  return asked;
}

void live::drops(tree_node_id task) { called_[task].group->drop(called_[task].number); }

bool live::is_moldable(tree_node_id task) const {
  called const& what = called_[task];
  return what.group->is_moldable(what.number);
}

tree_node_id live::forms_team(tree_node_id task, std::uint32_t width) {
  called const what = called_[task];
  std::uint64_t const number = what.group->form_team(what.number, width);
  hint const hinted = tree_[task].hints;
  tree_node_id const first = tree_.size();
  for (std::uint32_t m = 0; m < width; ++m) add_spawned(task, tree_[task].region, hinted, *what.group, number + m);
  return first;
}

bool live::is_inside(tree_node_id node, tree_node_id of) const noexcept {
  while (node != of && tree_[node].kind != tree_node_kind::task) node = tree_[node].parent;
  return node == of;
}

void live::next_on(live_fiber& s) {
  runtime::thread_record* const outer = runtime::current_thread();
  if (outer == nullptr) runtime::set_current_thread(&record_);
  running_ = &s;
  publish();
  runtime::switch_to(engine_, s.saved, nullptr, nullptr);
  acquire();
  running_ = nullptr;
  if (outer == nullptr) runtime::set_current_thread(nullptr);
}

/// The base of every stack calls tasks, one after the other.
void live::base_loop(void* of_fiber) noexcept {
  live_fiber& s = *static_cast<live_fiber*>(of_fiber);
  live& me = s.program;
  me.acquire();
  if (me.measured_ == timing::on) s.resumed_at = clock::now();
  while (!me.quitting_) {
    invariant(s.ordered != no_tree_node, "live: a stack that is asked for a step has an order");
    me.run(s, std::exchange(s.ordered, no_tree_node));
    me.yield(s, no_tree_node);
  }
  me.publish();
  runtime::leave_to(s.saved, me.engine_, release_stack, &s);
}

void live::release_stack(void* of_fiber) noexcept {
  live_fiber& s = *static_cast<live_fiber*>(of_fiber);
  s.program.stacks_.give(s.saved.stack);
}

void live::run(live_fiber& s, tree_node_id task) {
  called const what = called_[task];
  here& h = s.self;
  tree_node_id const at = std::exchange(h.node_, task);
  stop_watch const* const watch = std::exchange(h.watch_, what.group->watch());
  s.has_failed = !what.group->run(what.number, h);
  if (measured_ == timing::on) h.end_step();
  h.watch_ = watch;
  h.node_ = at;
}

/// Switches to the engine. When the engine switches back, it has ordered a call, or the node is over.
void live::yield(live_fiber& s, tree_node_id step) {
  s.announced = step;
  publish();
  runtime::switch_to(s.saved, engine_, nullptr, nullptr);
  acquire();
  if (measured_ == timing::on) s.resumed_at = clock::now();
}

/// Calls the children of the group on top that the engine orders on this stack.
void live::call_children(live_fiber& s) {
  while (s.ordered != no_tree_node) {
    run(s, std::exchange(s.ordered, no_tree_node));
    yield(s, no_tree_node);
  }
}

// ---- here ----------------------------------------------------------------------------------------------------------

tree_node_id here::open(tree_node_kind kind) {
  charge_time();
  return program_.add(node_, kind);
}

void here::yield(tree_node_id step) { program_.yield(fiber_, step); }

void here::meet(tree_node_id group) {
  program_.yield(fiber_, group);
  program_.call_children(fiber_);
}

void here::body_ends() {
  charge_time();
  program_.yield(fiber_, no_tree_node);
  program_.call_children(fiber_);
}

bool here::is_running_inside(tree_node_id node) const noexcept {
  return program_.running_ == &fiber_ && program_.is_inside(node_, node);
}

void here::spawn(tree_node_id region, hint const& hinted, live_group& in, std::uint64_t number) {
  charge_time();
  tree_node_id const task = program_.add_spawned(node_, region, hinted, in, number);
  fiber_.has_room = fiber_.stack->has_room_for_calls();
  program_.yield(fiber_, task);
  program_.call_children(fiber_);
}

void here::wait_for_team(tree_node_id member) {
  runtime::expects(is_running_inside(member), "team.barrier: is called by the member itself, not by its children");
  charge_time();
  program_.yield(fiber_, at_barrier);
}

/// Makes a step of the code that ran since the last node.
void here::end_step() {
  auto const elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - fiber_.resumed_at).count();
  if (elapsed <= 0) return;
  tree_node_id const id = program_.add(node_, tree_node_kind::step);
  program_.tree_[id].ns = static_cast<std::uint64_t>(elapsed);
  program_.yield(fiber_, id);
}

/// A member of a team has counted itself as ended: its virtual time is over.
void here::forget_time() { fiber_.resumed_at = clock::time_point::max(); }

void here::measure(tree_node_id leaf) {
  auto const elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - fiber_.resumed_at).count();
  program_.tree_[leaf].ns = static_cast<std::uint64_t>(elapsed > 0 ? elapsed : 0);
}

run_trace* here::trace_of_run() const noexcept { return program_.trace_; }

void note_mark(here& h, char const* name, std::uint64_t number) noexcept {
  if (h.trace_of_run() != nullptr) h.trace_of_run()->mark(h.fiber_.worker, name, number);
}

std::uint32_t begin_traced_flow(here& h) noexcept {
  return h.trace_of_run() == nullptr ? 0 : h.trace_of_run()->next_flow();
}

std::uint32_t name_in_trace(here& h, std::string_view text) noexcept { return h.trace_of_run()->name(text); }

std::uint64_t trace_ticks(here const& h) noexcept { return h.trace_of_run()->program_at(); }

void note_event(here& h, trace::event const& e, char const* name) noexcept {
  h.trace_of_run()->note_of_program(h.trace_of_run()->program_at(), h.fiber_.worker, e, name);
}

void note_event_at(here& h, trace::event const& e) noexcept {
  h.trace_of_run()->note_of_program(e.ticks, h.fiber_.worker, e, nullptr);
}

worker_id here::worker() const noexcept { return fiber_.worker; }

}}}  // namespace skua::v0::sim
