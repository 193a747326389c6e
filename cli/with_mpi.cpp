// SPDX-License-Identifier: MIT
// How the command reaches its ranks in a build with MPI.
#include "cli/launcher.hpp"
#include "skua/mpi.hpp"

namespace skua::cli {
namespace {

class mpi_job final : public job {
 public:
  explicit mpi_job(double deadline_s) : session_(argc_, argv_, {.deadline_s = deadline_s}) {}
  [[nodiscard]] communicator& world() override { return session_.world(); }

 private:
  int argc_ = 0;
  char** argv_ = nullptr;
  mpi::session session_;
};

}  // namespace

launcher launcher_of_this_build() {
  return {"MPI", [](double deadline_s) { return std::unique_ptr<job>(std::make_unique<mpi_job>(deadline_s)); }};
}

}  // namespace skua::cli
