// SPDX-License-Identifier: MIT
// What a worker does when it is out of work: it searches for a while, then sleeps; before it sleeps it looks once more for
// work, its own and that of other workers (sleep.md, S3 and S5). Generic in the worker, so that work_search_model.cpp can supply its own.
#pragma once

#include <cstdint>
#include <utility>

#include "skua/machine/threads/engine/sleep/sleep.hpp"
#include "skua/machine/threads/lane/region_looks.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct work_search {
  /// Searches until a task is found. A result whose `slot` is null means that the pool closes.
  template <class Worker>
  static typename Worker::found find_work(Worker& me) noexcept {
    auto& all = me.pool();
    bool searching = me.was_woken();
    bool woken = searching;
    if (searching && all.closing()) return {};  // see the last comment of this function
    std::uint64_t began = 0;
    for (;;) {
      me.refresh_regions();
      if (me.stands_down(searching)) [[unlikely]] {
        if (all.closing()) return {};
        searching = woken = true;
        began = 0;
        continue;
      }
      typename Worker::found const f = find(me);
      if (f.slot != nullptr) {
        if (searching) me.counts().wakeups_sent.add(all.sleep().found(left_by(woken, f)));
        return f;
      }
      me.leave_finish();  // a waiter for the tasks that we counted must not wait for the next task, too
      if (all.closing()) return {};
      std::uint64_t const now = Worker::now_ns();
      me.note_failed_round(now);
      if (began == 0) began = now;
      if (me.is_barred()) {  // other workers must not rely on it as a searcher
        if (std::exchange(searching, false)) me.counts().wakeups_sent.add(all.sleep().found());
        me.short_sleep(now - began);
        continue;
      }
      if (!std::exchange(searching, true)) all.sleep().start_search();
      if (now - began < all.spin_ns()) {
        began += me.back_off(now);
        continue;
      }
      woken = me.fall_asleep();
      // A pool that closes has no work left. If each of the n workers that are woken then looked at all lanes first,
      // closing would cost n^2 looks.
      if (all.closing()) return {};
      began = 0;
    }
  }

  /// One round: a ready frame resumes before any task begins (next_step.md, "Ready frames first").
  template <class Worker>
  [[nodiscard]] static typename Worker::found find(Worker& me) noexcept {
    typename Worker::found const ready = me.take_ready();
    return ready.slot != nullptr ? ready : me.probe_everywhere();
  }

  /// What a searcher leaves that was `woken`, or has been awake for long and says nothing.
  template <class Found>
  [[nodiscard]] static remains left_by(bool woken, Found const& f) noexcept {
    return woken && f.leaves_more() ? remains::more : remains::unknown;
  }

  /// S3, S5 of a worker that is not the last searcher: true if there is work that it should do, or that is at hand.
  template <class Worker>
  [[nodiscard]] static bool anything_at_hand(Worker& me) noexcept {
    return me.pool().closing() || anything_left(me);
  }

  /// S3, S5 of the last searcher: true if there is work for this worker. For work that only others may take it notifies them: the pusher may have
  /// relied on this worker, which searched but is not a member, or woken it instead of a member.
  template <class Worker>
  [[nodiscard]] static bool anything_to_do(Worker& me, reach looks_at) noexcept {
    if (looks_at == reach::own) return anything_at_hand(me);
    if (me.pool().closing() || me.has_new_regions() || me.has_tied_ready()) return true;
    bool mine = false;
    for (auto const& r : me.regions()) {
      auto* const slot = r->slot_for(me);
      if (r->looks_empty_to(slot)) continue;
      if (slot != nullptr) {
        mine = true;
      } else {
        r->notify_work();
      }
    }
    return mine;
  }

  /// H1: true if there is something that only this worker may take, or that others would not find while it sleeps.
  template <class Worker>
  [[nodiscard]] static bool anything_for_it_alone(Worker& me) noexcept {
    if (me.pool().closing() || me.has_tied_ready()) return true;
    for (auto const& r : me.regions()) {
      auto* const slot = r->slot_for(me);
      if (slot != nullptr && !(slot->inbox.looks_empty() && offers_nothing(*slot))) return true;
    }
    return false;
  }

  /// C5: true if a caller that leaves this worker's place leaves work for it (caller.md). Other workers know of work that only
  /// they may take.
  template <class Worker>
  [[nodiscard]] static bool anything_left(Worker& me) noexcept {
    // A region that was opened meanwhile is not on this place's list, and may have a task already.
    if (me.has_new_regions() || me.has_tied_ready()) return true;
    for (auto const& r : me.regions()) {
      auto* const slot = r->slot_for(me);
      if (slot != nullptr && r->leaves_something_to(*slot)) return true;
    }
    return false;
  }
};

}}}  // namespace skua::v0::runtime
