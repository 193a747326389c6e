// SPDX-License-Identifier: MIT
// What relaxed iterations do beside following the record: they add their steals to it. The pruning iteration only takes
// facts back. Other iterations never write here. [replay.md, "How a task is identified"]
#pragma once

#include <cstdint>

#include "skua/policy/replay/facts.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/record.hpp"
#include "skua/policy/replay/tag_fields.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class recording {
 public:
  /// Precondition: a detail is chosen. Throws std::bad_alloc.
  explicit recording(replay_options const& chosen);

  // ---- in relaxed iterations, by any worker ----------------------------------------------------------------------------
  void has_met(tag_fields const& task, tag_fields const& group) noexcept;
  /// From now on the thief runs this piece, in every iteration.
  void was_stolen(tag_fields const& piece, std::uint32_t thief) noexcept;
  /// A steal where forks were not exposed: only the group around it is known. The next iteration exposes more of it.
  void was_stolen_unseen(tag_fields const& around) noexcept;
  /// The task has left the group: notes whether the record has a piece below it. In the pruning iteration: whether it
  /// still has one.
  void has_left(tag_fields const& task, tag_fields const& group, bool is_pruning) noexcept;

  // ---- in all iterations -----------------------------------------------------------------------------------------------
  /// log2 of the branches at a group's children; counts for less where something was stolen below the exposed forks.
  [[nodiscard]] std::uint8_t breadth_of(tag_fields const& task, std::uint64_t group_path,
                                        std::uint64_t n) const noexcept;
  [[nodiscard]] record const& known() const noexcept { return known_; }
  [[nodiscard]] std::uint64_t pieces() const noexcept { return pieces_.get(); }

  // ---- between iterations, by who runs the root ------------------------------------------------------------------------
  void forget() noexcept;
  /// `rewrite(record&, pieces)` changes the record, and returns its new number of pieces.
  template <class Rewrite>
  void rewrite(Rewrite&& rewrite) noexcept {
    pieces_.set(rewrite(known_, pieces()));
  }

 private:
  [[nodiscard]] bool has_pieces(tag_fields const& group) const noexcept;

  std::uint32_t const detail_;
  /// Read in all iterations. Any worker writes in relaxed iterations; in the pruning iteration only at the end of
  /// groups. Between iterations the worker that runs the root forgets and rewrites it.
  record known_;
  /// The pieces in the record. Any worker counts in relaxed iterations; the worker that runs the root sets it when it
  /// rewrites or forgets the record, and reads it between all iterations: 0 means that there is nothing to follow.
  shared_word<std::uint64_t> pieces_{0};
};

}}}}  // namespace skua::v0::policies::replay
