// SPDX-License-Identifier: MIT
// Records which worker ran which leaf: while a `leaf_record` lives, each worker of its pool logs every `here.leaf`. An
// iterative program takes the rows at the end of each iteration:
//
//   skua::leaf_record record(pool);
//   pool.run([&](auto& here) {
//     for (int i = 0; i < iterations; ++i) {
//       step(here);
//       for (skua::leaf_rows const& of_worker : record.take()) ...
//     }
//   });
//
// Recording adds about 10 ns to a leaf; without a record a leaf costs one branch. apps/map/task_map.hpp makes maps of
// the rows.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/machine/threads/lane/leaf_log.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// While it lives, records which worker of a pool ran which leaf.
class leaf_record {
 public:
  /// Records the leaves of all regions of the pool. No run of the pool may be in progress when the record is made or
  /// destroyed. `memory` holds the rows; the workers use it concurrently. Throws usage_error if another record of the
  /// pool lives, and std::bad_alloc.
  explicit leaf_record(pool& recorded, std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  ~leaf_record();
  leaf_record(leaf_record const&) = delete;
  leaf_record& operator=(leaf_record const&) = delete;

  /// Returns the leaves that each worker has run since the previous call, by worker number; valid until the next call.
  /// No leaf may run meanwhile: call it outside runs, or from the only running task, after a join. Work O(workers).
  [[nodiscard]] std::span<leaf_rows const> take() noexcept;

 private:
  pool& pool_;
  std::vector<leaf_rows> taken_;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::leaf_record;

}}  // namespace skua::v0
