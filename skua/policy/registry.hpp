// SPDX-License-Identifier: MIT
// From a name to a policy. What a user types is NAME or NAME:OPTION,OPTION (named_options.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "skua/parts/base/options.hpp"
#include "skua/policy/named_options.hpp"
#include "skua/policy/policy.hpp"
#include "skua/policy/setup.hpp"

namespace skua { inline namespace v0 { namespace policies {

using policy_option = known_option;

/// Which kind of task a policy is made for (combined/combined.md), in the order of `answer_words`
/// (combined/named_answers.hpp).
enum class answer_word : std::uint8_t { forks, spawned, nodes };

/// A registered policy.
struct policy_entry {
  std::string_view name;
  std::string_view about;  ///< one line
  answer_word answers;
  std::span<policy_option const> options;
  std::unique_ptr<policy> (*make)(policy_setup const& from);  ///< for every kind of task
};

/// All policies, in the order in which they are listed; the first is the default.
std::span<policy_entry const> all() noexcept;

/// Without a "checked:" or "only:" before it.
std::string_view without_prefixes(std::string_view name) noexcept;

/// Makes the policy that a name stands for, e.g. "random" or "hierarchical:patience=4". Same layout and seed: same
/// policy.
/// "forks=NAME,spawned=NAME,nodes=NAME" combines three answers (combined/combined.hpp); those by default are auto, strategies
/// and arms. `plain` switches one off: such tasks are treated as forks are. A name by itself gives the answer that the policy
/// is made for: "adws" is "forks=adws".
/// "only:NAME" is that policy for every kind of task, as in its paper.
/// "checked:NAME" is the policy NAME inside a protocol_checker, which aborts if machine or policy breaks the protocol.
/// Throws usage_error for an unknown name, option or value; the message lists what exists.
std::unique_ptr<policy> make_policy(std::string_view name_with_options, layout const& where, std::uint64_t seed);
/// The same for a whole setup but its options, which the name holds.
std::unique_ptr<policy> make_policy(std::string_view name_with_options, policy_setup const& from);

/// A factory of the policies of that name; calling it throws make_policy's errors.
policy_factory policy_named(std::string_view name_with_options);

/// Throws as make_policy would; if a variable chose the policy, the message begins with that: SKUA_POLICY="...": ...
void check_policy(runtime::setting<std::string> const& chosen);

}}}  // namespace skua::v0::policies
