// SPDX-License-Identifier: MIT
// What a worker does when it is out of work: search for a while, sleep, and before it sleeps look once more, for itself
// and for others (sleep.md, S4). Written against a worker, so that a model can be one (work_search_model.cpp).
#pragma once

#include <cstdint>
#include <utility>

#include "skua/parts/base/sync.hpp"
#include "skua/parts/queue/injector.hpp"

namespace skua::runtime {

/// Nothing in a region for the worker of the worker slot `mine`: nothing from outside, nothing in its inbox, no lane to steal
/// from. Without a worker slot: nothing that any member may take.
template <synchronisation Sync, class Slot, class Slots>
[[nodiscard]] bool nothing_for(Slot* mine, injector<Sync> const& injected, Slots const& slots) noexcept {
  if (!injected.looks_empty() || (mine != nullptr && !mine->inbox.looks_empty())) return false;
  for (auto const& s : slots) {
    if (!s->looks_stolen()) return false;
  }
  return true;
}

struct work_search {
  /// Until something is found. A found that is nowhere (`at` is null): the pool closes.
  template <class Worker>
  static typename Worker::found find_work(Worker& me) noexcept {
    auto& all = me.of();
    bool searching = me.was_woken();
    if (searching && all.closing()) return {};  // as below
    std::uint64_t began = 0;
    for (;;) {
      me.refresh_slots();
      typename Worker::found const f = me.probe_everywhere();
      if (f.at != nullptr) {
        if (searching && all.sleep().found()) me.counts().wakeups_sent.add(1);
        return f;
      }
      if (all.closing()) return {};
      std::uint64_t const now = Worker::now_ns();
      me.note_failed_round(now);
      if (began == 0) began = now;
      if (me.is_barred()) {  // then it is no searcher that others may rely on
        if (std::exchange(searching, false) && all.sleep().found()) me.counts().wakeups_sent.add(1);
        me.short_sleep(now - began);
        continue;
      }
      if (!searching) searching = all.sleep().start_search();
      if (searching && now - began < all.spin_ns()) {
        all.back_off();
        continue;
      }
      me.fall_asleep(searching);
      // Nothing is left to do when a pool closes. If each of n workers that are woken for it looked at all lanes first, that
      // would be n^2 looks.
      if (all.closing()) return {};
      searching = true;
      began = 0;
    }
  }

  /// S4: something for this worker. What is for others only is handed on to them: who pushed it may have relied on
  /// this worker, who searched, but is no member; or the worker was woken in the stead of one that is.
  template <class Worker>
  [[nodiscard]] static bool anything_to_do(Worker& me) noexcept {
    if (me.of().closing() || me.has_new_regions()) return true;
    bool mine = false;
    for (auto const& r : me.regions_) {
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
};

}  // namespace skua::runtime
