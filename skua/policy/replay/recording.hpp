// SPDX-License-Identifier: MIT
// What relaxed iterations do beside following the record: they add to it what is stolen. The pruning iteration only
// takes marks back. Others never write here. [replay.md, "How a task is identified"]
#pragma once

#include <cstdint>

#include "skua/policy/replay/facts.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/record.hpp"
#include "skua/policy/replay/shared_word.hpp"
#include "skua/policy/replay/tag_fields.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class recording {
 public:
  /// A detail is chosen. Throws std::bad_alloc.
  explicit recording(replay_options const& chosen);

  // ---- in relaxed iterations, by any worker ----------------------------------------------------------------------------
  void has_met(tag_fields const& task, tag_fields const& group) noexcept;
  /// From now on this piece is the thief's, in every iteration.
  void was_stolen(tag_fields const& piece, std::uint32_t thief) noexcept;
  /// Where forks were not exposed: only the group around it is known. The next iteration exposes more of it.
  void was_stolen_unseen(tag_fields const& around) noexcept;
  /// The task has left the group: is something below it in the record? In the pruning iteration: is still something?
  void has_left(tag_fields const& task, tag_fields const& group, bool is_pruning) noexcept;

  // ---- in all iterations -----------------------------------------------------------------------------------------------
  /// log2 of the branches at a group's children, which counts for less where something was stolen deeper than we could see.
  [[nodiscard]] std::uint8_t breadth_of(tag_fields const& task, std::uint64_t group_path,
                                        std::uint64_t n) const noexcept;
  [[nodiscard]] record const& known() const noexcept { return known_; }
  [[nodiscard]] std::uint64_t pieces() const noexcept { return pieces_.get(); }

  // ---- between iterations, by who runs the root ------------------------------------------------------------------------
  void forget() noexcept;
  /// `rewrite(record&, pieces)` changes the record, and returns how many pieces it has then.
  template <class Rewrite>
  void rewrite(Rewrite&& rewrite) noexcept {
    pieces_.set(rewrite(known_, pieces()));
  }

 private:
  [[nodiscard]] bool has_pieces(tag_fields const& group) const noexcept;

  std::uint32_t const detail_;
  /// Read in all iterations. Any worker writes in relaxed ones; in the pruning one only at the end of groups; who runs the
  /// root, between iterations, forgets and rewrites it.
  record known_;
  /// In the record. Counted by any worker in relaxed iterations, set by who runs the root when the record is rewritten or
  /// forgotten; read between iterations, in all of them: 0 means that there is nothing to follow.
  shared_word<std::uint64_t> pieces_{0};
};

}}}}  // namespace skua::v0::policies::replay
