// SPDX-License-Identifier: MIT
// MPI for the lifetime of a program, and its ranks as a communicator.
#pragma once

#include <memory>

#include "skua/machine/ranks/communicator/communicator.hpp"

namespace skua { inline namespace v0 { namespace mpi {

class job_end;

struct session_options {
  /// Above 0: the ranks watch each other from the start (communicator::watch). If MPI does not start within the larger
  /// of this and 30 s, or does not end within the larger of this and 5 s after all ranks have come to the end of their
  /// sessions, because a rank died meanwhile, the process reports that and exits with 1.
  double deadline_s = 0;
};

/// One per program, in main. A rank that leaves before the others would make them wait for ever. So a rank ends the whole
/// job (MPI_Abort, status 1), and says why on standard error,
/// - if an exception leaves the scope of this object: when the process exits, so that the program can report the
///   exception first, or 5 s later;
/// - if it calls std::exit before the end of this object;
/// - if it comes to the end of this object while another rank is in a collective call: the others throw usage_error.
class session {
 public:
  /// Collective over all ranks. Initialises MPI, with MPI_THREAD_MULTIPLE for a progress thread (docs/ranks.md) unless SKUA_PROGRESS_THREAD is
  /// off, and unless the program has done so: then MPI_THREAD_FUNNELED suffices, and the calling thread makes all calls. Throws resource_error, and usage_error for an invalid deadline, after MPI_Finalize,
  /// and in a thread that may not call MPI.
  session(int& argc, char**& argv, session_options options = {});
  /// Collective: waits for the other ranks, without a deadline. Finalises MPI if it was initialised here, and no rank
  /// died: MPI_Finalize would wait for it. Communicators end before it.
  ~session();
  session(session const&) = delete;
  session& operator=(session const&) = delete;

  /// All ranks.
  [[nodiscard]] communicator& world() noexcept { return *world_; }

 private:
  template <class F>
  void or_abort(F f) noexcept;

  session_options const options_;
  bool finalises_ = false;
  int exceptions_ = 0;
  std::unique_ptr<communicator> world_;
  std::shared_ptr<job_end> end_;  ///< null: nobody waits for the only rank
};

/// The name and version of the MPI library, as it reports them: "Open MPI v4.1.4". Local; any time.
[[nodiscard]] std::string library_version();

}}}  // namespace skua::v0::mpi
