// SPDX-License-Identifier: MIT
// The search of an idle worker, as a table. Every policy looks for work in rounds:
//     own lanes, [`injected`, after a rest], (a victim's lanes, [own lanes again])..., `injected`, rest.
// A policy says which lanes, in which order, and what a lost race for one of them means; it chooses the victims. The
// round keeps the place. A task that is found anywhere starts the next round, and so does a rest.
//
// The choice is made in `choose_next`, when a policy learns what came of the probe before, and not when it is asked for the
// next one: a victim is drawn at the moment of the miss, from what the worker knows then, and a machine that asks twice
// before it probes gets the same answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// What to do after a probe that lost a race. Where others find work, so may we: that is no miss.
enum class after_lost : std::uint8_t {
  next_lane,    ///< the same as after an empty lane
  same_lane,    ///< try it again
  next_victim,  ///< leave this victim, who was not idle; does not count as a miss
};

/// One lane to try.
struct search_step {
  lane where;
  after_lost lost = after_lost::next_lane;
  amount many = amount::one;
};

/// The lanes of a round: a constant of the policy, which outlives its rounds.
struct search_order {
  std::span<search_step const> own;             ///< first; at least one
  std::span<search_step const> theirs;          ///< of each victim; may be empty if no victim is ever chosen
  std::span<search_step const> own_again = {};  ///< after each victim: what may have been placed here meanwhile
  /// A worker whose last round ended in rest tries `injected` before the victims as well: an idle pool answers the
  /// outside at once. Otherwise `injected` comes last: finish what we started before we take on something new.
  bool injected_first_after_rest = false;
  /// `half` where place(injected) answers "here" for every task: a worker then may keep several.
  amount of_injected = amount::one;
};

/// Whom to steal from next.
struct victim {
  worker_id who{};
  std::uint8_t first_step = 0;  ///< where to begin in `theirs`
  bool is_last = false;         ///< `injected` follows, without the own lanes in between
};

/// Why the round asks for a victim.
enum class victim_request : std::uint8_t {
  first,       ///< of this round
  after_miss,  ///< the one before had nothing for us
  after_lost,  ///< somebody else was faster at the one before
};

class search_round {
 public:
  search_round(worker_id self, search_order const& order) noexcept;

  /// The probe that `choose_next` has chosen; the same one until it chooses again. A rest ends the round and begins the
  /// next one.
  [[nodiscard]] probe chosen() noexcept {
    if (part_ == part::theirs)
      return {.what = action::steal, .where = step_->where, .many = step_->many, .whom = victim_};
    if (part_ == part::rest) [[unlikely]]
      return rest();
    return {.what = action::pop, .where = step_->where, .many = step_->many, .whom = self_};
  }

  /// Chooses the next probe, after what came of this one. `choose(victim_request)` returns the next victim, or nothing if
  /// the round shall end; it is called only where the round needs a victim.
  template <class ChooseVictim>
  void choose_next(probed const& seen, ChooseVictim&& choose) noexcept {
    if (seen.what.what == action::rest) return;
    if (seen.how == runtime::outcome::got) {
      has_rested_ = false;
      begin();
      return;
    }
    after_lost const then = seen.how == runtime::outcome::lost ? step_->lost : after_lost::next_lane;
    if (then == after_lost::same_lane) return;
    if (then == after_lost::next_lane && ++step_ != end_) return;
    if (std::optional<victim_request> const wanted = end_part(then == after_lost::next_victim))
      turn_to(choose(*wanted));
  }

 private:
  enum class part : std::uint8_t { own, injected_first, theirs, own_again, injected_last, rest };

  probe rest() noexcept;
  void begin() noexcept { turn_to(part::own, order_.own); }
  void turn_to(part next, std::span<search_step const> steps) noexcept {
    part_ = next;
    step_ = steps.data();
    end_ = steps.data() + steps.size();
  }
  void turn_to(std::optional<victim> const& next) noexcept {
    if (!next) return end_victims();
    runtime::invariant(next->who != self_, "no worker is its own victim");
    runtime::invariant(next->first_step < order_.theirs.size(), "a victim is tried from one of its lanes on");
    turn_to(part::theirs, order_.theirs.subspan(next->first_step));
    victim_ = next->who;
    is_last_ = next->is_last;
  }
  void end_victims() noexcept;
  /// Goes on with the next part of the round; returns a request if a victim is needed for that.
  std::optional<victim_request> end_part(bool victim_was_busy) noexcept;

  search_order const& order_;
  worker_id const self_;
  worker_id victim_{};
  // Invariant (step): while part_ is not `rest`, step_ points to a step of that part, and end_ to the end of its steps.
  part part_ = part::own;
  search_step const* step_;
  search_step const* end_;
  bool has_rested_ = false;                     ///< the last round ended in rest
  bool is_last_ = false;                        ///< no victim follows the one that is tried
  victim_request why_ = victim_request::first;  ///< of the next victim, while own lanes are tried again
};

}}}  // namespace skua::v0::policies
