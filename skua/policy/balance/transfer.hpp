// SPDX-License-Identifier: MIT
// The two steps of tempered balancing that move tasks: an overloaded rank gives tasks to ranks that it has heard of, and two
// ranks exchange tasks. Nothing moves yet: a rank keeps the descriptions of the tasks that would start there.
// [lifflander-et-al-21, lifflander-et-al-24]
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/balance/gossip.hpp"
#include "skua/policy/balance/loads.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// The cost, beside its load, of running a task on a rank, e.g. because its data are far away: added to the load
/// wherever receivers are compared. Empty: none, the default. The answer for one pair must not change during a call.
using extra_cost = std::function<load_ns(donated_task const& task, std::uint32_t rank)>;

/// The tasks that would start at a rank, and their load.
struct tentative_rank {
  std::vector<donated_task> tasks;
  load_ns load = 0;

  void add(donated_task const& t);
};

/// The order in which an overloaded rank tries its tasks.
enum class transfer_order : std::uint8_t {
  fewest,    ///< first the shortest that suffices alone, then shorter ones, longest first, then longer ones
  shortest,  ///< shortest first
  longest,   ///< longest first
};

struct transfer {
  donated_task task;
  std::uint32_t receiver = 0;  ///< rank
};

/// Removes tasks from `self` until its load is at most `average`, or until each was tried once: a task goes to a rank
/// chosen by its load if task < load(self) - load(receiver), so that the larger of both loads falls. (At equality
/// they only swap loads, and a single long task would move for ever.) `known` learns what the receivers get.
/// Cost: O(n log n + n known).
[[nodiscard]] std::vector<transfer> transfers(tentative_rank& self, double average, known_ranks& known,
                                              transfer_order order, extra_cost const& extra, runtime::dice& roll);

/// Lowers the larger of two loads: exchanges one task of one side for none or some of the other's, the best exchange
/// first, until none helps or the larger load is at most `goal`. Returns how many tasks changed sides. Knows no extra
/// costs. Cost: O((n + m)^2) at worst per exchange.
std::uint32_t exchange(tentative_rank& a, tentative_rank& b, double goal);

}}}}  // namespace skua::v0::policies::balance
