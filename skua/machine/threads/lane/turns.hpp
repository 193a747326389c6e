// SPDX-License-Identifier: MIT
// What a worker must serve before it begins another task: ready frames, and regions that have waited for a turn (next_step.md, "Ready
// frames first"). Generic in the worker, so that turns_model.cpp can supply its own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// The most tasks of one region that a worker runs in a row while another region has some. It counts the tasks that a search finds, and
/// those that a waiting group runs on top of itself.
inline constexpr std::uint32_t tasks_per_turn = 32;

struct turns {
  /// True if a ready frame waits for the worker: tied to its thread, in its region, or in its inbox. The worker must resume it before it
  /// begins a task.
  template <class Tied, class Ready, class Inbox>
  [[nodiscard]] static bool has_ready(Tied const& tied, Ready const& ready, Inbox const& inbox) noexcept {
    return !tied.looks_empty() || !ready.looks_empty() || !inbox.looks_empty();
  }

  /// True if the worker serves a region other than `mine` that has work for it.
  template <class Worker, class Region>
  [[nodiscard]] static bool others_wait(Worker const& w, Region const& mine) noexcept {
    auto const& all = w.regions();
    return all.size() > 1 && std::ranges::any_of(all, [&](auto const& r) {
             auto* const slot = &*r == &mine ? nullptr : r->slot_for(w);
             return slot != nullptr && !r->looks_empty_to(slot);
           });
  }

  /// True if the worker must turn to something else, and the running fiber is not isolated.
  template <class Worker, class Slot>
  [[nodiscard]] static bool turns_away(Worker const& w, Slot const& s) noexcept {
    if (w.runs_isolated()) return false;  // its worker runs nothing else
    return s.has_ready() || w.other_regions_wait(s.region);
  }

  /// Between two children that a task of slot `s` runs on top of itself, `ran` of them so far: true if something else goes
  /// first. A ready frame does, and, at the end of a turn, another region. Cost: three loads.
  template <class Slot>
  [[nodiscard]] static bool should_yield(Slot const& s, std::uint32_t ran) noexcept {
    if (!s.has_ready() && (ran == 0 || ran % tasks_per_turn != 0)) [[likely]]
      return false;
    return s.turns_away();
  }
};

}}}  // namespace skua::v0::runtime
