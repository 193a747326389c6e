// SPDX-License-Identifier: MIT
#include "cli/experiment/roof.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

namespace skua::cli {

double least_memory_s(sim::memory_account const& moved, sim::machine_numbers const& by, layout const& where) {
  std::set<std::uint32_t> nodes;
  for (std::uint32_t w = 0; w < where.workers(); ++w) nodes.insert(where.numa_of(worker_id{w}));
  auto const read = static_cast<double>(moved.local_bytes + moved.remote_bytes);
  auto const written = static_cast<double>(moved.written_back_bytes);
  double ns = (read + written) / (by.memory_bytes_per_ns * static_cast<double>(nodes.size()));
  if (by.shared_memory_bytes_per_ns > 0)
    ns = std::max(
        ns, (read + static_cast<double>(moved.transfer_bytes)) / (by.shared_memory_bytes_per_ns * where.places()));
  return 1e-9 * std::max(ns, read / (by.memory_core_bytes_per_ns * where.workers()));
}

}  // namespace skua::cli
