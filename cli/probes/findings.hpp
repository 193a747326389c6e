// SPDX-License-Identifier: MIT
// The examination of `skua doctor`: it makes a pool as any program would, and inspects it.
#pragma once

#include <string>
#include <vector>

#include "cli/probes/machine_facts.hpp"
#include "skua/machine/threads/face/pool.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/memory/abilities.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::cli {

/// One setting of the pool, and its source.
struct shown_setting {
  std::string name;
  std::string value;
  std::string from;
};

struct findings {
  machine_facts machine;
  topology tree;
  runtime::cpu_mask mask;  ///< where this process may run
  runtime::cpu_quota quota;
  runtime::default_workers usual;  ///< of a pool without a given number of workers
  pool_facts facts;
  layout map;
  runtime::fences fence;
  std::string why_fence;
  runtime::page_abilities pages;          ///< what the kernel allows with memory
  std::vector<std::string> system_lacks;  ///< missing_on_a_bare_system()

  /// Features that this machine lacks or forbids, with the reason or the consequence, one sentence each.
  [[nodiscard]] std::vector<std::string> missing() const;
  [[nodiscard]] std::vector<shown_setting> settings_shown() const;
};

/// Starts and joins a pool. Throws what its constructor throws.
[[nodiscard]] findings examine(pool_options const& chosen, topology tree);

}  // namespace skua::cli
