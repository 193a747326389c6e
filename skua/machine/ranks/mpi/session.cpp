// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/session.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "skua/machine/ranks/mpi/launch_check.hpp"
#include "skua/machine/ranks/mpi/mpi_transport.hpp"
#include "skua/machine/ranks/mpi/over.hpp"
#include "skua/machine/ranks/mpi/time_limit.hpp"

namespace skua { inline namespace v0 { namespace mpi {

namespace {

// A job with many ranks needs time to start.
constexpr double least_start_s = 30;
constexpr double least_end_s = 5;

}  // namespace

session::session(int& argc, char**& argv, session_options options)
    : options_(options), exceptions_(std::uncaught_exceptions()) {
  bool const watched = options_.deadline_s > 0;
  std::optional<time_limit> limit;
  if (watched) limit.emplace(std::max(options_.deadline_s, least_start_s), "MPI has not started");
  launch_check const launch;
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) {
    int provided = 0;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
      throw resource_error("MPI: it could not be initialised");
    }
    finalises_ = true;
  }
  launch.run(finalises_);
  world_ = over(MPI_COMM_WORLD);
  if (watched) world_->watch(options_.deadline_s);
}

session::~session() {
  if (std::uncaught_exceptions() > exceptions_) {
    std::fprintf(stderr, "skua: rank %u failed; ending the job\n", world_->rank());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::optional<time_limit> limit;
  if (options_.deadline_s > 0) {
    limit.emplace(std::max(options_.deadline_s, least_end_s), "MPI has not ended");
    leave();
  }
  bool const all_live = world_->live() == world_->size();
  world_.reset();
  if (finalises_ && all_live) MPI_Finalize();
}

/// No rank leaves while another one may still need it.
void session::leave() noexcept {
  try {
    world_->barrier();
  } catch (std::exception const& e) {
    std::fprintf(stderr, "skua: rank %u: %s; ending the job\n", world_->rank(), e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
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

}}}  // namespace skua::v0::mpi
