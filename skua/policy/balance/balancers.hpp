// SPDX-License-Identifier: MIT
// From a name to a balancer. What a user types is NAME or NAME:OPTION,OPTION, as for policies (named_options.hpp); balancers
// are no policies, since they decide between two runs and not within one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "skua/policy/balance/centralised.hpp"
#include "skua/policy/balance/hierarchical.hpp"
#include "skua/policy/balance/tempered.hpp"
#include "skua/policy/named_options.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace balance {

/// Every task starts where it ran last.
struct no_balancing {};

/// A balancer with its options: a value, so that a machine with messages sees what it must do.
using balancer = std::variant<no_balancing, centralised_options, hierarchical_options, tempered_options>;

/// A registered balancer.
struct balancer_entry {
  std::string_view name;
  std::string_view about;  ///< one line
  std::span<known_option const> options;
  balancer (*make)(std::span<chosen_option const> chosen);
};

/// All balancers, in the order in which they are listed.
[[nodiscard]] std::span<balancer_entry const> all() noexcept;

/// Makes the balancer that a name stands for, e.g. "none" or "hierarchical:arity=4,donate=1.003".
/// Throws usage_error for an unknown name, option or value; the message lists what exists.
[[nodiscard]] balancer make_balancer(std::string_view name_with_options);

/// Performs the steps of all ranks in one thread. Only tempered uses the seed. Same arguments: same plan.
[[nodiscard]] balance_plan rebalance(machine_loads const& loads, balancer const& chosen, std::uint64_t seed);

}}}}  // namespace skua::v0::policies::balance
