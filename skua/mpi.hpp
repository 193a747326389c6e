// SPDX-License-Identifier: MIT
// Skua's ranks over MPI: link skua::mpi. For a communicator over a part of the ranks: skua/machine/ranks/mpi/over.hpp.
#pragma once

#include "skua/machine/ranks/mpi/session.hpp"
#include "skua/ranks.hpp"
