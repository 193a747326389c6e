// SPDX-License-Identifier: MIT
// Lets the live ranks agree on which ranks died and which tasks run again. A state machine; recovery.md has the states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/ranks/protocol/live_ranks.hpp"
#include "skua/machine/ranks/protocol/recovery_log.hpp"
#include "skua/machine/ranks/transport/message.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The engine that recovers.
class recovery_site {
 public:
  virtual void send_recovery(rank_number to, kind what, std::uint16_t generation, std::span<std::byte const> body,
                             std::uint64_t a = 0) = 0;
  /// These ranks are live. Until `resume` this rank gives no tasks, asks for none, and does not vote.
  virtual void suspend(live_ranks const& live) = 0;
  virtual void resume(std::uint16_t generation, std::span<std::byte const> run_again) = 0;
  /// The loss cannot be recovered.
  virtual void broken(std::string const& why) = 0;

 protected:
  ~recovery_site() = default;
};

class recovery {
 public:
  /// Both must outlive it.
  recovery(rank_number rank, live_ranks live, recovery_log& log, recovery_site& site) noexcept
      : rank_(rank), live_(std::move(live)), log_(log), site_(site) {}

  /// process() begins: sends the rank's tasks to its keeper.
  void begin();
  /// On the leader: a rank has died.
  void lose(rank_number rank);
  void on_message(message const& m);

  [[nodiscard]] live_ranks const& live() const noexcept { return live_; }
  [[nodiscard]] bool is_suspended() const noexcept { return generation_ != resumed_; }

 private:
  void send_seeds();
  [[nodiscard]] std::vector<rank_number> kept_here(std::uint16_t generation) const;
  void suspend();
  void hear_lost(message const& m);
  void hear_taken(message const& m);
  void finish_if_complete();
  void resume(std::span<std::byte const> body);
  [[nodiscard]] bool every_loss_has_a_copy();

  rank_number const rank_;
  live_ranks live_;
  recovery_log& log_;
  recovery_site& site_;
  std::uint16_t generation_ = 0;
  std::uint16_t resumed_ = 0;

  // On the leader, while it waits for replies.
  std::set<rank_number> lost_;     ///< ranks lost in this process(), whose seeds some rank must have kept
  std::set<rank_number> missing_;  ///< ranks that have not replied
  std::set<rank_number> kept_;     ///< ranks whose seeds a live rank keeps
  taken_tasks taken_;
};

}}}  // namespace skua::v0::ranks
