// SPDX-License-Identifier: MIT
// Which launcher started this process as a rank, by the environment variables that it set. launcher.md has their table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skua/parts/base/options.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The MPIs that Skua is built for. mpich: also those with its binary interface (Intel MPI, MVAPICH, Cray).
enum class mpi_library : std::uint8_t { openmpi, mpich };

/// "Open MPI"
[[nodiscard]] std::string_view name_of(mpi_library which) noexcept;
/// As in the names of files and packages: "openmpi".
[[nodiscard]] std::string_view word_of(mpi_library which) noexcept;

struct launcher {
  std::string name;  ///< "mpirun of Open MPI"
  std::string sign;  ///< the variable that gave it away, and for most the number: "OMPI_COMM_WORLD_SIZE"
  /// This one included. Nullopt: the launcher does not say.
  std::optional<std::uint32_t> processes;
  std::optional<std::uint32_t> rank;  ///< below `processes`
  /// MPIs whose ranks find each other through it, the likeliest first.
  std::vector<mpi_library> serves;
};

/// Empty: no launcher. Two: one mpirun was started within another one's job, and this process is a rank of either.
[[nodiscard]] std::vector<launcher> find_launchers(environment const& get);

/// For a program of this MPI, which knows `ranks` ranks. A sentence if this process should be one of several, so that each
/// of them would run alone; otherwise nullopt.
[[nodiscard]] std::optional<std::string> why_alone(std::vector<launcher> const& launchers, mpi_library linked,
                                                   std::uint32_t ranks);

}}}  // namespace skua::v0::runtime
