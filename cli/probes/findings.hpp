// SPDX-License-Identifier: MIT
// What `skua doctor` finds out: a pool is made as any program would make it, and asked.
#pragma once

#include <string>
#include <vector>

#include "cli/machine_facts.hpp"
#include "skua/machine/threads/pool/pool.hpp"
#include "skua/parts/base/fence.hpp"
#include "skua/parts/memory/abilities.hpp"
#include "skua/parts/topology/cgroup.hpp"
#include "skua/parts/topology/cpu_mask.hpp"
#include "skua/parts/topology/default_workers.hpp"
#include "skua/parts/topology/topology.hpp"

namespace skua::cli {

/// One setting of the pool, and who chose it.
struct shown_setting {
  std::string name;
  std::string value;
  std::string from;
};

struct findings {
  machine_facts machine;
  topology tree;
  cpu_mask mask;  ///< where this process may run
  cpu_quota quota;
  default_workers usual;  ///< what a pool gets when nobody says how many
  pool_facts facts;
  layout map;
  fences fence;
  std::string why_fence;
  page_abilities pages;  ///< what the kernel lets us do with memory

  /// What this machine lacks or forbids, why that is so or what follows, one sentence each.
  [[nodiscard]] std::vector<std::string> missing() const;
  [[nodiscard]] std::vector<shown_setting> settings_shown() const;
};

/// Starts and joins a pool. Throws what pool's constructor throws.
[[nodiscard]] findings examine(pool_options const& chosen, topology tree);

}  // namespace skua::cli
