// SPDX-License-Identifier: MIT
// A group that is shown to the policy: some children are sent to other workers, one is called here, the rest is kept
// for later or for thieves. Only where the policy sees forks; nothing of this is on the hot path. Protocol: division.md.
#pragma once

#include <cstdint>

#include "skua/machine/threads/join/fiber.hpp"
#include "skua/machine/threads/join/group.hpp"
#include "skua/machine/threads/policy_words.hpp"
#include "skua/program/hint.hpp"

namespace skua::runtime {

/// Lives on the owner's stack from the first child to the end of the wait.
class exposed_group {
 public:
  /// The running task of `owner` meets a group of n children, whose works sum to `total_work`.
  exposed_group(fiber& owner, group& g, std::uint64_t n, double total_work) noexcept;
  exposed_group(exposed_group const&) = delete;
  exposed_group& operator=(exposed_group const&) = delete;
  ~exposed_group();

  /// Child i, which is next: true if it was sent to another worker, or to this one for later; false if it is called now.
  [[nodiscard]] bool sends(std::uint64_t i, hint const& hint) noexcept;
  /// Child i will be called now; those after it may be taken by others meanwhile.
  void keep(std::uint64_t i) noexcept;
  /// Child i has returned. True: those after it are the caller's again, to be run as usual.
  [[nodiscard]] bool comes_back() noexcept;
  /// The owner has dealt with `mine` children: wait for the others, and go on where the policy wants.
  void wait(std::uint64_t mine) noexcept;

  static void go_on(fiber& owner, task_tag const& group) noexcept;

 private:
  [[nodiscard]] bool sends_away(tagged_entry const& what, placement const& to) noexcept;

  fiber& owner_;
  group& group_;
  std::uint64_t const children_;
  stop_node const node_;               ///< what runs here meanwhile sees the group fail
  task_tag const task_;                ///< of the task that met the group
  task_tag const whole_;               ///< of the group
  task_tag rest_;                      ///< of the children that are not placed yet
  task_tag child_{};                   ///< of the last one that was marked
  worker_slot* exposed_at_ = nullptr;  ///< where the rest lies; null: nowhere
  std::uint64_t after_ = 0;            ///< the first child of the rest
};

/// A scope that forks while the policy sees forks: met as a group of no children, which can all be stolen.
class exposed_scope {
 public:
  void meet(fiber& owner) noexcept;
  /// After the scope's children have ended; does nothing if it was not met.
  void leave(fiber& owner) noexcept;

 private:
  bool is_met_ = false;
  task_tag task_;
  task_tag whole_;
};

}  // namespace skua::runtime
