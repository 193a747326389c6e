// SPDX-License-Identifier: MIT
// Which worker ran which leaf: while a `leaf_record` lives, the workers of its pool note every `here.leaf`, each in a list
// of its own. A program of iterations asks at the end of each:
//
//   skua::leaf_record record(pool);
//   pool.run([&](auto& here) {
//     for (int i = 0; i < iterations; ++i) {
//       step(here);
//       for (skua::leaf_rows const& of_worker : record.take()) ...
//     }
//   });
//
// A leaf costs about 10 ns more meanwhile, and a branch at other times. Maps made of it: apps/map/task_map.hpp.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "skua/machine/threads/pool/pool.hpp"
#include "skua/machine/threads/worker/leaf_log.hpp"

namespace skua::runtime {

class leaf_record {
 public:
  /// Of all regions of the pool. No run of the pool may be under way, now and when the record ends. Rows live in `memory`,
  /// which workers use at the same time. Throws usage_error if the pool is being recorded already, std::bad_alloc.
  explicit leaf_record(pool& of, std::pmr::memory_resource* memory = std::pmr::new_delete_resource());
  ~leaf_record();
  leaf_record(leaf_record const&) = delete;
  leaf_record& operator=(leaf_record const&) = delete;

  /// What each worker ran since the last time, in the order of workers; valid until the next call. To be called where no
  /// leaf runs: outside of runs, or by the one task that runs, after a join. Work O(workers).
  [[nodiscard]] std::span<leaf_rows const> take() noexcept;

 private:
  pool& of_;
  std::vector<leaf_rows> taken_;
};

}  // namespace skua::runtime

namespace skua {

using runtime::leaf_record;

}  // namespace skua
