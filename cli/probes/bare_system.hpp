// SPDX-License-Identifier: MIT
// What small containers and fresh chroots lack, though programs beside Skua need it: terminals that a program makes,
// and an address of the host's own name.
#pragma once

#include <string>
#include <vector>

namespace skua::cli {

/// A sentence for each thing that is not there, with its cause. Asks the system for the address of the host's name:
/// where /etc/hosts does not have it and no name server answers, that takes a second per server. Not while other
/// threads run, because it sets RES_OPTIONS.
[[nodiscard]] std::vector<std::string> missing_on_a_bare_system();

}  // namespace skua::cli
