// SPDX-License-Identifier: MIT
#include "skua/machine/ranks/mpi/session.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "skua/machine/ranks/communicator/communicator_core.hpp"
#include "skua/machine/ranks/mpi/job_end.hpp"
#include "skua/machine/ranks/mpi/launch_check.hpp"
#include "skua/machine/ranks/mpi/mpi_transport.hpp"
#include "skua/machine/ranks/mpi/over.hpp"
#include "skua/machine/ranks/mpi/time_limit.hpp"

namespace skua { inline namespace v0 { namespace mpi {

namespace {

// A job with many ranks needs time to start.
constexpr double least_start_s = 30;
constexpr double least_end_s = 5;

bool is_finalised() {
  int is_over = 0;
  MPI_Finalized(&is_over);
  return is_over != 0;
}

/// The program has initialised MPI. Unless it asked for more, only that thread may call MPI.
void expect_right_thread() {
  int level = MPI_THREAD_SINGLE;
  int is_main = 0;
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&is_main);
  if (level >= MPI_THREAD_SERIALIZED || is_main != 0) return;
  throw usage_error(
      "a session in another thread than the one that initialised MPI, with less than MPI_THREAD_SERIALIZED; allowed: "
      "in "
      "that thread");
}

}  // namespace

session::session(int& argc, char**& argv, session_options options)
    : options_(options), exceptions_(std::uncaught_exceptions()) {
  if (is_finalised()) {
    throw usage_error("MPI has been finalised, and cannot be initialised again; allowed: one session in a process");
  }
  bool const watched = options_.deadline_s > 0;
  std::optional<time_limit> limit;
  if (watched) limit.emplace(std::max(options_.deadline_s, least_start_s), "MPI has not started");
  launch_check const launch;
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) {
    expect_right_thread();
  } else {
    int provided = 0;
    int const level = skua::ranks::progress_thread::is_wanted() ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
    if (MPI_Init_thread(&argc, &argv, level, &provided) != MPI_SUCCESS) {
      throw resource_error("MPI: it could not be initialised");
    }
    finalises_ = true;
  }
  launch.run(finalises_);
  world_ = over(MPI_COMM_WORLD);
  if (watched) world_->watch(options_.deadline_s);
  if (world_->size() > 1) end_ = job_end::of_session(world_->rank());
}

/// A destructor has no caller to tell.
template <class F>
void session::or_abort(F f) noexcept {
  try {
    f();
  } catch (std::exception const& e) {
    ranks::failure const* const why = world_->core_->order().last_failure();
    end_->abort(why != nullptr ? *why : ranks::failure{world_->rank(), e.what()});
  }
}

session::~session() {
  if (is_finalised()) {
    std::fprintf(stderr, "skua: rank %u: MPI_Finalize was called before the end of the session; allowed: after it\n",
                 world_->rank());
    static_cast<void>(world_.release());  // never freed: its end would call MPI
    if (end_ != nullptr) end_->is_complete();
    return;
  }
  if (end_ != nullptr) {
    if (std::uncaught_exceptions() > exceptions_) {
      end_->left_by_exception(world_->core_->order().last_failure(), std::max(options_.deadline_s, least_end_s));
      static_cast<void>(world_.release());  // never freed: its end would wait for the other ranks
      return;
    }
    or_abort([this] { world_->core_->wait_for_the_end(); });
    end_->is_complete();
  }
  std::optional<time_limit> limit;
  if (options_.deadline_s > 0) limit.emplace(std::max(options_.deadline_s, least_end_s), "MPI has not ended");
  bool const all_live = world_->live() == world_->size();
  if (end_ != nullptr) or_abort([this] { world_->core_->network().receive_the_rest(); });
  world_.reset();
  if (finalises_ && all_live) MPI_Finalize();
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
