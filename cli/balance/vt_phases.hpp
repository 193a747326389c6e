// SPDX-License-Identifier: MIT
// The phases of one rank's file of DARMA vt, one after the other: memory for the file and for one phase.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/balance/load_set.hpp"

namespace skua::cli {

struct vt_task {
  load_ns load = 0;
  task_entity entity;
};

struct vt_phase {
  std::uint64_t id = 0;
  std::vector<vt_task> tasks;
  std::uint64_t elsewhere = 0;  ///< tasks whose node is another rank
};

struct vt_phase_reader {
  /// Whether the tasks of a phase are wanted; it is asked once for each phase.
  std::function<bool(std::uint64_t id)> wants;
  std::function<void(vt_phase&& phase)> take;
  bool keeps_entities = false;
};

/// All phases from `first` to `last`.
struct phase_range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// What a file says besides its phases.
struct vt_file_facts {
  bool has_communications = false;
  std::uint64_t phases = 0;
  std::vector<phase_range> repeated;  ///< phases like the last one before them that the file has; at most most_phases
  std::string metadata;  ///< as JSON, without what it says of phases; empty: none, or nobody keeps entities
};

/// `text`: JSON. Throws usage_error as read_vt_files.
vt_file_facts read_vt_phases(std::string_view text, std::string const& name, std::uint32_t rank,
                             vt_phase_reader const& reader);

}  // namespace skua::cli
