// SPDX-License-Identifier: MIT
// The input of a policy's factory: one value, so that a policy that needs more changes nothing for the others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "skua/parts/topology/layout.hpp"
#include "skua/policy/known_time.hpp"

namespace skua { inline namespace v0 { namespace policies {

class policy;
namespace arms {
class partitions;
}

/// One option as typed; both views point into what the user typed.
struct chosen_option {
  std::string_view word;
  std::string_view value = {};  ///< empty: none was given, or nothing after the =
};

/// Valid while the policy is made.
struct policy_setup {
  skua::layout const& layout;  ///< the workers of the region
  std::uint64_t seed = 0;
  std::span<chosen_option const> options = {};   ///< each known to the policy, none twice
  arms::partitions const* partitions = nullptr;  ///< of these workers, from a file; null: from the topology
  known_times known = {};  ///< what policy::known() and choices() returned at the end of an earlier run
};

/// Makes a policy; called once per region, and once for each outside thread that works beside a full region. Any
/// thread. Throws usage_error for a setup that the policy cannot serve.
using policy_factory = std::function<std::unique_ptr<policy>(policy_setup const&)>;

}}}  // namespace skua::v0::policies
