// SPDX-License-Identifier: MIT
// The options of `replay` for users, and the status that its tests read.
#pragma once

#include <cstdint>

namespace skua { inline namespace v0 { namespace policies {

struct replay_options {
  std::uint32_t relaxed = 5;  ///< iterations after the first that follow the record and still steal
  std::uint32_t groups = 1;   ///< of the root, that make an iteration; 0: each root is one
  /// The policy sees forks while their tree has at most 2^detail branches, and further down where something was stolen;
  /// at most 20. 0: 32 branches per worker.
  std::uint32_t detail = 0;
  std::uint32_t watch = 64;  ///< every Nth strict iteration exposes all forks, to check that the tree is the same
  /// After the relaxed iterations three are measured, and the record becomes coarser and more even (refinement.md). False:
  /// strict iterations follow the record as it is, as in the papers.
  bool refines = true;
  bool near_first = false;  ///< steal as `hierarchical` does, not as `random` does
};

/// The state of a region. A snapshot; exact between iterations.
struct replay_status {
  std::uint64_t iterations = 0;  ///< begun
  std::uint64_t restarts = 0;    ///< records thrown away because the tree had changed
  std::uint64_t pieces = 0;      ///< in the record: stolen tasks, each with its thief
  bool is_strict = false;
  bool has_gaps = false;  ///< the record is full: later steals are not in it
};

}}}  // namespace skua::v0::policies
