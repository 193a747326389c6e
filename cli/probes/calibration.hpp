// SPDX-License-Identifier: MIT
// This machine as a machine model (docs/machine-models.md). Figures that cannot be measured here, because they need a
// larger machine or cannot be told apart from other costs, are marked as assumed, with a wide range.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/topology/topology.hpp"

namespace skua::cli {

/// The topology, as far as a model needs it.
struct machine_shape {
  std::uint32_t packages = 1;
  std::uint32_t nodes = 1;
  std::uint32_t shared = 1;  ///< L3 caches
  std::uint32_t cores = 1;
  std::uint32_t pus = 1;
  std::size_t first_level_bytes = 0;  ///< of an L1 data cache; 0: not known
  std::size_t private_bytes = 0;      ///< of an L2 cache
  std::size_t shared_bytes = 0;       ///< of an L3 cache
  std::vector<std::uint64_t> distances = {};

  /// "package:1 numa:1 l3:1 core:2 pu:1"
  [[nodiscard]] std::string words() const;
};

/// Throws resource_error unless the machine is made of equal packages, nodes, L3 caches and cores of known sizes. Leaves
/// first_level_bytes at 0: a topology has no such caches.
[[nodiscard]] machine_shape shape_of(topology const& tree);

/// Called before each figure is measured, with how many are done, how many there are, and the figure's key.
using calibration_observer = std::function<void(std::size_t done, std::size_t all, std::string_view key)>;

struct calibrated {
  std::string model;                 ///< the text of the model; a comment instead after an interrupt
  std::size_t done = 0;              ///< measured figures
  std::vector<std::string> missing;  ///< after an interrupt: figures that were not measured
};

/// Measures this machine: medians of `rounds` measurements each. After an interrupt, or an `interruption` from
/// `before`, the text is no model, because it would lack figures: measured figures are in a comment, with the keys of
/// the missing ones. Throws interruption if no figure was measured, and error if the machine is too busy to measure.
[[nodiscard]] calibrated calibrate(machine_shape const& of, std::string const& name, unsigned rounds,
                                   calibration_observer const& before = {});

}  // namespace skua::cli
