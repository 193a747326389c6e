// SPDX-License-Identifier: MIT
// What a policy decides of tasks and fibers, carried out: tags, sending, moving. All of it is cold.
#include "skua/machine/threads/placement/moving.hpp"
#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::runtime {

void fiber::know(task_tag const& t) noexcept {
  tag_ = t;
  at().publish_tag(t.words[0]);
}

void fiber::begins(task_tag const& t, bool open) noexcept {
  tsan::unseen const scheduling;
  know(t);
  at().policy.learn(begun{t, open});
  at().update_exposure();
}

void fiber::task_ends() noexcept {
  tsan::unseen const scheduling;
  at().policy.learn(ended{.task = tag_, .duration_ns = 0});
  at().update_exposure();
}

placement fiber::place_again(worker_policy& by, task_tag& used) noexcept {
  tsan::unseen const scheduling;
  hint const hinted = stop_node::inherited(stop_);
  used = hinted.place ? by.mark(tag_, hinted) : tag_;
  placement const to = by.place(used, cause::resumed);
  if (!hinted.place) tag_ = used;  // a place that was hinted holds only inside: it is not for the fiber's own tag
  return to;
}

void fiber::relocate() noexcept {
  if (tied_) return;
  worker_slot& now = at();
  task_tag used;
  placement const to = place_again(now.policy, used);
  if (to.worker != now.id) now.who.move(static_cast<here&>(*this), to, used);
}

worker_slot& worker_slot::neighbour(worker_id number) noexcept { return in.slot_of(number); }

void worker_slot::notify_work() noexcept { in.notify_work(); }

void worker_slot::notify_worker_of_slot() noexcept {
  if (!who.of().sleep().notify_worker(who.number())) in.notify_work();
}

bool worker::send(worker_slot& from, tagged_entry const& what, placement const& to) noexcept {
  tsan::unseen const scheduling;
  return moving::send(from, what, to);
}

/// The running fiber, between two groups, goes on on another worker. Without a stack or memory for that it stays.
void worker::move(here& fiber, placement const& to, task_tag const& tag) noexcept {
  tsan::unseen const scheduling;
  stack* const fresh = moving::clear_lanes(fiber) ? take_stack() : nullptr;
  if (fresh == nullptr) return;
  frame f{fiber, current_stack_, false};
  leaving_ = {&f, to, tag};
  pause_work(fiber.at());
  current_stack_ = fresh;
  skua::runtime::start(next_, *fresh, &worker::fiber_main, this);
  switch_to(f.saved, next_, &worker::commit_move, this);
  f.resumed();
}

/// The frame is saved: from here on another worker may run it.
void worker::commit_move(void* self) noexcept {
  tsan::unseen const scheduling;
  auto& me = *static_cast<worker*>(self);
  frame& f = *me.leaving_.what;
  if (!moving::hand_over(f.fiber->at(), tagged_entry{&f, 1, me.leaving_.tag}, me.leaving_.to)) me.ready_ = &f;
}

void worker::preempt(here& fiber) noexcept {
  tsan::unseen const scheduling;
  task_tag its = fiber.tag();
  placement const to = fiber.at().policy.place(its, cause::preempted);
  if (to.worker == fiber.at().id && to.where == lane::local) move(fiber, to, its);
}

}  // namespace skua::runtime
