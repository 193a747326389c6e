// SPDX-License-Identifier: MIT
#include "skua/policy/numa_ws.hpp"

#include <span>
#include <variant>

#include "skua/parts/base/assert.hpp"
#include "skua/policy/greedy.hpp"

namespace skua::policies {
namespace numa_ws {

tag_fields tag_fields::read(task_tag const& t) noexcept {
  tag_fields c;
  if (t.words[0] != 0) c.place = place_id{static_cast<std::uint32_t>(t.words[0] - 1)};
  c.pushes = static_cast<std::uint32_t>(t.words[1]);
  if (auto const r = static_cast<std::uint32_t>(t.words[1] >> 32); r != 0) c.receiver = worker_id{r - 1};
  return c;
}

void tag_fields::write(task_tag& t) const noexcept {
  t.words[0] = place ? std::uint64_t{index(*place)} + 1 : 0;
  t.words[1] = pushes | (receiver ? (std::uint64_t{index(*receiver)} + 1) << 32 : 0);
}

worker_state::worker_state(layout const& where, worker_id self, std::uint64_t seed, numa_ws_options const& chosen)
    : where_(where), self_(self), options_(chosen), roll_(dice_of(seed, self)),
      victims_(self, where, chosen.bias, chosen.local) {}

/// A child is where it says, or where its parent is; a place that does not exist is nowhere in particular.
/// [numa-ws-2018 III-A]
task_tag worker_state::mark(task_tag& parent, hint const& hint) noexcept {
  tag_fields c{.place = tag_fields::read(parent).place};
  if (hint.place) c.place = index(*hint.place) < where_.places() ? hint.place : std::nullopt;
  task_tag child = parent;
  c.write(child);
  return child;
}

placement worker_state::place(task_tag& task, cause why) noexcept {
  tag_fields c = tag_fields::read(task);
  switch (why) {
    case cause::forked: return {.worker = self_, .where = lane::forks};  // no hint is looked at where work is done
    case cause::released:
    case cause::seeded:
    case cause::preempted: return {.worker = self_, .where = lane::spawned};
    case cause::injected:
      c = {.place = c.place};
      // The root starts at the first worker of the first place. If that is busy with another root, others may take it
      // from there as they may everything. [numa-ws-2018 III-A]
      if (!c.place && index(self_) != 0) return {.worker = worker_id{0}, .where = lane::mailbox};
      break;
    case cause::resumed: c = {.place = c.place}; break;  // it has run since it was pushed
    case cause::stolen:
    case cause::refused: break;
  }
  return push_back(c, task);
}

/// PUSHBACK: the task is in my hands. Mine, or pushed often enough: I run it; else to somebody at its place.
/// [numa-ws-2018 III-B]
placement worker_state::push_back(tag_fields c, task_tag& task) noexcept {
  bool const at_home = !c.place || *c.place == where_.place_of(self_);
  if (at_home || c.pushes > options_.threshold) {
    tag_fields{.place = c.place}.write(task);
    return {.worker = self_, .where = lane::inbox};
  }
  c.receiver = receiver_for(c);
  ++c.pushes;
  c.write(task);
  return {.worker = *c.receiver, .where = lane::mailbox};
}

/// Uniform at the task's place, but not who got it last, if there is somebody else.
worker_id worker_state::receiver_for(tag_fields const& c) noexcept {
  std::span<worker_id const> const there = where_.workers_of(*c.place);
  auto const n = static_cast<std::uint32_t>(there.size());
  if (n == 1 || !c.receiver || where_.place_of(*c.receiver) != *c.place) return there[roll_.below(n)];
  std::uint32_t const last = index(*c.receiver) - index(there[0]);
  std::uint32_t const r = roll_.below(n - 1);
  return there[r < last ? r : r + 1];
}

probe worker_state::next_probe() noexcept {
  auto const own = [this](lane l) { return probe{.what = action::pop, .whom = self_, .where = l}; };
  auto const theirs = [this](lane l) { return probe{.what = action::steal, .whom = victim_, .where = l}; };
  switch (stage_) {
    case stage::spawned: return own(lane::spawned);
    case stage::inbox: return own(lane::inbox);
    case stage::mailbox: return own(lane::mailbox);
    case stage::their_mailbox: return theirs(lane::mailbox);
    case stage::their_forks: return theirs(lane::forks);
    case stage::their_spawned: return theirs(lane::spawned);
    case stage::outside_first:
    case stage::outside_last: return own(lane::injected);
    case stage::rest: break;
  }
  rested_ = true;
  begin_round();
  return {.what = action::rest, .whom = self_};
}

void worker_state::learn(event const& seen) noexcept {
  probed const* const p = std::get_if<probed>(&seen);
  if (p == nullptr || p->what.what == action::rest) return;
  if (p->how == runtime::outcome::got) {
    rested_ = false;
    begin_round();
  } else {
    stage_ = after(p->how);
  }
}

void worker_state::begin_round() noexcept {
  victims_.restart();
  stage_ = stage::spawned;
}

/// The stage that follows a probe that brought nothing. `lost` is no miss: where others find work, so may we.
worker_state::stage worker_state::after(runtime::outcome how) noexcept {
  bool const lost = how == runtime::outcome::lost;
  switch (stage_) {
    case stage::spawned: return stage::inbox;
    case stage::inbox: return stage::mailbox;
    case stage::mailbox: return rested_ ? stage::outside_first : next_victim();
    case stage::outside_first: return lost ? stage_ : next_victim();
    case stage::their_mailbox: return stage::their_forks;
    case stage::their_forks: return lost ? next_victim() : stage::their_spawned;
    case stage::their_spawned:
      if (!lost) victims_.missed();
      return next_victim();
    case stage::outside_last: return lost ? stage_ : stage::rest;
    case stage::rest: break;
  }
  return stage::rest;
}

/// Heads: the victim's deque. Tails: its slot, and if that is empty its deque. [numa-ws-2018 III-B, IV]
worker_state::stage worker_state::next_victim() noexcept {
  std::optional<worker_id> const v = victims_.next(roll_);
  if (!v) return stage::outside_last;
  runtime::invariant(*v != self_, "no worker is its own victim");
  victim_ = *v;
  bool const heads = !options_.as_released && roll_.below(2) == 0;
  return heads ? stage::their_forks : stage::their_mailbox;
}

}  // namespace numa_ws

numa_aware_stealing::numa_aware_stealing(layout const& where, std::uint64_t seed, numa_ws_options const& chosen)
    : where_(where), as_released_(chosen.as_released) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(where_, worker_id{w}, seed, chosen);
}

worker_policy& numa_aware_stealing::of_worker(worker_id w) noexcept {
  runtime::expects(index(w) < workers_state_.size(), "mind_of: a worker of the region");
  return workers_state_[index(w)];
}

}  // namespace skua::policies
