// SPDX-License-Identifier: MIT
// A communicator over any communicator of MPI's. Needs mpi.h, which skua/mpi.hpp does without.
#pragma once

#include <mpi.h>

#include <memory>

#include "skua/machine/ranks/communicator/communicator.hpp"

namespace skua { inline namespace v0 { namespace mpi {

/// Collective over `ranks`, which is duplicated: the program's own messages on it are never touched. MPI must be
/// initialised, and must be finalised after the end of the result. Throws resource_error.
[[nodiscard]] std::unique_ptr<communicator> over(MPI_Comm ranks);

}}}  // namespace skua::v0::mpi
