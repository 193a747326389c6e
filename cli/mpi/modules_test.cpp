// SPDX-License-Identifier: MIT
// The states of skua/machine/ranks/mpi/modules.md, without an MPI. tests/cli/ranks_test.py and tests/install run the rest.
#include "cli/mpi/modules.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

using runtime::launcher;
using libraries = std::vector<mpi_library>;
constexpr auto openmpi = mpi_library::openmpi;
constexpr auto mpich = mpi_library::mpich;
constexpr char const* folder = "/p/lib/skua";

launcher of_openmpi(unsigned n) { return {"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", n, 0, {openmpi}}; }
launcher of_mpich(unsigned n) { return {"mpirun of MPICH", "PMI_SIZE", n, 0, {mpich}}; }
launcher of_srun(unsigned n, libraries serves) { return {"srun", "SLURM_STEP_NUM_TASKS", n, 0, std::move(serves)}; }
launcher of_pmix() { return {"a launcher with PMIx", "PMIX_RANK", {}, 0, {openmpi, mpich}}; }

TEST(mpi_choice, follows_the_launcher_and_not_the_modules) {
  struct row {
    std::vector<launcher> launchers;
    libraries modules;
    std::optional<mpi_library> chosen;
  };
  for (row const& r : std::vector<row>{{{}, {}, {}},
                                       {{}, {openmpi, mpich}, {}},
                                       {{of_openmpi(4)}, {openmpi, mpich}, openmpi},
                                       {{of_openmpi(1)}, {openmpi}, openmpi},
                                       {{of_openmpi(1)}, {mpich}, {}},  // alone is what one process is
                                       {{of_openmpi(1)}, {}, {}},
                                       {{of_mpich(4)}, {openmpi, mpich}, mpich},
                                       {{of_mpich(4)}, {mpich}, mpich},
                                       {{of_srun(4, {openmpi, mpich})}, {openmpi, mpich}, openmpi},
                                       {{of_srun(4, {openmpi, mpich})}, {mpich}, mpich},
                                       {{of_srun(4, {mpich, openmpi})}, {openmpi, mpich}, mpich},
                                       {{of_srun(4, {mpich, openmpi})}, {openmpi}, openmpi},
                                       {{of_pmix()}, {mpich}, mpich},
                                       {{of_openmpi(1), of_mpich(1)}, {mpich}, mpich},
                                       {{of_openmpi(1), of_mpich(1)}, {}, {}}}) {
    mpi_choice const made = choose_mpi(r.launchers, r.modules, folder);
    EXPECT_EQ(made.module, r.chosen);
    EXPECT_EQ(made.refusal, "");
  }
}

TEST(mpi_choice, is_refused_where_each_process_would_run_alone) {
  struct row {
    std::vector<launcher> launchers;
    libraries modules;
    std::vector<char const*> said;
  };
  for (row const& r : std::vector<row>{
           {{of_openmpi(4)},
            {},
            {"mpirun of Open MPI started 4 processes (OMPI_COMM_WORLD_SIZE)", "no module for Open MPI",
             "/p/lib/skua/libskua_mpi_openmpi.so is missing", "skua-openmpi", "libopenmpi-dev"}},
           {{of_openmpi(2)}, {mpich}, {"libskua_mpi_openmpi.so is missing"}},
           {{of_mpich(3)}, {openmpi}, {"mpirun of MPICH started 3 processes", "libskua_mpi_mpich.so", "skua-mpich"}},
           {{of_srun(2, {mpich, openmpi})}, {}, {"srun started 2 processes", "libskua_mpi_mpich.so"}},
           {{of_pmix()}, {}, {"a launcher with PMIx started this process (PMIX_RANK)", "libskua_mpi_openmpi.so"}},
           {{of_openmpi(4), of_mpich(2)},
            {openmpi, mpich},
            {"OMPI_COMM_WORLD_SIZE is 4", "PMI_SIZE is 2", "env -u PMI_SIZE"}},
           {{of_openmpi(1), of_mpich(2)},
            {openmpi, mpich},
            {"OMPI_COMM_WORLD_SIZE is 1", "env -u OMPI_COMM_WORLD_SIZE"}}}) {
    mpi_choice const made = choose_mpi(r.launchers, r.modules, folder);
    EXPECT_EQ(made.module, std::nullopt);
    for (char const* const part : r.said) EXPECT_NE(made.refusal.find(part), std::string::npos) << made.refusal;
  }
}

class a_module : public testing::Test {
 protected:
  a_module() {
    std::string name = (std::filesystem::temp_directory_path() / "skua-modules-XXXXXX").string();
    where_ = ::mkdtemp(name.data());
  }
  ~a_module() override { std::filesystem::remove_all(where_); }
  std::filesystem::path where_;
};

TEST_F(a_module, that_is_there_is_found) {
  EXPECT_EQ(modules_in(where_), libraries{});
  std::ofstream(module_path(where_, mpich)) << "no library";
  EXPECT_EQ(modules_in(where_), libraries{mpich});
}

TEST_F(a_module, that_cannot_be_loaded_is_a_resource_error_with_the_loaders_reason) {
  std::ofstream(module_path(where_, openmpi)) << "no library";
  try {
    loaded_module const broken(module_path(where_, openmpi), loaded_module::use::for_a_look);
    FAIL() << "it was loaded";
  } catch (resource_error const& fault) {
    EXPECT_NE(std::string(fault.what()).find("libskua_mpi_openmpi.so"), std::string::npos) << fault.what();
  }
  auto const seen = look_at_modules(where_);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].version, "");
  EXPECT_NE(seen[0].why_not.find("cannot be loaded"), std::string::npos) << seen[0].why_not;
  EXPECT_NE(seen[1].why_not.find("skua-mpich"), std::string::npos) << seen[1].why_not;
}

TEST_F(a_module, of_something_else_is_a_resource_error) {
  try {
    loaded_module const other("libm.so.6", loaded_module::use::for_a_look);
    FAIL() << "it was loaded";
  } catch (resource_error const& fault) {
    EXPECT_NE(std::string(fault.what()).find("another build"), std::string::npos) << fault.what();
  }
}

}}  // namespace skua::cli
