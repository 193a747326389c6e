// SPDX-License-Identifier: MIT
// "Did you mean ...?": the known name that is the fewest edits away from what was typed. Policies, apps and the
// subcommands and options of `skua` use it in their errors.
#pragma once

#include <string_view>
#include <vector>

namespace skua { inline namespace v0 { namespace runtime {

/// The nearest of `known`, or an empty view when none is near (more than a third of its letters differ, and it does
/// not begin with what was typed). Capitals count as small letters. Cost: the sum of the products of lengths.
std::string_view nearest_name(std::string_view typed, std::vector<std::string_view> const& known);

}}}  // namespace skua::v0::runtime
