// SPDX-License-Identifier: MIT
// A group that is shown to the policy: some children are sent to other workers, one is called here, the rest is kept
// for later or for thieves. Only where the mind sees forks; nothing of this is on the hot path. Protocol: division.md.
#pragma once

#include <cstdint>

#include "skua/machine/threads/join/group.hpp"
#include "skua/machine/threads/join/fiber.hpp"
#include "skua/policy/vocabulary.hpp"
#include "skua/program/hint.hpp"

namespace skua::threads {

/// Lives on the owner's stack from the first child to the end of the wait.
class division {
 public:
  /// The running task of `owner` meets a group of n children, whose works sum to `total_work`.
  division(strand& owner, group& g, std::uint64_t n, double total_work) noexcept;
  division(division const&) = delete;
  division& operator=(division const&) = delete;
  ~division();

  /// Child i, which is next: true if it was sent to another worker, or to this one for later; false if it is called now.
  [[nodiscard]] bool sends(std::uint64_t i, hint const& known) noexcept;
  /// Child i will be called now; those after it may be taken by others meanwhile.
  void keep(std::uint64_t i) noexcept;
  /// Child i has returned. True: those after it are the caller's again, to be run as usual.
  [[nodiscard]] bool comes_back() noexcept;
  /// The owner has dealt with `mine` children: wait for the others, and go on where the policy wants.
  void wait(std::uint64_t mine) noexcept;

  static void go_on(strand& owner, tag const& group) noexcept;

 private:
  [[nodiscard]] bool sends_away(filed const& what, placement const& to) noexcept;

  strand& owner_;
  group& group_;
  std::uint64_t const children_;
  stop_node const node_;      ///< what runs here meanwhile sees the group fail
  tag const task_;            ///< of the task that met the group
  tag const whole_;           ///< of the group
  tag rest_;                  ///< of the children that are not placed yet
  tag child_{};               ///< of the last one that was marked
  seat* filed_at_ = nullptr;  ///< where the rest lies; null: nowhere
  std::uint64_t after_ = 0;   ///< the first child of the rest
};

/// A scope that forks while the policy sees forks: met as a group of no children, which can all be stolen.
class shown_scope {
 public:
  void meet(strand& owner) noexcept;
  /// After the scope's children have ended; does nothing if it was not met.
  void leave(strand& owner) noexcept;

 private:
  bool is_met_ = false;
  tag task_;
  tag whole_;
};

}  // namespace skua::threads
