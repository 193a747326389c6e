// SPDX-License-Identifier: MIT
#include "skua/policy/numa_ws.hpp"

#include <span>
#include <variant>

#include "skua/policy/address_map.hpp"
#include "skua/policy/greedy.hpp"

namespace skua { inline namespace v0 { namespace policies {
namespace numa_ws {
namespace {

constexpr search_step own[] = {{lane::spawned}, {lane::inbox}, {lane::mailbox}};
constexpr search_step theirs[] = {
    {lane::mailbox}, {lane::forks, after_lost::next_victim}, {lane::spawned, after_lost::next_victim}};
constexpr std::uint8_t deque_of_victim = 1;  // in `theirs`
constexpr search_order order{.own = own, .theirs = theirs, .injected_first_after_rest = true};

}  // namespace

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
    : layout_(where), self_(self), options_(chosen), roll_(dice_of(seed, self)),
      victims_(self, where, chosen.bias, chosen.local), round_(self, order) {}

/// A child belongs to the place of its hint, else to the place of the worker at its address, else to its parent's. A
/// hint for a place that does not exist counts as none.
/// [numa-ws-2018 III-A]
task_tag worker_state::mark(task_tag& parent, hint const& hint) noexcept {
  tag_fields c{.place = tag_fields::read(parent).place};
  if (hint.address) c.place = layout_.place_of(address_map(layout_.workers()).worker_of(*hint.address));
  if (hint.place) c.place = index(*hint.place) < layout_.places() ? hint.place : std::nullopt;
  task_tag child = parent;
  c.write(child);
  return child;
}

placement worker_state::place(task_tag& task, cause why) noexcept {
  tag_fields c = tag_fields::read(task);
  switch (why) {
    case cause::forked: return {.worker = self_, .lane = lane::forks};  // hints cost nothing where no steal happens
    case cause::released:
    case cause::unblocked:
    case cause::seeded:
    case cause::bypassed:
    case cause::preempted: return {.worker = self_, .lane = lane::spawned};
    case cause::injected:
      c = {.place = c.place};
      // The root starts on the first worker of the first place. If that is busy with another root, others may steal it
      // from its mailbox like any other task. [numa-ws-2018 III-A]
      if (!c.place && index(self_) != 0) return {.worker = worker_id{0}, .lane = lane::mailbox};
      break;
    case cause::called:
      c = {.place = c.place};
      c.write(task);
      return {.worker = self_, .lane = lane::inbox};
    case cause::resumed: c = {.place = c.place}; break;  // it has run since it was pushed
    case cause::stolen:
    case cause::chosen:
    case cause::next:
    case cause::refused: break;
  }
  return push_back(c, task);
}

/// PUSHBACK: this worker holds the task. The worker runs it if the task belongs here or was pushed often enough; else
/// it pushes the task to a worker at the task's place.
/// [numa-ws-2018 III-B]
placement worker_state::push_back(tag_fields c, task_tag& task) noexcept {
  bool const at_home = !c.place || *c.place == layout_.place_of(self_);
  if (at_home || c.pushes > options_.threshold) {
    tag_fields{.place = c.place}.write(task);
    return {.worker = self_, .lane = lane::inbox};
  }
  c.receiver = receiver_for(c);
  ++c.pushes;
  c.write(task);
  return {.worker = *c.receiver, .lane = lane::mailbox};
}

/// Uniform among the workers of the task's place, except the last receiver if there is another worker.
worker_id worker_state::receiver_for(tag_fields const& c) noexcept {
  std::span<worker_id const> const there = layout_.workers_of(*c.place);
  auto const n = static_cast<std::uint32_t>(there.size());
  if (n == 1 || !c.receiver || layout_.place_of(*c.receiver) != *c.place) return there[roll_.below(n)];
  std::uint32_t const last = index(*c.receiver) - index(there[0]);
  std::uint32_t const r = roll_.below(n - 1);
  return there[r < last ? r : r + 1];
}

probe worker_state::next_probe() noexcept { return round_.chosen(); }  // chosen in `learn`

void worker_state::learn(event const& seen) noexcept {
  if (auto const* p = std::get_if<probed>(&seen)) {
    round_.choose_next(*p, [this](victim_request why) { return choose_victim(why); });
  } else if (std::holds_alternative<found_beside>(seen)) {
    round_.restart();
  }
}

/// Heads: the victim's deque. Tails: its mailbox, and if that is empty its deque. [numa-ws-2018 III-B, IV]
std::optional<victim> worker_state::choose_victim(victim_request why) noexcept {
  std::optional<victim> next = next_victim(victims_, why, roll_);
  bool const heads = next && !options_.as_released && roll_.below(2) == 0;
  if (heads) next->first_step = deque_of_victim;
  return next;
}

}  // namespace numa_ws

numa_aware_stealing::numa_aware_stealing(layout const& where, std::uint64_t seed, numa_ws_options const& chosen)
    : layout_(where), as_released_(chosen.as_released) {
  workers_state_.reserve(where.workers());
  for (std::uint32_t w = 0; w < where.workers(); ++w) workers_state_.emplace_back(layout_, worker_id{w}, seed, chosen);
}

}}}  // namespace skua::v0::policies
