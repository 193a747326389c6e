// SPDX-License-Identifier: MIT
// What the record of `replay` says of paths, and under which keys. [replay.md, "How a task is identified"]
#pragma once

#include <cstdint>
#include <optional>

#include "skua/policy/replay/record.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// What can be known of a path.
enum class fact : std::uint64_t {
  met,      ///< of a group: it exists
  last,     ///< of a group: children before this one are sent
  rest,     ///< of a child: it, and those after it, were stolen by
  child,    ///< of a child: it alone was stolen by
  exposed,  ///< of a task: stolen_below, or stolen_before_pruning
  deep,     ///< of a group: something was stolen below it, where forks were not exposed
  groups,   ///< of a task: how many it opens; unknown: at most one
};
[[nodiscard]] constexpr std::uint64_t key(fact f, std::uint64_t path) noexcept {
  return mixed(path, ~static_cast<std::uint64_t>(f));
}

inline constexpr std::uint32_t stolen_below = 1;           ///< something below the task is in the record
inline constexpr std::uint32_t stolen_before_pruning = 2;  ///< something was, before the record was refined

/// A worker that `rest` and `child` may name: nobody. As if there were no entry.
inline constexpr std::uint32_t nobody = record::largest_value;
/// Who took a piece: `rest` or `child` of a path.
[[nodiscard]] inline std::optional<std::uint32_t> thief_of(record const& r, fact f, std::uint64_t path) noexcept {
  auto const found = r.find(key(f, path));
  return found && *found != nobody ? found : std::nullopt;
}

/// The workers that a record gives the children of a group, from the first child on.
class child_owners {
 public:
  child_owners(record const& r, std::uint64_t group, std::uint32_t met_by) noexcept
      : record_(r), group_(group), rest_(met_by) {}
  /// Of the next child.
  std::uint32_t next() noexcept {
    std::uint64_t const path = mixed(group_, index_++);
    rest_ = thief_of(record_, fact::rest, path).value_or(rest_);
    return thief_of(record_, fact::child, path).value_or(rest_);
  }
  /// Whose the children after that are, as far as nobody took one of them.
  [[nodiscard]] std::uint32_t rest() const noexcept { return rest_; }

 private:
  record const& record_;
  std::uint64_t const group_;
  std::uint32_t rest_;
  std::uint32_t index_ = 0;
};

}}}}  // namespace skua::v0::policies::replay
