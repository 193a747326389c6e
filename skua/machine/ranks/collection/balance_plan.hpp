// SPDX-License-Identifier: MIT
// From what all ranks measured to who sends which task where. The balancers themselves are pure functions of the loads
// (policy/balance); this file brings them the loads, and brings home what they decided.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "skua/machine/ranks/collection/task_record.hpp"
#include "skua/machine/ranks/communicator/collectives.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// What this rank has to send. Collective. `times_ns`: of the entries of its record. Throws usage_error on every rank for a
/// name that is no balancer. Cost: every rank's times travel to rank 0, which runs the balancer for all.
[[nodiscard]] std::vector<move_order> orders_of(collectives& all, rank_number rank,
                                                std::span<std::uint64_t const> times_ns, std::string_view how);

}}}  // namespace skua::v0::ranks
