// SPDX-License-Identifier: MIT
// Which side has the bias of a simulated deque: the states of the deque on threads (parts/queue/deque.md), without the
// words that make its races safe. heavy_fences.md says which side pays for a change of state.
#pragma once

#include <cstdint>

#include "skua/machine/sim/names.hpp"
#include "skua/parts/base/bias_rule.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class deque_bias {
 public:
  enum class state : std::uint8_t {
    none,      ///< any worker may steal; the owner's pops take a fence
    owner,     ///< no worker may steal; the owner's pops take no fence
    revoking,  ///< a thief waits for the owner's answer, or for its own heavy fence
    answered,  ///< as none, but the thief has not noticed yet
  };

  deque_bias() = default;
  explicit deque_bias(runtime::bias_rule rule) : rule_(rule) {}

  [[nodiscard]] state now() const noexcept { return now_; }
  [[nodiscard]] bool is_open() const noexcept { return now_ == state::none || now_ == state::answered; }
  [[nodiscard]] worker_id thief() const noexcept { return thief_; }  ///< the last one to revoke the bias

  void revoke(worker_id thief) {
    invariant(now_ == state::owner, "a thief revokes what the owner has");
    now_ = state::revoking;
    thief_ = thief;
  }
  /// The thief continues: it has the owner's answer, or has executed a heavy fence.
  void end_revocation() noexcept { now_ = state::none; }
  /// The owner notices a thief's revocation.
  void answer() noexcept {
    now_ = state::answered;
    has_bias_ = false;
    bias_after_ = rule_.after_answer(bias_after_);
  }
  /// The oldest entry was taken: by a thief, or by the owner before it leaves its stack.
  void taken_from_top() noexcept { disturbed_ = true; }
  /// The owner took the newest entry while the deque was open; the owner may have the bias again.
  void popped() noexcept {
    if (has_bias_) {  // a thief revoked it without an answer
      has_bias_ = false;
      bias_after_ = rule_.after_heavy_fence(bias_after_);
    }
    undisturbed_ = disturbed_ ? 1 : undisturbed_ + 1;
    disturbed_ = false;
    if (undisturbed_ < bias_after_ || now_ != state::none) return;
    undisturbed_ = 0;
    now_ = state::owner;
    has_bias_ = true;
  }

 private:
  runtime::bias_rule rule_ = {};
  state now_ = state::owner;
  bool has_bias_ = true;    ///< as far as the owner knows
  bool disturbed_ = false;  ///< an entry left at the top since the last pop that counted
  std::uint16_t bias_after_ = rule_.least;
  std::uint32_t undisturbed_ = 0;
  worker_id thief_{};
};

}}}  // namespace skua::v0::sim
