// SPDX-License-Identifier: MIT
// A group that is exposed to the policy: some children are sent to other workers, one is called here, and the rest stay
// in a lane for later or for thieves. Used only if the policy sees forks, so the hot path contains none of it.
// Protocol: exposed_group.md.
#pragma once

#include <cstdint>

#include "skua/machine/threads/fork/fiber/fiber.hpp"
#include "skua/machine/threads/fork/group/group.hpp"
#include "skua/machine/threads/lane/policy_words.hpp"
#include "skua/program/hint.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// Lives on the owner's stack from the first child to the end of the wait.
class exposed_group {
 public:
  /// The running task of `owner` meets a group of n children, whose works sum to `total_work`.
  exposed_group(fiber& owner, group& g, std::uint64_t n, double total_work) noexcept;
  exposed_group(exposed_group const&) = delete;
  exposed_group& operator=(exposed_group const&) = delete;
  ~exposed_group();

  /// Places child i, the next one. True: it was sent to another worker, or to this one for later. False: call it now.
  [[nodiscard]] bool sends(std::uint64_t i, hint const& hint) noexcept;
  /// Call it before child i is called inline: from then on other workers may take the children after it.
  void keep(std::uint64_t i) noexcept;
  /// Call it when child i has returned. True: the caller has the children after it back.
  [[nodiscard]] bool comes_back() noexcept;
  /// The owner accounts for `mine` children: waits for the others, and continues on the worker that the policy chooses.
  void wait(std::uint64_t mine) noexcept;

  static void go_on(fiber& owner, task_tag const& group) noexcept;

 private:
  [[nodiscard]] bool sends_away(tagged_entry& entry, placement const& to) noexcept;

  fiber& owner_;
  group& group_;
  std::uint64_t const children_;
  stop_node const node_;                  ///< shows tasks that run here meanwhile that the group has failed
  fiber::registration const registered_;  ///< shows children on other workers that a join around the group has failed
  task_tag task_;                         ///< tag of the task that met the group
  task_tag const whole_;                  ///< tag of the group
  task_tag rest_;                         ///< tag of the children that are not yet placed
  task_tag child_{};                      ///< tag of the child that was marked last
  fiber_slot* rest_at_ = nullptr;         ///< the slot whose local lane holds the rest; null: none
  std::uint64_t after_ = 0;               ///< the first child of the rest
};

/// A scope that forks while the policy sees forks. The policy meets it as a group without children; thieves may steal all of its
/// children.
class exposed_scope {
 public:
  void meet(fiber& owner) noexcept;
  /// Call this after the scope's children have ended. Does nothing if the scope was not met.
  void leave(fiber& owner) noexcept;

 private:
  bool is_met_ = false;
  task_tag task_;
  task_tag whole_;
};

}}}  // namespace skua::v0::runtime
