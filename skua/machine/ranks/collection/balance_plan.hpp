// SPDX-License-Identifier: MIT
// From the times measured on all ranks to the tasks that each rank sends. The balancers themselves are pure functions
// of the loads (policy/balance); this file collects the loads, and distributes the decisions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// The tasks that this rank has to send. Collective. `times_ns`: of the entries of its record. Throws usage_error on
/// every rank for an unknown balancer. Cost: every rank's times travel to rank 0, which runs the balancer for all.
[[nodiscard]] std::vector<move_order> orders_of(collectives& all, rank_number rank,
                                                std::span<std::uint64_t const> times_ns, std::string_view how);

}}}  // namespace skua::v0::ranks
