// SPDX-License-Identifier: MIT
// MPI for the lifetime of a program, and its ranks as a communicator.
#pragma once

#include <memory>

#include "skua/machine/ranks/communicator/communicator.hpp"

namespace skua { inline namespace v0 { namespace mpi {

struct session_options {
  /// Above 0: the ranks watch each other from the start (communicator::watch). If MPI does not start within the larger
  /// of this and 30 s, or does not end within the larger of this and 5 s, because a rank died meanwhile, the process
  /// reports that and exits with 1.
  double deadline_s = 0;
};

/// One per program, in main. If a rank leaves main's scope by an exception, or calls std::exit before this object ends,
/// the other ranks would wait for it for ever: the destructor then ends the whole job (MPI_Abort).
class session {
 public:
  /// Collective over all ranks. Initialises MPI (MPI_THREAD_FUNNELED suffices; the calling thread makes all calls),
  /// unless the program has done so. Throws resource_error, and usage_error for an invalid deadline.
  session(int& argc, char**& argv, session_options options = {});
  /// Finalises MPI if it was initialised here, and no rank died: MPI_Finalize would wait for it. Communicators end before it.
  ~session();
  session(session const&) = delete;
  session& operator=(session const&) = delete;

  /// All ranks.
  [[nodiscard]] communicator& world() noexcept { return *world_; }

 private:
  void leave() noexcept;

  session_options const options_;
  bool finalises_ = false;
  int exceptions_ = 0;
  std::unique_ptr<communicator> world_;
};

/// The name and version of the MPI library, as it reports them: "Open MPI v4.1.4". Local; any time.
[[nodiscard]] std::string library_version();

}}}  // namespace skua::v0::mpi
