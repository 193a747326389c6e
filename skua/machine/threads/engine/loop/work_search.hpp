// SPDX-License-Identifier: MIT
// What a worker does when it is out of work: it searches for a while, then sleeps; before it sleeps it looks once more,
// for itself and for others (sleep.md, S3 and S5). Generic in the worker, so that work_search_model.cpp can supply its own.
#pragma once

#include <cstdint>
#include <utility>

namespace skua { inline namespace v0 { namespace runtime {

struct work_search {
  /// Searches until a task is found. A result whose `at` is null means that the pool closes.
  template <class Worker>
  static typename Worker::found find_work(Worker& me) noexcept {
    auto& all = me.of();
    bool searching = me.was_woken();
    if (searching && all.closing()) return {};  // see the last comment of this function
    std::uint64_t began = 0;
    for (;;) {
      me.refresh_regions();
      typename Worker::found const f = find(me);
      if (f.at != nullptr) {
        if (searching && all.sleep().found()) me.counts().wakeups_sent.add(1);
        return f;
      }
      me.leave_finish();  // whoever waits for what we counted need not wait for what we find next
      if (all.closing()) return {};
      std::uint64_t const now = Worker::now_ns();
      me.note_failed_round(now);
      if (began == 0) began = now;
      if (me.is_barred()) {  // others must not rely on it as a searcher
        if (std::exchange(searching, false) && all.sleep().found()) me.counts().wakeups_sent.add(1);
        me.short_sleep(now - began);
        continue;
      }
      if (!std::exchange(searching, true)) all.sleep().start_search();
      if (now - began < all.spin_ns()) {
        all.back_off();
        continue;
      }
      me.fall_asleep();
      // A pool that closes has no work left. If each of the n workers that are woken then looked at all lanes first,
      // closing would cost n^2 looks.
      if (all.closing()) return {};
      began = 0;
    }
  }

  /// One look: what has begun goes on before anything begins (next_step.md, "Ready frames first").
  template <class Worker>
  [[nodiscard]] static typename Worker::found find(Worker& me) noexcept {
    typename Worker::found const ready = me.take_ready();
    return ready.at != nullptr ? ready : me.probe_everywhere();
  }

  /// S3, S5: true if there is something for this worker. Work for others only is handed on to them: its pusher may have
  /// relied on this worker, which searched but is not a member, or woken it instead of a member.
  template <class Worker>
  [[nodiscard]] static bool anything_to_do(Worker& me) noexcept {
    if (me.of().closing() || me.has_new_regions() || me.has_tied_ready()) return true;
    bool mine = false;
    for (auto const& r : me.regions()) {
      auto* const at = r->slot_for(me);
      if (r->looks_empty_to(at)) continue;
      if (at != nullptr) {
        mine = true;
      } else {
        r->notify_work();
      }
    }
    return mine;
  }

  /// C5: true if a caller that leaves this worker's place leaves something for it (caller.md). What only others may take, they
  /// know of.
  template <class Worker>
  [[nodiscard]] static bool anything_left(Worker& me) noexcept {
    // A region that was opened meanwhile is not on the list that this place knows, and may have a task already.
    if (me.has_new_regions() || me.has_tied_ready()) return true;
    for (auto const& r : me.regions()) {
      auto* const at = r->slot_for(me);
      if (at != nullptr && r->leaves_something_to(*at)) return true;
    }
    return false;
  }
};

}}}  // namespace skua::v0::runtime
