// SPDX-License-Identifier: MIT
// What a policy decides of tasks and strands, carried out: tags, sending, moving. All of it is cold.
#include <utility>

#include "skua/machine/threads/crew.hpp"
#include "skua/machine/threads/worker.hpp"
#include "skua/parts/context/sanitizer.hpp"

namespace skua::threads {

void strand::know(tag const& t) noexcept {
  tag_ = t;
  seat_->show_tag(t.words[0]);
}

void strand::begins(tag const& t, bool open) noexcept {
  tsan::unseen const scheduling;
  know(t);
  seat_->thinks.learn(begun{t, open});
  seat_->ask_whether_to_show();
}

void strand::task_ends() noexcept {
  tsan::unseen const scheduling;
  seat_->thinks.learn(ended{.task = tag_, .duration_ns = 0});
  seat_->ask_whether_to_show();
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
  seat& now = *seat_;
  tag used;
  placement const to = place_again(now.thinks, used);
  if (to.worker != now.id) now.who.move(static_cast<here&>(*this), to, used);
}

/// Puts what the policy has placed on another worker there; asks again while a slot is occupied. False: it stays here,
/// because the policy wants that after all, or there is no memory. Only frames and tasks from outside go to an inbox.
bool worker::send(seat& from, filed what, placement to, cause) noexcept {
  tsan::unseen const scheduling;
  for (;;) {
    if (to.worker == from.id) return false;
    invariant(index(to.worker) < from.in.workers(), "a policy places on a worker of the region");
    seat& its = from.in.seat_of(to.worker);
    bool sent = false;
    switch (to.where) {
      case lane::slot:
        sent = its.slot.push_if_empty(what);
        if (sent && from.thinks.gives_way()) its.poke();  // what runs there shall look up
        if (sent) break;
        to = from.thinks.place(what.known, cause::refused);
        continue;
      case lane::inbox:
        if (what.what->is == &frame::kind) {
          its.inbox.push(static_cast<frame&>(*what.what));
          sent = true;
          break;
        }
        [[fallthrough]];
      case lane::migrated:
      case lane::kept:
      case lane::forks:
      case lane::spawned:
      case lane::injected: sent = (to.where == lane::kept ? its.kept : its.migrated).push(what); break;
    }
    if (sent) wake_for(its);
    return sent;
  }
}

/// Something was put into a lane of this seat for its own worker. If it can be stolen, any other may come instead.
void worker::wake_for(seat& its) noexcept {
  dormitory<>& beds = its.who.crew_.beds();
  if (!beds.notify_worker(its.who.number())) its.in.call_help();
}

/// The running strand, between two groups, goes on on another worker. Without a stack or memory for that it stays.
void worker::move(here& strand, placement const& to, tag const& known) noexcept {
  tsan::unseen const scheduling;
  bool const offered = strand.at().offer_open_joins([&] { static_cast<void>(strand.make_room()); });
  strand.note_thefts();
  if (offered) tag_offers(strand);
  stack* const fresh = offered ? take_stack() : nullptr;
  if (fresh == nullptr) return;
  frame f{strand, current_stack_, false};
  moving_ = {&f, to, known};
  pause_work(strand.at());
  current_stack_ = fresh;
  skua::start(next_, *fresh, &worker::strand_main, this);
  switch_to(f.saved, next_, &worker::commit_move, this);
  f.resumed();
}

/// The frame is saved: from here on another worker may run it.
void worker::commit_move(void* self) noexcept {
  auto& me = *static_cast<worker*>(self);
  frame& f = *me.moving_.what;
  seat& its = f.strand->at();
  filed const what{&f, 1, me.moving_.known};
  bool const is_aside = me.moving_.to.worker == its.id;
  if (!(is_aside ? its.kept.push(what) : send(its, what, me.moving_.to, cause::resumed))) me.ready_ = &f;
}

void worker::lay_aside(here& strand) noexcept {
  tsan::unseen const scheduling;
  tag its = strand.known();
  placement const to = strand.at().thinks.place(its, cause::laid_aside);
  if (to.worker == strand.at().id && to.where == lane::kept) move(strand, to, its);
}

/// What a strand has offered in `spawned` before it leaves its worker: where the policy chooses by tags, it gets the tag
/// under which it was shown. Without memory for that it stays.
void worker::tag_offers(here& strand) noexcept {
  seat& s = strand.at();
  if (!s.thinks.gives_way()) return;
  entry oldest;
  while (s.spawned.peek(oldest)) {
    if (s.spawned.outside().steal(oldest) != outcome::got) continue;
    if (s.kept.push({static_cast<task*>(oldest.task), oldest.extra, {{strand.known().words[0]}}})) continue;
    if (s.spawned.push(oldest.task, oldest.extra)) static_cast<void>(strand.make_room());
    return;
  }
}

}  // namespace skua::threads
