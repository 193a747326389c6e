// SPDX-License-Identifier: MIT
// The pieces of a measured iteration, in a tree. Rules: refinement.md.
#pragma once

#include <cstdint>
#include <ranges>

namespace skua { inline namespace v0 { namespace policies { namespace replay {

inline constexpr std::uint32_t no_piece = ~0U;
inline constexpr std::uint32_t no_group = ~0U;

/// A child that went through a lane, and everything below it.
struct piece {
  /// `whole`: one worker runs it with everything below it. `opened`: its own stack runs where the record says, and the
  /// children that it sends are divided one by one. `hidden`: an enclosing piece is whole.
  enum class state : std::uint8_t { hidden, whole, opened };

  std::uint64_t path = 0;
  std::uint64_t group_path = 0;     ///< the path of its group
  std::uint32_t index = 0;          ///< in its group
  std::uint32_t owner = 0;          ///< in the record
  std::uint64_t ns = 0;             ///< of its own stack
  std::uint64_t weight = 0;         ///< ns, with everything below it
  std::uint64_t misplaced = 0;      ///< ns of the part that the record gives to workers other than `majority`
  std::uint32_t majority = 0;       ///< the worker with most of the weight in the record
  std::uint32_t assigned = 0;       ///< while whole: its worker
  std::uint32_t parent = no_piece;  ///< the innermost piece in which its group was met; none: the root
  std::uint32_t first_group = 0;    ///< the first group that was met in it, in the order in which they were met
  std::uint32_t groups = 0;
  std::uint32_t group = no_group;  ///< the group whose child it is
  state status = state::hidden;

  [[nodiscard]] std::uint32_t worker() const noexcept { return status == state::opened ? owner : assigned; }
};

/// A group with pieces. Those of one parent are neighbours, in the order in which they were met; the root's come first.
struct piece_group {
  std::uint64_t path = 0;
  std::uint64_t met_at = 0;  ///< the order in which groups were met
  std::uint32_t first = 0;   ///< of its pieces, which are neighbours
  std::uint32_t pieces = 0;
  std::uint32_t parent = no_piece;
  /// Of the same parent: the group that was open when this one was met, in a called child.
  std::uint32_t inside = no_group;
  std::uint32_t met_by = 0;

  /// The numbers of its pieces.
  [[nodiscard]] auto members() const noexcept { return std::views::iota(first, first + pieces); }
};

}}}}  // namespace skua::v0::policies::replay
