// SPDX-License-Identifier: MIT
// The content of a machine model's file, with every figure checked by itself. machine_model checks what depends on
// several entries (topology, lists as long as there are distances), and needs the line numbers for its errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/sim/model/figure.hpp"
#include "skua/machine/sim/model/machine_numbers.hpp"

namespace skua { inline namespace v0 { namespace sim {

/// Which pairs of NUMA nodes have a link.
enum class wiring : std::uint8_t { all, ring, pairs };

struct model_file {
  std::string origin;
  std::string name;
  std::string about;
  std::string words;  ///< of the topology
  std::uint32_t words_line = 0;
  std::vector<std::uint64_t> distances;  ///< between NUMA nodes, row by row; empty: not given
  std::uint32_t distances_line = 0;
  wiring links = wiring::all;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> linked;  ///< of wiring::pairs, NUMA nodes
  std::uint32_t links_line = 0;
  filling shared_filling = filling::victim;
  std::uint64_t line_bytes = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t page_bytes = 0;
  std::uint32_t granularity_line = 0;
  std::vector<figure> figures;  ///< in the order of figure_rules(); a list in its own order
};

/// Throws usage_error "ORIGIN:LINE: ...".
[[nodiscard]] model_file read_model(std::string_view text, std::string_view origin);

[[noreturn]] void refuse_model(std::string_view origin, std::uint32_t line, std::string const& why);

}}}  // namespace skua::v0::sim
