// SPDX-License-Identifier: MIT
// The states of a collection on one rank, and which of them a call needs: the table of program/collection/collection.md.
#pragma once

#include <cstdint>
#include <string>

namespace skua { inline namespace v0 { namespace ranks {

enum class collection_state : std::uint8_t {
  seeding,     ///< nothing is recorded; tasks may wait
  processing,  ///< process() runs
  executed,    ///< the record has the tasks of the last process() or of restart()
};

/// Why a rank cannot do its part of a call. Of several ranks' reasons the largest counts.
enum class obstacle : std::uint8_t { none, tasks_wait, nothing_recorded, nothing_to_balance };

/// What a call between two process() needs: the record, and whether it must be all that the collection has.
enum class needs : std::uint8_t { a_record, only_a_record };

[[nodiscard]] constexpr obstacle obstacle_for(needs what, collection_state now, std::uint64_t waiting) noexcept {
  if (now != collection_state::executed) return obstacle::nothing_recorded;
  return what == needs::only_a_record && waiting > 0 ? obstacle::tasks_wait : obstacle::none;
}

/// What a rank has for rebalance(), as numbers of which the largest of all ranks counts.
struct balance_offer {
  std::uint64_t no_record = 0;     ///< 1: the rank has no record
  std::uint64_t no_works = 0;      ///< 1: a task waits without a work, or the rank has a record
  std::uint64_t some_weighed = 0;  ///< 1: a task waits with its work
};

/// What rebalance() moves on every rank.
enum class balanced : std::uint8_t { nothing, record, waiting };

[[nodiscard]] constexpr balanced balanced_by(balance_offer const& largest) noexcept {
  if (largest.no_record == 0) return balanced::record;
  return largest.no_works == 0 && largest.some_weighed == 1 ? balanced::waiting : balanced::nothing;
}

[[nodiscard]] inline std::string in_words(obstacle o, char const* call) {
  if (o == obstacle::tasks_wait) {
    return std::string(call) + " while tasks wait that were added since process(); allowed: before they are added";
  }
  return std::string(call) +
         " where no executed tasks are recorded; allowed: after process() or restart(), and before restore()" +
         (o == obstacle::nothing_to_balance ? ", or before process() if every task that waits was added with its work"
                                            : "");
}

}}}  // namespace skua::v0::ranks
