// SPDX-License-Identifier: MIT
// What a worker turns to before it begins another task: ready frames, and regions that have waited for a turn (next_step.md, "Ready
// frames first"). Generic in the worker, so that turns_model.cpp can supply its own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua { inline namespace v0 { namespace runtime {

/// A worker runs at most so many tasks of one region in a row while another has some: those that its search finds, and
/// those that a waiting group runs on top.
inline constexpr std::uint32_t tasks_per_turn = 32;

struct turns {
  /// A ready frame waits for a worker: tied to its thread, in its region, or in its inbox. It is to begin nothing before.
  template <class Tied, class Ready, class Inbox>
  [[nodiscard]] static bool has_ready(Tied const& tied, Ready const& ready, Inbox const& inbox) noexcept {
    return !tied.looks_empty() || !ready.looks_empty() || !inbox.looks_empty();
  }

  /// The worker serves other regions than `mine`, and there is something in one of them.
  template <class Worker, class Region>
  [[nodiscard]] static bool others_wait(Worker const& w, Region const& mine) noexcept {
    auto const& all = w.regions();
    return all.size() > 1 && std::ranges::any_of(all, [&](auto const& r) {
             auto* const at = &*r == &mine ? nullptr : r->slot_for(w);
             return at != nullptr && !r->looks_empty_to(at);
           });
  }

  /// Something goes first, and the running fiber lets its worker turn to it.
  template <class Worker, class Slot>
  [[nodiscard]] static bool turns_away(Worker const& w, Slot const& s) noexcept {
    if (w.runs_isolated()) return false;  // its worker would do nothing else, either
    return s.has_ready() || w.other_regions_wait(s.in);
  }

  /// Between two children that a task of slot `s` runs on top of itself, `ran` so far: does something else go first? A frame
  /// that is ready does, and, at the end of a turn, another region. Cost: three loads.
  template <class Slot>
  [[nodiscard]] static bool should_yield(Slot const& s, std::uint32_t ran) noexcept {
    if (!s.has_ready() && (ran == 0 || ran % tasks_per_turn != 0)) [[likely]]
      return false;
    return s.turns_away();
  }
};

}}}  // namespace skua::v0::runtime
