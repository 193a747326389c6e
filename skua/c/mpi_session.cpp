// SPDX-License-Identifier: MIT
// skua_ranks_of_mpi of skua/ranks.h.
#include "skua/c/ranks_of.hpp"
#include "skua/machine/ranks/mpi/session.hpp"

namespace {

struct ranks_of_mpi final : skua_ranks {
  explicit ranks_of_mpi(double deadline_s) : session_(argc_, argv_, {.deadline_s = deadline_s}) {}
  [[nodiscard]] skua::communicator& world() override { return session_.world(); }

 private:
  // MPI accepts a program without arguments; what a program in C wants to pass on it passes to MPI_Init itself.
  int argc_ = 0;
  char* none_[1] = {nullptr};
  char** argv_ = none_;
  skua::mpi::session session_;
};

}  // namespace

extern "C" int skua_ranks_of_mpi(double deadline_s, skua_ranks** made) {
  return skua::c::guarded([&] { skua::c::given(made, "skua_ranks_of_mpi", "made") = new ranks_of_mpi(deadline_s); });
}
