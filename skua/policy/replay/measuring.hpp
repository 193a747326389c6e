// SPDX-License-Identifier: MIT
// What measured iterations do beside following the record: they note how long its pieces take. After the last of them
// the record is rewritten. [refinement.md]
#pragma once

#include <cstdint>

#include "skua/policy/replay/following.hpp"
#include "skua/policy/replay/options.hpp"
#include "skua/policy/replay/recording.hpp"
#include "skua/policy/replay/refinement.hpp"
#include "skua/policy/replay/tag_fields.hpp"
#include "skua/policy/shared_word.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

class measuring {
 public:
  /// Precondition: a detail is chosen. Throws std::bad_alloc.
  measuring(std::uint32_t workers, replay_options const& chosen, following const& division);

  // ---- in measured iterations, by any worker ---------------------------------------------------------------------------
  /// A task has met a group of n children, divided as the record says. May write on the group of a root.
  void has_met(tag_fields const& task, tag_fields& group, std::uint64_t n, std::uint32_t met_by) noexcept;
  void has_ended(tag_fields const& task, std::uint64_t ns) noexcept;

  // ---- between iterations, by who runs the root ------------------------------------------------------------------------
  /// Rewrites the record from the notes. Returns false if the iterations could not be measured; the record then stays
  /// as it is.
  [[nodiscard]] bool rewrite(recording& records) noexcept;
  /// True if the record that was rewritten last has no even division.
  [[nodiscard]] bool is_uneven() const noexcept { return noted_.is_uneven(); }
  void forget() noexcept;

 private:
  std::uint32_t const detail_;
  following const& division_;
  /// Any worker notes in measured iterations. The worker that runs the root reads and clears it after the last of them,
  /// and clears it when the record is forgotten. Empty in other iterations.
  refinement noted_;
  /// A group of this record's root could not be measured. The worker that runs the root sets it in measured iterations,
  /// reads and clears it after the last of them, and clears it when the record is forgotten.
  shared_word<bool> cannot_measure_{false};
};

}}}}  // namespace skua::v0::policies::replay
