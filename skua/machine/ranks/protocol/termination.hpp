// SPDX-License-Identifier: MIT
// One rank's part in detecting that all tasks of all ranks have run. A state machine: events in, messages out.
// termination.md has the rules and their proof. [retentive-hpdc12 6], after Francez (1980)
#pragma once

#include <cstdint>

#include "skua/machine/ranks/protocol/rank_tree.hpp"
#include "skua/machine/ranks/transport/message.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// Tasks added and executed, of a rank or of a subtree.
struct task_count {
  std::uint64_t added = 0;
  std::uint64_t executed = 0;
};

/// Sends its messages to the parent and the children in the tree, by position.
class tree_outbox {
 public:
  virtual void send_vote(rank_number to, bool yes, task_count count) = 0;
  virtual void send_decision(rank_number to, bool ended) = 0;
  virtual void send_drained(rank_number to) = 0;
  virtual void send_leave(rank_number to) = 0;

 protected:
  ~tree_outbox() = default;
};

class termination {
 public:
  termination(rank_number rank, rank_number ranks, tree_outbox& out) noexcept
      : outbox_(out), rank_(rank), ranks_(ranks) {}

  /// A new process(): forgets the last one.
  void begin() noexcept;
  /// Uses another tree; between two process(), or before the first.
  void rebuild(rank_number position, rank_number ranks) noexcept {
    rank_ = position;
    ranks_ = ranks;
  }
  /// Restarts the rounds on another tree, within a process(), after a loss. The counts of tasks need not agree any
  /// more.
  void begin_again(rank_number position, rank_number ranks) noexcept;

  /// The process() does not end.
  void abandon() noexcept { state_ = state::left; }

  /// A thief got tasks.
  void stolen_from() noexcept { clean_ = false; }
  /// The rank is quiet now (it has no task, runs none and expects no reply); `own` counts its tasks. Votes or drains if
  /// it is its turn.
  void quiet(task_count own);

  void on_vote(bool yes, task_count subtree) noexcept;
  void on_decision(bool ended);
  void on_drained() noexcept { ++children_drained_; }
  void on_leave();

  /// All tasks have run: no more requests may be sent.
  [[nodiscard]] bool ended() const noexcept { return state_ >= state::ended; }
  /// No message is under way any more: process() may return.
  [[nodiscard]] bool left() const noexcept { return state_ == state::left; }
  /// The rank has voted, and waits for the round's decision.
  [[nodiscard]] bool has_voted() const noexcept { return state_ == state::voted; }
  /// The number of rounds that began.
  [[nodiscard]] std::uint32_t rounds() const noexcept { return rounds_; }
  /// Children that have not voted in this round, or have not drained after the end.
  [[nodiscard]] std::uint32_t children_missing() const noexcept {
    return children() - (ended() ? children_drained_ : children_voted_);
  }

  [[nodiscard]] rank_number parent() const noexcept { return rank_tree::parent(rank_); }
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }
  [[nodiscard]] std::uint32_t children() const noexcept { return rank_tree::children(rank_, ranks_); }

  /// Calls f(child) for each.
  template <class F>
  void each_child(F f) const {
    rank_tree::each_child(rank_, ranks_, f);
  }

 private:
  enum class state : std::uint8_t {
    open,     ///< of this round: not voted yet
    voted,    ///< waits for the decision
    ended,    ///< waits for its replies and its children
    drained,  ///< waits for "leave"
    left,
  };

  void open() noexcept;
  void vote(task_count own);
  void decide(bool ended);
  void drain();

  tree_outbox& outbox_;
  rank_number rank_;
  rank_number ranks_;
  std::uint32_t rounds_ = 0;
  state state_ = state::left;
  bool counts_ = true;        ///< tasks added and executed must agree at the end
  bool clean_ = true;         ///< no task was stolen since the last vote
  bool children_yes_ = true;  ///< all children that have voted in this round voted yes
  std::uint8_t children_voted_ = 0;
  std::uint8_t children_drained_ = 0;
  task_count children_count_;
};

}}}  // namespace skua::v0::ranks
