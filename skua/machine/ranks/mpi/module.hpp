// SPDX-License-Identifier: MIT
// What the command and the module of an MPI know of each other: the command, which is built without an MPI, loads
// lib/skua/libskua_mpi_openmpi.so or libskua_mpi_mpich.so at run time (modules.md). All other code of Skua in the module's
// process is the command's.
#pragma once

#include <memory>
#include <string>

#include "skua/machine/ranks/communicator/communicator.hpp"

namespace skua { inline namespace v0 { namespace mpi {

/// A session (session.hpp) of the module's MPI.
class module_session {
 public:
  virtual ~module_session() = default;
  [[nodiscard]] virtual communicator& world() = 0;
};

struct module_entry {
  /// Of the build that made it: with another one's the rest of this struct means nothing.
  char const* build;
  /// mpi::library_version: local, any time.
  std::string (*library_version)();
  /// As the constructor of mpi::session.
  std::unique_ptr<module_session> (*open)(double deadline_s);
};

/// The function `module_entry const* skua_mpi_module()`, the only name that a module exports.
inline constexpr char const* name_of_entry = "skua_mpi_module";

}}}  // namespace skua::v0::mpi
