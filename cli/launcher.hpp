// SPDX-License-Identifier: MIT
// The only part of the command that differs in a build with MPI: with_mpi.cpp or without_mpi.cpp is linked.
#pragma once

#include "cli/measure/on_ranks.hpp"

namespace skua::cli {

[[nodiscard]] launcher launcher_of_this_build();

}  // namespace skua::cli
