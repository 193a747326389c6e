// SPDX-License-Identifier: MIT
// The modules with which this command reaches the ranks of an MPI job. The command itself is built without an MPI; it loads
// the module of the MPI whose launcher started it. skua/machine/ranks/mpi/modules.md has the states.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "skua/machine/ranks/mpi/module.hpp"
#include "skua/parts/base/launcher.hpp"

namespace skua::cli {

using runtime::mpi_library;

inline constexpr mpi_library all_mpis[] = {mpi_library::openmpi, mpi_library::mpich};

/// lib/skua beside the bin/ that this executable stands in.
[[nodiscard]] std::string folder_of_modules();
/// libskua_mpi_openmpi.so in that folder.
[[nodiscard]] std::string module_path(std::string const& folder, mpi_library which);
[[nodiscard]] std::vector<mpi_library> modules_in(std::string const& folder);

/// What this process runs on. Neither: on itself alone.
struct mpi_choice {
  std::optional<mpi_library> module;
  std::string refusal;  ///< why it cannot run as a rank, and what to do
};

/// `modules`: those in `folder`.
[[nodiscard]] mpi_choice choose_mpi(std::vector<runtime::launcher> const& launchers,
                                    std::vector<mpi_library> const& modules, std::string const& folder);

/// A module stays loaded until the process ends, as its MPI must. Throws resource_error if it cannot be loaded or belongs to another
/// build of Skua.
class loaded_module {
 public:
  /// for_job: MPI finds what it loads itself; for_a_look: several modules may be loaded beside each other.
  enum class use : std::uint8_t { for_job, for_a_look };
  loaded_module(std::string const& path, use what_for);
  /// "Open MPI v4.1.4"
  [[nodiscard]] std::string library_version() const;
  [[nodiscard]] std::unique_ptr<mpi::module_session> open(double deadline_s) const { return entry_->open(deadline_s); }

 private:
  mpi::module_entry const* entry_;
};

/// A module as `skua doctor` shows it: the version of its MPI, or why there is none.
struct module_look {
  mpi_library which;
  std::string path;
  std::string version;  ///< empty: it is missing or cannot be loaded
  std::string why_not;
};
/// Loads those that are there; no MPI is started.
[[nodiscard]] std::vector<module_look> look_at_modules(std::string const& folder);

}  // namespace skua::cli
