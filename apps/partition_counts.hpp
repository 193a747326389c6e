// SPDX-License-Identifier: MIT
// How often each partition of the workers ran a moldable task: the histogram of Figure 10 of the paper on ARMS (2021), for the
// rows of `skua run`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "apps/json_value.hpp"

namespace skua::apps {

/// By leader and width.
using partition_counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

/// The facts `widths` and `partitions`, the latter by "[leader, width]".
inline void add_partitions(json_value& facts, partition_counts const& counted) {
  std::map<std::uint32_t, std::uint64_t> widths;
  facts["partitions"] = json_value::object();
  for (auto const& [partition, tasks] : counted) {
    auto const& [leader, width] = partition;
    widths[width] += tasks;
    facts["partitions"]["[" + std::to_string(leader) + ", " + std::to_string(width) + "]"] = tasks;
  }
  facts["widths"] = json_value::object();
  for (auto const& [width, tasks] : widths) facts["widths"][std::to_string(width)] = tasks;
}

}  // namespace skua::apps
