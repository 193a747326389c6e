// SPDX-License-Identifier: MIT
#include "skua/machine/threads/fork/finish/ordered_tasks.hpp"

#include <algorithm>
#include <cstddef>

#include "skua/machine/threads/fork/fiber/fiber_at.hpp"
#include "skua/machine/threads/fork/fiber/worker_trace.hpp"
#include "skua/machine/threads/lane/counters.hpp"

namespace skua { inline namespace v0 { namespace runtime {

std::optional<worker_id> worker_of(fiber_slot const& s, place_id p) noexcept {
  layout const& map = s.map;
  if (index(p) >= map.places()) return {};  // no hint, anywhere, or a place that the region does not have
  return map.place_of(s.id) == p ? s.id : map.workers_of(p).front();
}

void bring_urgent(fiber_slot& s) noexcept {
  std::optional<brought_task> const brought = s.ordered->bring_urgent(processor_ticks);
  if (!brought) return;
  std::uint32_t const d = s.map.distance(s.id, brought->from);
  s.counts.attempts.add(1);
  s.counts.steals[std::min<std::size_t>(d, worker_counters::distance_classes - 1)].add(1);
  s.trace.steals({static_cast<task*>(brought->task)}, lane::ordered, s.members[index(brought->from)], d);
}

handed* bring_calls(fiber_slot& s) noexcept {
  auto const put = [&s](handed& t) {
    offered_task offered = t.kind->offered(t);
    offered.task = static_cast<task*>(&t);
    offered.place = worker_of(s, t.hint_for(1).place.value_or(no_place_hint));
    s.calls_in_turn += 1;
    return s.ordered->push(offered);
  };
  return move_calls(s.calls, put, [&s] { s.notify_work(); });
}

bool drop_swept(fiber& on) noexcept {
  auto const next = [&on]() -> task* {
    tsan::unseen const of_the_worker;  // as in finish_region::take_own
    fiber_slot const& s = on.slot();
    return s.ordered == nullptr ? nullptr : static_cast<task*>(s.ordered->pop_swept());
  };
  task* t = next();
  if (t == nullptr) return false;
  for (; t != nullptr; t = next()) t->kind->drop(*t, on);
  return true;
}

}}}  // namespace skua::v0::runtime
