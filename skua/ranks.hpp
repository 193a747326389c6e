// SPDX-License-Identifier: MIT
// Task collections over many ranks: one include. A program gets its communicator from skua::mpi::session (skua/mpi.hpp, the target
// skua::mpi), or from communicator::alone() where there is no MPI.
#pragma once

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/parts/base/built_with.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/program/collection/host.hpp"
#include "skua/program/collection/task_collection.hpp"
