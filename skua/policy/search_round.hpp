// SPDX-License-Identifier: MIT
// The search of an idle worker, as a table. Every policy looks for work in rounds:
//     own lanes, [`injected`, after a rest], (a victim's lanes, [own lanes again])..., `injected`, rest.
// A policy names the lanes, their order, and the meaning of a lost race for one of them; it chooses the victims. The
// round keeps the position. A task found in any lane starts the next round, and so does a rest.
//
// `choose_next` chooses the next probe when a policy learns the outcome of the last one, not when the machine asks for
// it: a victim is drawn at the moment of the miss, from what the worker knows then, and a machine that asks twice
// before it probes gets the same answer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "skua/parts/base/assert.hpp"
#include "skua/parts/base/ids.hpp"
#include "skua/policy/vocabulary.hpp"

namespace skua { inline namespace v0 { namespace policies {

/// What to do after a probe that lost a race. A lost race shows that there is work, so it is no miss.
enum class after_lost : std::uint8_t {
  next_lane,    ///< the same as after an empty lane
  same_lane,    ///< try it again
  next_victim,  ///< leave this victim, which was not idle; does not count as a miss
};

/// One lane to try.
struct search_step {
  policies::lane lane;
  after_lost lost = after_lost::next_lane;
  policies::amount amount = policies::amount::one;
};

/// The lanes of a round: a constant of the policy, which outlives its rounds.
struct search_order {
  std::span<search_step const> own;             ///< first; at least one
  std::span<search_step const> theirs;          ///< of each victim; may be empty if no victim is ever chosen
  std::span<search_step const> own_again = {};  ///< after each victim: tasks that were placed here meanwhile
  /// A worker whose last round ended in rest tries `injected` before the victims as well: an idle pool serves outside
  /// callers at once. Otherwise `injected` comes last: started work is finished before new work begins.
  bool injected_first_after_rest = false;
  /// `half` if place(injected) keeps every task on the worker that asks: it may then take several.
  amount of_injected = amount::one;
};

/// The next victim.
struct victim {
  worker_id worker{};
  std::uint8_t first_step = 0;  ///< index in `theirs` of the first lane to try
  bool is_last = false;         ///< `injected` follows, without the own lanes in between
};

/// Why the round asks for a victim.
enum class victim_request : std::uint8_t {
  first,       ///< the first of this round
  after_miss,  ///< the last one had nothing to steal
  after_lost,  ///< another worker was faster at the last one
};

class search_round {
 public:
  search_round(worker_id self, search_order const& order) noexcept;

  /// Returns the probe that `choose_next` has chosen; the same one until it chooses again. A rest ends the round and
  /// begins the next one.
  [[nodiscard]] probe chosen() noexcept {
    if (part_ == part::theirs)
      return {.kind = action::steal, .lane = step_->lane, .amount = step_->amount, .victim = victim_};
    if (part_ == part::rest) [[unlikely]]
      return rest();
    return {.kind = action::pop, .lane = step_->lane, .amount = step_->amount, .victim = self_};
  }

  /// A task was found: the next round begins.
  void restart() noexcept {
    has_rested_ = false;
    begin();
  }

  /// Chooses the next probe from the outcome of the last one. `choose(victim_request)` returns the next victim, or
  /// nothing to end the round; it is called only if the round needs a victim.
  template <class ChooseVictim>
  void choose_next(probed const& seen, ChooseVictim&& choose) noexcept {
    if (seen.probe.kind == action::rest) return;
    if (seen.outcome == runtime::outcome::got) {
      restart();
      return;
    }
    after_lost const then = seen.outcome == runtime::outcome::lost ? step_->lost : after_lost::next_lane;
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
    runtime::invariant(next->worker != self_, "no worker is its own victim");
    runtime::invariant(next->first_step < order_.theirs.size(), "a victim is tried from one of its lanes on");
    turn_to(part::theirs, order_.theirs.subspan(next->first_step));
    victim_ = next->worker;
    is_last_ = next->is_last;
  }
  void end_victims() noexcept;
  /// Starts the next part of the round; returns a request if that part needs a victim.
  std::optional<victim_request> end_part(bool victim_was_busy) noexcept;

  search_order const& order_;
  worker_id const self_;
  worker_id victim_{};
  // Invariant (step): while part_ is not `rest`, step_ points to a step of that part, and end_ to the end of its steps.
  part part_ = part::own;
  search_step const* step_;
  search_step const* end_;
  bool has_rested_ = false;                         ///< the last round ended in rest
  bool is_last_ = false;                            ///< no victim follows the current one
  victim_request request_ = victim_request::first;  ///< of the next victim, while own lanes are tried again
};

}}}  // namespace skua::v0::policies
