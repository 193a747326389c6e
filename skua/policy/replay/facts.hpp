// SPDX-License-Identifier: MIT
// What the record of `replay` says of paths, and under which keys. [replay.md, "How a task is identified"]
#pragma once

#include <cstdint>
#include <optional>

#include "skua/policy/replay/record.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// The facts that the record may hold about a path.
enum class fact : std::uint64_t {
  met,      ///< of a group: it exists
  last,     ///< of a group: children before this one are sent
  rest,     ///< of a child: the thief of it and of those after it
  child,    ///< of a child: the thief of it alone
  exposed,  ///< of a task: stolen_below, or stolen_before_pruning
  deep,     ///< of a group: a steal below it, where forks were not exposed
  groups,   ///< of a task: how many groups it opens; unknown: at most one
};
[[nodiscard]] constexpr std::uint64_t key(fact f, std::uint64_t path) noexcept {
  return mixed(path, ~static_cast<std::uint64_t>(f));
}

inline constexpr std::uint32_t stolen_below = 1;           ///< the record has a steal below the task
inline constexpr std::uint32_t stolen_before_pruning = 2;  ///< it had one, before the record was refined

/// A value of `rest` and `child` that names no worker, as if there were no entry.
inline constexpr std::uint32_t nobody = record::largest_value;
/// The thief of a piece: `rest` or `child` of a path.
[[nodiscard]] inline std::optional<std::uint32_t> thief_of(record const& r, fact f, std::uint64_t path) noexcept {
  auto const found = r.find(key(f, path));
  return found && *found != nobody ? found : std::nullopt;
}

/// The workers that a record gives the children of a group, from the first child on.
class child_owners {
 public:
  child_owners(record const& r, std::uint64_t group, std::uint32_t met_by) noexcept
      : record_(r), group_(group), rest_(met_by) {}
  /// The owner of the next child.
  std::uint32_t next() noexcept {
    std::uint64_t const path = mixed(group_, index_++);
    rest_ = thief_of(record_, fact::rest, path).value_or(rest_);
    return thief_of(record_, fact::child, path).value_or(rest_);
  }
  /// The owner of the children after that, as far as none of them was stolen.
  [[nodiscard]] std::uint32_t rest() const noexcept { return rest_; }

 private:
  record const& record_;
  std::uint64_t const group_;
  std::uint32_t rest_;
  std::uint32_t index_ = 0;
};

}}}}  // namespace skua::v0::policies::replay
