// SPDX-License-Identifier: MIT
// What every iteration does: it sends the pieces of the record to their workers. In strict iterations nothing else is
// done, and then this also sees whether the tree is still the one in the record. [replay.md, "What happens at a group"]
#pragma once

#include <cstdint>

#include "skua/policy/replay/facts.hpp"
#include "skua/policy/replay/record.hpp"
#include "skua/policy/replay/shared_word.hpp"
#include "skua/policy/replay/tag_fields.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class following {
 public:
  explicit following(record const& known) noexcept : known_(known) {}

  // ---- in all iterations, by any worker --------------------------------------------------------------------------------
  /// A group is met by this worker: writes on it how far its children are sent.
  void divide(tag_fields& group, std::uint32_t met_by) const noexcept;
  /// The next child of a tracked group, with the worker that shall run it as its home; `self` runs the group's.
  tag_fields next_child(tag_fields& group, std::uint32_t self) noexcept;

  struct divided_children {
    bool keeps = false;    ///< who meets the group calls some of them itself
    bool divides = false;  ///< the record gives some to others
  };
  /// Of n children of a group that `met_by` has met.
  [[nodiscard]] divided_children children_of(tag_fields const& group, std::uint64_t n,
                                             std::uint32_t met_by) const noexcept;

  // ---- in strict iterations, by any worker -----------------------------------------------------------------------------
  /// No task ever met this group.
  [[nodiscard]] bool is_new(std::uint64_t group_path) const noexcept;
  void opens_work() noexcept { has_open_work_.set(true); }
  /// Something may be stolen by anybody, in this iteration.
  [[nodiscard]] bool has_open_work() const noexcept { return has_open_work_.get(); }
  /// Must the forks of a task be exposed, because there are pieces below it? In the pruning iteration: or were.
  [[nodiscard]] bool leads_to_pieces(std::uint64_t task_path, bool is_pruning) const noexcept;
  /// Does the task open a group after its first `groups` ones?
  [[nodiscard]] bool opens_more_than(std::uint32_t groups, std::uint64_t task_path) const noexcept;

  // ---- between iterations, by who runs the root ------------------------------------------------------------------------
  void begin_iteration() noexcept;
  /// The iteration before, a strict one, was not as recorded, of so many pieces.
  [[nodiscard]] bool saw_another_tree(std::uint64_t pieces) const noexcept;

 private:
  [[nodiscard]] static bool sends_own(tag_fields const& group, std::uint32_t child) noexcept;
  [[nodiscard]] std::uint16_t mine_at_the_end(tag_fields const& group, std::uint32_t met_by) const noexcept;

  record const& known_;  ///< `recording` writes it
  /// Pieces that were sent or kept as the record says, in this iteration. Counted by any worker in all iterations, set to 0
  /// by who begins one; read after strict ones only.
  shared_word<std::uint64_t> placed_{0};
  /// In this iteration, something was not as recorded. Set by any worker in strict iterations, taken back by who begins the
  /// next one; false in relaxed ones.
  shared_word<bool> has_open_work_{false};
};

}}}}  // namespace skua::v0::policies::replay
