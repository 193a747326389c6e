// SPDX-License-Identifier: MIT
// A machine with round numbers that the tests vary: 2 nodes x 2 places x 2 cores, caches of 64 and 256 KiB.
#pragma once

#include <string>
#include <string_view>

#include "skua/machine/sim/model/machine_models.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim {

inline constexpr std::string_view round_machine = R"(name = "round"
about = "for tests"

[topology]
words = "package:2 numa:1 l3:2 core:2 pu:1"
distances = [[10, 20], [20, 10]]

[granularity]
line_bytes = 64
block_bytes = 1024
page_bytes = 4096

[core]
clock_ghz = 2
flops_per_ns = 4
misses_in_flight = 10

[private_cache]
bytes = 65536
bytes_per_ns = 64
latency_ns = 1

[shared_cache]
filling = "victim"
bytes = 262144
bytes_per_ns = 32
latency_ns = 10

[transfer]
bytes_per_ns = 8
latency_ns = 50

[memory]
bytes_per_ns = 16
core_bytes_per_ns = 8
latency_ns = 100

[link]
bytes_per_ns = [4]
core_bytes_per_ns = [2]
latency_ns = [60]

[prices]
fork_ns = 1
expose_ns = 2
pop_ns = 3
steal_ns = 100
miss_ns = 20
send_ns = 30
park_ns = 40
resume_ns = 50
rest_ns = 60
notify_ns = 70
wake_up_ns = { value = 80, assumed = true, low = 8, high = 800, source = "nobody knows" }
steal_lines = 2
miss_lines = 1
send_lines = 3

[idle]
spin_ns = 5000
)";

/// The text with `from`, which must occur in it, replaced.
inline std::string round_machine_with(std::string_view from, std::string_view to) {
  std::string text{round_machine};
  std::size_t const at = text.find(from);
  if (at == std::string::npos) throw error("the round machine has no " + std::string{from});
  return text.replace(at, from.size(), to);
}

/// The same as a ring: nodes 0 to 3 of one place each, and two distances with different figures.
inline std::string ring_machine_with(std::string_view between) {
  std::string text = round_machine_with("package:2 numa:1 l3:2", "package:4 numa:1 l3:1");
  auto const put = [&](std::string_view from, std::string_view to) { text.replace(text.find(from), from.size(), to); };
  put("[[10, 20], [20, 10]]", "[[10, 20, 30, 20], [20, 10, 20, 30], [30, 20, 10, 20], [20, 30, 20, 10]]");
  put("bytes_per_ns = [4]", "between = " + std::string{between} + "\nbytes_per_ns = [4]");
  put("core_bytes_per_ns = [2]", "core_bytes_per_ns = [2, 1]");
  put("latency_ns = [60]", "latency_ns = [60, 90]");
  return text;
}

inline machine_model round_model() { return machine_model::parse(round_machine, "round.toml"); }

}}}  // namespace skua::v0::sim
