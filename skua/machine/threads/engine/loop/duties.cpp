// SPDX-License-Identifier: MIT
// Implements lane/duties.hpp: what a worker does for the fibers that run on it.
#include "skua/machine/threads/lane/duties.hpp"

#include "skua/machine/threads/engine/core/region.hpp"
#include "skua/machine/threads/engine/core/worker.hpp"
#include "skua/machine/threads/engine/core/worker_slot.hpp"

namespace skua { inline namespace v0 { namespace runtime {

namespace {

/// Every object with this base is a worker slot.
worker_slot& whole(duties& d) noexcept { return static_cast<worker_slot&>(d); }
worker_slot const& whole(duties const& d) noexcept { return static_cast<worker_slot const&>(d); }

}  // namespace

fiber* duties::running_fiber() noexcept {
  worker* const w = worker::current();
  return w == nullptr ? nullptr : &w->running_fiber();
}

void duties::begin(activity what) noexcept { whole(*this).worker.begin(what); }
bool duties::notify_work() noexcept { return whole(*this).region.notify_work(); }
void duties::ask_all_to_poll() noexcept { whole(*this).region.request_attention(); }

bool duties::send(tagged_entry& entry, placement const& to) noexcept { return worker::send(whole(*this), entry, to); }
void duties::send_home(frame& f) noexcept { worker::send_home(f); }

bool duties::park(fiber& waiting, group& g, std::uint64_t mine) noexcept {
  return whole(*this).worker.park(waiting, g, mine);
}
void duties::wait_in_place(fiber& waiting, group& g, std::uint64_t mine) noexcept {
  worker::wait_in_place(waiting, g, mine);
}
void duties::wait_alone(fiber& waiting, group const& g, std::uint64_t mine) noexcept {
  whole(*this).worker.wait_alone(waiting, g, mine);
}
void duties::say_why(wait_reason const& why) noexcept { whole(*this).worker.keep_reason(why); }

void duties::move(fiber& running, placement const& to, task_tag const& tag) noexcept {
  whole(*this).worker.move(running, to, tag);
}
void duties::preempt(fiber& running) noexcept { whole(*this).worker.preempt(running); }

bool duties::has_room_for_calls() const noexcept { return whole(*this).worker.has_room_for_calls(); }
bool duties::turns_away() const noexcept { return whole(*this).worker.turns_away(whole(*this)); }
bool duties::may_go_on() const noexcept {
  worker_slot const& s = whole(*this);
  return !s.has_ready() && s.worker.may_go_on_in(s.region);
}
bool duties::other_regions_wait() const noexcept {
  worker_slot const& s = whole(*this);
  return s.worker.other_regions_wait(s.region);
}

}}}  // namespace skua::v0::runtime
