// SPDX-License-Identifier: MIT
// What every iteration does: it sends the pieces of the record to their workers. Strict iterations do nothing else;
// they also notice when the tree differs from the record. [replay.md, "What happens at a group"]
#pragma once

#include <cstdint>

#include "skua/policy/replay/facts.hpp"
#include "skua/policy/replay/record.hpp"
#include "skua/policy/replay/tag_fields.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class following {
 public:
  explicit following(record const& known) noexcept : known_(known) {}

  // ---- in all iterations, by any worker --------------------------------------------------------------------------------
  /// This worker meets a group: writes on the group's tag how far its children are sent.
  void divide(tag_fields& group, std::uint32_t met_by) const noexcept;
  /// Returns the next child of a tracked group, with the worker that is to run it as its home; `self` runs the group's.
  tag_fields next_child(tag_fields& group, std::uint32_t self) noexcept;

  struct divided_children {
    bool keeps = false;    ///< the worker that meets the group calls some of them itself
    bool divides = false;  ///< the record gives some to others
  };
  /// How n children of a group that `met_by` has met are divided.
  [[nodiscard]] divided_children children_of(tag_fields const& group, std::uint64_t n,
                                             std::uint32_t met_by) const noexcept;

  // ---- in strict iterations, by any worker -----------------------------------------------------------------------------
  /// True if no recorded task met this group.
  [[nodiscard]] bool is_new(std::uint64_t group_path) const noexcept;
  void opens_work() noexcept { has_open_work_.set(true); }
  /// True if any worker may steal some task in this iteration.
  [[nodiscard]] bool has_open_work() const noexcept { return has_open_work_.get(); }
  /// True if the forks of a task must be exposed, because there are pieces below it. In the pruning iteration: or were.
  [[nodiscard]] bool leads_to_pieces(std::uint64_t task_path, bool is_pruning) const noexcept;
  /// True if the task opens a group after its first `groups` ones.
  [[nodiscard]] bool opens_more_than(std::uint32_t groups, std::uint64_t task_path) const noexcept;

  // ---- between iterations, by who runs the root ------------------------------------------------------------------------
  void begin_iteration() noexcept;
  /// True if the last iteration, a strict one, differed from the record, which has this many pieces.
  [[nodiscard]] bool saw_another_tree(std::uint64_t pieces) const noexcept;

 private:
  [[nodiscard]] static bool sends_own(tag_fields const& group, std::uint32_t child) noexcept;
  [[nodiscard]] std::uint16_t mine_at_the_end(tag_fields const& group, std::uint32_t met_by) const noexcept;

  record const& known_;  ///< `recording` writes it
  /// Pieces that this iteration has sent or kept as the record says. Any worker counts in all iterations; the worker
  /// that begins an iteration sets it to 0. Read after strict iterations only.
  shared_word<std::uint64_t> placed_{0};
  /// Something in this iteration differed from the record. Any worker sets it in strict iterations; the worker that
  /// begins the next one clears it. False in relaxed iterations.
  shared_word<bool> has_open_work_{false};
};

}}}}  // namespace skua::v0::policies::replay
