// SPDX-License-Identifier: MIT
// Cores of several kinds: the fast and slow ones of a hybrid processor, and how fast each is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/layout.hpp"
#include "skua/parts/topology/machine_details.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua { inline namespace v0 { namespace runtime {

struct topology_reading;

struct core_kind {
  std::string name = {};  ///< "performance" for the fastest, "efficiency" for the slowest, "middle" between them
  double speed = 1;       ///< topology_pu::speed of each
  std::uint32_t cores = 0;
  cpu_mask pus = {};
};

/// The kinds of a machine's cores by speed, the fastest first; one without a name if all are equally fast.
[[nodiscard]] std::vector<core_kind> core_kinds_of(topology const& machine);

/// "8 cores of kind performance, 4 of kind efficiency (speed 0.59)"; empty if all are equally fast.
[[nodiscard]] std::string core_kinds_text(topology const& machine);

/// "workers 0-7 at speed 1, 8-11 at 0.6"; empty if all workers are equally fast.
[[nodiscard]] std::string worker_speeds_text(layout const& where);

/// What one worker of two gets if they share a core with hardware threads, as a part of what it has alone: both together
/// do about a quarter more. Assumed; published gains lie between nothing and a half.
inline constexpr double share_of_hardware_thread = 0.625;

/// Sets the speed of each PU from what hwloc says of its kind. The capacity of Linux decides if it tells kinds apart (older kernels
/// say 1024 for each kind of an Intel processor). Otherwise the frequency does, times `small_core_per_cycle` for Intel's small
/// cores. Kinds that differ by less than a tenth are equally fast: many processors have a few cores that may clock a little
/// higher. If one kind says nothing, or a PU has no kind, all are.
void set_speeds(std::span<core_kind_details const> kinds, topology_reading& read);

/// Speeds that a user wrote, one per PU: scaled, so that the fastest has 1, and ranked as hwloc ranks kinds.
void set_speeds(std::span<double const> speed_of_pu, topology_reading& read);

/// What an IntelAtom core does per cycle, as a part of what an IntelCore does. Assumed: programs differ, from about a half where
/// wide vectors count to nearly 1.
inline constexpr double small_core_per_cycle = 0.8;

}}}  // namespace skua::v0::runtime
