// SPDX-License-Identifier: MIT
// Caches and memory of a machine, and what a leaf moves between them: a private cache per core, whose newest lines are
// in its first-level cache, a shared cache per place (L3), memory per NUMA node, and one writer or many readers of every
// line. States and invariants: memory_system.md.
//
// It counts lines and runs, not time: model_costs.cpp prices them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skua/machine/sim/model/cache.hpp"
#include "skua/machine/sim/model/directory.hpp"
#include "skua/machine/sim/model/machine_numbers.hpp"
#include "skua/machine/sim/model/page_homes.hpp"
#include "skua/program/task_tree.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// What a core has for itself.
struct own_caches {
  double first_level_bytes = 0;
  double private_bytes = 0;
};

/// The cores and places in use, in the order of the machine; `nodes` counts those of the whole machine.
struct memory_shape {
  std::vector<std::uint32_t> place_of_core = {};
  std::vector<own_caches> caches_of_core = {};  ///< empty: those of the machine's numbers
  std::vector<std::uint32_t> node_of_place = {};
  std::uint32_t nodes = 1;
};

/// Lines from one source, and the number of runs of neighbouring blocks that they form: each run pays a latency.
struct stream {
  std::uint64_t lines = 0;
  std::uint64_t runs = 0;
  std::uint64_t last = 0;  ///< block of the run's end, plus 1; 0: none
};

/// The traffic of one leaf.
struct traffic {
  stream first_level;                     ///< from the first-level cache
  stream own;                             ///< from the rest of the private cache
  stream shared;                          ///< from the shared cache of the place
  stream neighbour;                       ///< from another core's private cache in the place
  std::vector<stream> memory;             ///< by home node
  std::vector<stream> transfers;          ///< newer in a cache of another place, by its node
  std::vector<std::uint64_t> write_back;  ///< lines, by home node

  explicit traffic(std::uint32_t nodes) : memory(nodes), transfers(nodes), write_back(nodes) {}
  void clear() noexcept;
};

class memory_system {
 public:
  /// Throws usage_error for a placement on a node that is not there.
  memory_system(machine_numbers const& machine, memory_shape shape, page_placement where);

  /// A core touches a range of memory: adds the traffic to moved(). Cost: about 20 ns per block, more for blocks that
  /// other cores write; allocates only for memory and cache entries that it meets for the first time.
  void touch(std::uint32_t core, skua::touch const& what);

  [[nodiscard]] traffic const& moved() const noexcept { return moved_; }
  void clear_moved() noexcept { moved_.clear(); }

  [[nodiscard]] page_homes& homes() noexcept { return homes_; }
  [[nodiscard]] page_homes const& homes() const noexcept { return homes_; }
  [[nodiscard]] memory_shape const& shape() const noexcept { return shape_; }

  /// The first broken invariant, as a sentence, or an empty string. For tests: checks everything.
  [[nodiscard]] std::string broken_invariant();

 private:
  /// One block of the touched range: its id, and its number in memory.
  struct block_at {
    block_id id;
    std::uint64_t number;
  };

  void touch_range(std::uint32_t core, std::uint64_t address, std::uint64_t bytes, bool written);
  void access(std::uint32_t core, block_at b, line_set lines, bool written);
  line_set fetch(std::uint32_t core, block_at b, line_set needed, bool written);
  line_set from_dirty_neighbours(std::uint32_t core, block_at b, line_set needed, bool written);
  line_set from_shared(std::uint32_t core, block_at b, line_set needed, line_set& came_dirty);
  line_set from_clean_neighbours(std::uint32_t core, block_at b, line_set needed);
  line_set from_other_places(std::uint32_t core, block_at b, line_set needed, bool written);
  void make_exclusive(std::uint32_t core, block_at b, line_set lines);
  void evict(std::uint32_t core);
  void into_shared(std::uint32_t place, block_id b, line_set lines, line_set dirty);
  void evict_shared(std::uint32_t place);
  void write_back(block_id b, line_set lines);
  [[nodiscard]] std::uint32_t node_of_core(std::uint32_t core) const noexcept {
    return shape_.node_of_place[shape_.place_of_core[core]];
  }
  [[nodiscard]] bool inclusive() const noexcept { return filling_ == filling::inclusive; }
  static void add(stream& to, std::uint64_t block, std::uint32_t lines) noexcept {
    to.lines += lines;
    if (block != to.last && block + 1 != to.last) ++to.runs;
    to.last = block + 1;
  }

  memory_shape shape_;
  filling filling_;
  std::uint32_t line_shift_;
  std::uint32_t block_shift_;  ///< bytes of a block
  line_set whole_;             ///< all lines of a block
  page_homes homes_;
  directory holders_;
  std::size_t directory_blocks_ = 0;  ///< that the directory has room for
  bool has_first_level_;
  std::vector<cache> private_;  ///< by core
  std::vector<cache> shared_;   ///< by place
  traffic moved_;
};

}}}  // namespace skua::v0::sim
