// SPDX-License-Identifier: MIT
// Greedy policies: a task stays where it is, and an idle worker takes whatever it finds. The choice of victims is the
// parameter.
//
// The own `forks` lane is never popped here. A worker is idle only when every frame of its stack has ended or parked;
// a join parks when the continuation it would pop is gone, thieves take the oldest first, so the older ones are gone
// too; and a machine that parks a scope's frame first moves what is left to `spawned`. Hence the lane is empty.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/per_worker.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/search_round.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// Chooses the next victim. Laws: `next` never returns the owner or a worker out of range; it returns nothing after
/// enough calls of `missed` since `restart`, and at once if there is no other worker; none of the three allocates.
template <class V>
concept victim_choice = requires(V& v, runtime::dice& roll) {
  { v.next(roll) } noexcept -> std::same_as<std::optional<worker_id>>;
  { v.missed() } noexcept;   // the last victim had nothing to steal
  { v.restart() } noexcept;  // a new round begins
};

/// Chooses a victim for a round that asks for one: within `learn` of a probe that found nothing.
template <victim_choice V>
std::optional<victim> next_victim(V& choice, victim_request why, runtime::dice& roll) noexcept {
  if (why == victim_request::first) choice.restart();
  if (why == victim_request::after_miss) choice.missed();
  std::optional<worker_id> const next = choice.next(roll);
  if (!next) return {};
  victim found{.worker = *next};
  if constexpr (requires { choice.first_step(*next); }) found.first_step = choice.first_step(*next);
  return found;
}

/// The random numbers of worker w, independent of the other workers'.
constexpr runtime::dice dice_of(std::uint64_t seed, worker_id w) noexcept {
  return runtime::dice(runtime::dice(seed ^ (0xd1b5'4a32'd192'ed03ULL * (std::uint64_t{index(w)} + 1))).next());
}

namespace greedy {
inline constexpr search_step own[] = {{lane::spawned}, {lane::inbox}};
inline constexpr search_step theirs[] = {{lane::forks, after_lost::next_victim},
                                         {lane::spawned, after_lost::next_victim}};
inline constexpr search_order order{
    .own = own, .theirs = theirs, .injected_first_after_rest = true, .of_injected = amount::half};
}  // namespace greedy

template <victim_choice Victims>
class alignas(runtime::cache_line_bytes) greedy_worker : public worker_policy {
 public:
  greedy_worker(worker_id self, Victims victims, std::uint64_t seed, search_order const& order = greedy::order)
      : self_(self), round_(self, order), roll_(dice_of(seed, self)), victims_(std::move(victims)) {}

  task_tag mark(task_tag& parent, hint const&) noexcept final { return parent; }

  placement place(task_tag&, cause why) noexcept final {
    switch (why) {
      case cause::forked: return {.worker = self_, .lane = lane::forks};
      case cause::preempted:
      case cause::bypassed:
      case cause::released:
      case cause::unblocked:
      case cause::seeded: return {.worker = self_, .lane = lane::spawned};
      case cause::stolen:
      case cause::resumed:
      case cause::refused:
      case cause::injected:
      case cause::chosen:
      case cause::next:
      case cause::called: break;
    }
    return {.worker = self_, .lane = lane::inbox};  // this worker holds it: it runs at once
  }

  probe next_probe() noexcept final { return round_.chosen(); }  // chosen in `learn`

  void learn(event const& seen) noexcept final {
    if (auto const* p = std::get_if<probed>(&seen)) {
      round_.choose_next(*p, [this](victim_request why) { return next_victim(victims_, why, roll_); });
    } else if (std::holds_alternative<found_beside>(seen)) {
      round_.restart();
    }
  }

 private:
  worker_id self_;
  search_round round_;
  runtime::dice roll_;
  Victims victims_;
};

/// Nothing is shared between workers.
template <victim_choice Victims>
using greedy_policy = per_worker<greedy_worker<Victims>>;

}}}  // namespace skua::v0::policies
