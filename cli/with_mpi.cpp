// SPDX-License-Identifier: MIT
// How the command reaches its ranks in a build with MPI.
#include "cli/launcher.hpp"
#include "skua/mpi.hpp"

namespace skua::cli {
namespace {

class mpi_job final : public job {
 public:
  [[nodiscard]] communicator& world() override { return session_.world(); }

 private:
  int argc_ = 0;
  char** argv_ = nullptr;
  mpi::session session_{argc_, argv_};
};

}  // namespace

launcher launcher_of_this_build() {
  return {"MPI", [] { return std::unique_ptr<job>(std::make_unique<mpi_job>()); }};
}

}  // namespace skua::cli
