// SPDX-License-Identifier: MIT
// The walk of an idle worker under a greedy policy; which victim comes next is the parameter.
//
// Order: "finish what we started before taking something new." A round is
//     own `spawned` (newest first), own `inbox`, victims, the region's `injected` lane, rest;
// a catch anywhere starts the next round. Only a worker whose last round ended in rest, and which therefore has just
// seen nothing to finish, looks at `injected` before the victims as well: an idle pool answers the outside at once.
// The own `forks` lane is never popped here. A worker is idle only when every frame of its stack has ended or parked;
// a join parks when the continuation it would pop is gone, thieves take the oldest first, so the older ones are gone
// too; and a machine that parks a scope's frame first moves what is left to `spawned`. Hence the lane is empty.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/platform.hpp"
#include "skua/policy/policy.hpp"

namespace skua::policies {

/// Whom to rob next. Laws: `next` never names the owner or a worker out of range; it yields nothing once enough calls
/// of `missed` were made since `restart`, and at once where there is nobody to rob; none of the three allocates.
template <class V>
concept victim_choice = requires(V& v, runtime::dice& roll) {
  { v.next(roll) } noexcept -> std::same_as<std::optional<worker_id>>;
  { v.missed() } noexcept;   // the last victim had nothing for us
  { v.restart() } noexcept;  // a new round begins
};

/// The numbers of worker w, independent of its siblings'.
constexpr runtime::dice dice_of(std::uint64_t seed, worker_id w) noexcept {
  return runtime::dice(runtime::dice(seed ^ (0xd1b5'4a32'd192'ed03ULL * (std::uint64_t{index(w)} + 1))).next());
}

/// Idle: own lanes, victims, outside, rest. Asked where a task belongs: where it is.
template <victim_choice Victims>
class alignas(runtime::cache_line_bytes) greedy_worker final : public worker_policy {
 public:
  greedy_worker(worker_id self, Victims victims, std::uint64_t seed)
      : self_(self), roll_(dice_of(seed, self)), victims_(std::move(victims)) {}

  task_tag mark(task_tag& parent, hint const&) noexcept override { return parent; }

  placement place(task_tag&, cause why) noexcept override {
    switch (why) {
      case cause::forked: return {.worker = self_, .where = lane::forks};
      case cause::preempted:
      case cause::released:
      case cause::seeded: return {.worker = self_, .where = lane::spawned};
      case cause::stolen:
      case cause::resumed:
      case cause::refused:
      case cause::injected: break;
    }
    return {.worker = self_, .where = lane::inbox};  // it is in this worker's hands: it runs at once
  }

  probe next_probe() noexcept override {
    switch (stage_) {
      case stage::spawned: return {.what = action::pop, .whom = self_, .where = lane::spawned};
      case stage::inbox: return {.what = action::pop, .whom = self_, .where = lane::inbox};
      case stage::outside_first:
      case stage::outside_last: return {.what = action::pop, .whom = self_, .where = lane::injected};
      case stage::their_forks: return {.what = action::steal, .whom = victim_, .where = lane::forks};
      case stage::their_spawned: return {.what = action::steal, .whom = victim_, .where = lane::spawned};
      case stage::rest: break;
    }
    rested_ = true;
    begin_round();
    return {.what = action::rest, .whom = self_};
  }

  void learn(event const& seen) noexcept override {
    probed const* const p = std::get_if<probed>(&seen);
    if (p == nullptr || p->what.what == action::rest) return;
    if (p->how == runtime::outcome::got) {
      rested_ = false;
      begin_round();
    } else {
      stage_ = after(p->how);
    }
  }

 private:
  enum class stage : std::uint8_t { spawned, inbox, outside_first, their_forks, their_spawned, outside_last, rest };

  void begin_round() noexcept {
    victims_.restart();
    stage_ = stage::spawned;
  }

  /// The stage that follows a probe that brought nothing. `lost` is no miss: where others find work, so may we.
  stage after(runtime::outcome how) noexcept {
    bool const lost = how == runtime::outcome::lost;
    switch (stage_) {
      case stage::spawned: return stage::inbox;
      case stage::inbox: return rested_ ? stage::outside_first : next_victim();
      case stage::outside_first: return lost ? stage_ : next_victim();
      case stage::their_forks: return lost ? next_victim() : stage::their_spawned;
      case stage::their_spawned:
        if (!lost) victims_.missed();
        return next_victim();
      case stage::outside_last: return lost ? stage_ : stage::rest;
      case stage::rest: break;
    }
    return stage::rest;
  }

  stage next_victim() noexcept {
    std::optional<worker_id> const v = victims_.next(roll_);
    if (!v) return stage::outside_last;
    runtime::invariant(*v != self_, "no worker is its own victim");
    victim_ = *v;
    return stage::their_forks;
  }

  worker_id self_;
  worker_id victim_{};
  stage stage_ = stage::spawned;
  bool rested_ = false;  ///< the last round ended in rest
  runtime::dice roll_;
  Victims victims_;
};

/// One greedy mind per worker; nothing is shared between them.
template <victim_choice Victims>
class greedy_policy : public policy {
 public:
  worker_policy& of_worker(worker_id w) noexcept final {
    runtime::expects(index(w) < workers_state_.size(), "mind_of: a worker of the region");
    return workers_state_[index(w)];
  }

 protected:
  greedy_policy() = default;
  std::vector<greedy_worker<Victims>> workers_state_;
};

}  // namespace skua::policies
