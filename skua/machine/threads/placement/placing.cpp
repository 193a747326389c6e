// SPDX-License-Identifier: MIT
// What a policy decides of tasks and strands, carried out: tags, sending, moving. All of it is cold.
#include "skua/machine/threads/placement/moving.hpp"
#include "skua/machine/threads/pool/pool_core.hpp"
#include "skua/machine/threads/worker/worker.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::threads {

void strand::know(tag const& t) noexcept {
  tag_ = t;
  at().show_tag(t.words[0]);
}

void strand::begins(tag const& t, bool open) noexcept {
  tsan::unseen const scheduling;
  know(t);
  at().thinks.learn(begun{t, open});
  at().ask_whether_to_show();
}

void strand::task_ends() noexcept {
  tsan::unseen const scheduling;
  at().thinks.learn(ended{.task = tag_, .duration_ns = 0});
  at().ask_whether_to_show();
}

placement strand::place_again(mind& by, tag& used) noexcept {
  tsan::unseen const scheduling;
  hint const said = stop_node::inherited(stop_);
  used = said.place ? by.mark(tag_, said) : tag_;
  placement const to = by.place(used, cause::resumed);
  if (!said.place) tag_ = used;  // a place that was said holds only inside: it is not for the strand's own tag
  return to;
}

void strand::settle() noexcept {
  if (tied_) return;
  seat& now = at();
  tag used;
  placement const to = place_again(now.thinks, used);
  if (to.worker != now.id) now.who.move(static_cast<here&>(*this), to, used);
}

seat& seat::neighbour(worker_id local) noexcept { return in.seat_of(local); }

void seat::call_help() noexcept { in.call_help(); }

void seat::call_its_worker() noexcept {
  if (!who.of().beds().notify_worker(who.number())) in.call_help();
}

bool worker::send(seat& from, filed const& what, placement const& to) noexcept {
  tsan::unseen const scheduling;
  return moving::send(from, what, to);
}

/// The running strand, between two groups, goes on on another worker. Without a stack or memory for that it stays.
void worker::move(here& strand, placement const& to, tag const& known) noexcept {
  tsan::unseen const scheduling;
  stack* const fresh = moving::clear_lanes(strand) ? take_stack() : nullptr;
  if (fresh == nullptr) return;
  frame f{strand, current_stack_, false};
  leaving_ = {&f, to, known};
  pause_work(strand.at());
  current_stack_ = fresh;
  skua::start(next_, *fresh, &worker::strand_main, this);
  switch_to(f.saved, next_, &worker::commit_move, this);
  f.resumed();
}

/// The frame is saved: from here on another worker may run it.
void worker::commit_move(void* self) noexcept {
  tsan::unseen const scheduling;
  auto& me = *static_cast<worker*>(self);
  frame& f = *me.leaving_.what;
  if (!moving::hand_over(f.strand->at(), filed{&f, 1, me.leaving_.known}, me.leaving_.to)) me.ready_ = &f;
}

void worker::lay_aside(here& strand) noexcept {
  tsan::unseen const scheduling;
  tag its = strand.known();
  placement const to = strand.at().thinks.place(its, cause::laid_aside);
  if (to.worker == strand.at().id && to.where == lane::kept) move(strand, to, its);
}

}  // namespace skua::threads
