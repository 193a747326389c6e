// SPDX-License-Identifier: MIT
// Under the launcher of another MPI each process would be rank 0 of 1 (parts/base/launcher.md).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/parts/base/launcher.hpp"

namespace skua { inline namespace v0 { namespace mpi {

/// Made before MPI_Init, which sets variables of a launcher itself. SKUA_MPI_LIBRARY is the MPI for which this source is
/// compiled (CMakeLists.txt).
class launch_check {
 public:
  /// After MPI_Init. Throws usage_error if this process should be one of several and is alone; finalises MPI before that
  /// if `ends_mpi`.
  void run(bool ends_mpi) const {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    auto const why =
        runtime::why_alone(launchers_, runtime::mpi_library::SKUA_MPI_LIBRARY, static_cast<std::uint32_t>(ranks));
    if (!why) return;
    if (ends_mpi) MPI_Finalize();
    throw usage_error(*why);
  }

 private:
  std::vector<runtime::launcher> const launchers_ = runtime::find_launchers(runtime::process_environment());
};

}}}  // namespace skua::v0::mpi
