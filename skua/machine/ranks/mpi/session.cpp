// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/session.hpp"

#include <mpi.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string>

#include "skua/machine/ranks/mpi/mpi_transport.hpp"
#include "skua/machine/ranks/mpi/over.hpp"

namespace skua::inline v0::mpi {

session::session(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) {
    int provided = 0;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
      throw resource_error("MPI: it could not be initialised");
    }
    finalises_ = true;
  }
  world_ = over(MPI_COMM_WORLD);
}

session::~session() {
  if (std::uncaught_exceptions() > exceptions_) {
    std::fprintf(stderr, "skua: rank %u failed; ending the job\n", world_->rank());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  world_.reset();
  if (finalises_) MPI_Finalize();
}

std::unique_ptr<communicator> over(MPI_Comm ranks) {
  return std::make_unique<communicator>(std::make_unique<skua::ranks::mpi_transport>(ranks));
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string const said(text.data(), static_cast<std::size_t>(length));
  return said.substr(0, said.find_first_of(",\n"));
}

}  // namespace skua::inline v0::mpi
