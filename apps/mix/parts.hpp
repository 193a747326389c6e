// SPDX-License-Identifier: MIT
// The parts of a mix: apps with their options, as one writes them on a command line, with a comma between each two.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apps/app.hpp"

namespace skua::apps::mix {

/// "prefix-sum --n 1000, uts --form spawn": two apps, their options set, not prepared. Throws usage_error for an app or an
/// option that does not exist, for a mix, and for fewer than 2 or more than 16 apps.
std::vector<std::unique_ptr<app>> parts_in(std::string_view text);

}  // namespace skua::apps::mix
