// SPDX-License-Identifier: MIT
#include "skua/parts/base/launcher.hpp"

#include <gtest/gtest.h>

#include <map>

namespace skua { inline namespace v0 { namespace runtime { namespace {

using variables = std::map<std::string, std::string>;
using libraries = std::vector<mpi_library>;
constexpr auto openmpi = mpi_library::openmpi;
constexpr auto mpich = mpi_library::mpich;

std::vector<launcher> launchers_of(variables const& all) {
  return find_launchers([&](char const* name) -> std::optional<std::string> {
    auto const found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  });
}

variables with(variables all, variables const& more) {
  all.insert(more.begin(), more.end());
  return all;
}

// As the launchers of Debian 12 set them, rank 2 of 4; what says nothing is left out.
variables const of_openmpi{{"OMPI_COMM_WORLD_SIZE", "4"},
                           {"OMPI_COMM_WORLD_RANK", "2"},
                           {"OMPI_UNIVERSE_SIZE", "4"},
                           {"PMIX_RANK", "2"},
                           {"PMIX_NAMESPACE", "581697537"}};
variables const of_mpich{{"PMI_SIZE", "4"},        {"PMI_RANK", "2"},        {"PMI_FD", "6"},
                         {"MPI_LOCALNRANKS", "4"}, {"MPI_LOCALRANKID", "2"}, {"HYDI_CONTROL_FD", "7"}};
variables const of_srun{
    {"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}};
variables const of_pmix{{"PMIX_RANK", "2"}, {"PMIX_NAMESPACE", "slurm.pmix.7.0"}};
variables const of_pmi2{{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}, {"PMI_FD", "11"}, {"PMI_JOBID", "7.0"}};

TEST(launcher, each_is_known_by_the_variables_that_it_sets) {
  struct row {
    variables set;
    char const* name;
    char const* sign;
    libraries serves;
  };
  for (row const& r :
       {row{of_openmpi, "mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", {openmpi}},
        row{of_mpich, "mpirun of MPICH", "PMI_SIZE", {mpich}}, row{of_pmi2, "mpirun of MPICH", "PMI_SIZE", {mpich}},
        row{{{"MV2_COMM_WORLD_SIZE", "4"}, {"MV2_COMM_WORLD_RANK", "2"}},
            "mpirun of MPICH",
            "MV2_COMM_WORLD_SIZE",
            {mpich}},
        row{with(of_srun, of_pmix), "srun with PMIx", "SLURM_STEP_NUM_TASKS", {openmpi, mpich}},
        row{with(of_srun, of_pmi2), "srun with PMI", "SLURM_STEP_NUM_TASKS", {mpich, openmpi}},
        row{of_srun, "srun without a PMI", "SLURM_STEP_NUM_TASKS", {openmpi, mpich}}}) {
    auto const found = launchers_of(r.set);
    ASSERT_EQ(found.size(), 1U) << r.name;
    EXPECT_EQ(found[0].name, r.name);
    EXPECT_EQ(found[0].sign, r.sign);
    EXPECT_EQ(found[0].processes, 4U) << r.name;
    EXPECT_EQ(found[0].rank, 2U) << r.name;
    EXPECT_EQ(found[0].serves, r.serves) << r.name;
  }
}

TEST(launcher, one_with_pmix_alone_does_not_say_how_many_there_are) {
  auto const found = launchers_of(of_pmix);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].processes, std::nullopt);
  EXPECT_EQ(found[0].rank, 2U);
}

TEST(launcher, numbers_within_the_node_are_not_taken_for_a_rank) {
  auto const found = launchers_of({{"MPI_LOCALNRANKS", "4"}, {"MPI_LOCALRANKID", "2"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].processes, 4U);
  EXPECT_EQ(found[0].rank, std::nullopt);
}

TEST(launcher, there_is_none_without_a_sign_and_in_the_script_of_a_batch_job) {
  EXPECT_TRUE(launchers_of({}).empty());
  EXPECT_TRUE(launchers_of({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).empty());
  EXPECT_TRUE(launchers_of({{"OMPI_MCA_btl", "tcp"}, {"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", "vm"}}).empty());
}

TEST(launcher, a_value_that_is_no_number_above_zero_is_no_sign) {
  for (char const* const value : {"", "0", "four", "4x", "-4", " 4", "99999999999"}) {
    for (char const* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "MPI_LOCALNRANKS"})
      EXPECT_TRUE(launchers_of({{name, value}}).empty()) << name << "=" << value;
    EXPECT_TRUE(launchers_of({{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", value}}).empty()) << value;
  }
  // A rank out of range is none, but the launcher is there.
  auto const found = launchers_of({{"PMI_SIZE", "4"}, {"PMI_RANK", "4"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rank, std::nullopt);
}

TEST(launcher, the_sign_of_an_mpirun_beats_that_of_srun_which_starts_its_daemons) {
  variables const daemon{{"SLURM_STEP_ID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}};
  auto found = launchers_of(with(of_openmpi, daemon));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "mpirun of Open MPI");
  found = launchers_of(with(of_mpich, daemon));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "mpirun of MPICH");
  // Slurm's own PMI of the daemons is no mpirun of MPICH.
  found = launchers_of(with(with(of_openmpi, daemon), of_pmi2));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "mpirun of Open MPI");
}

TEST(launcher, both_are_found_where_one_mpirun_ran_within_the_other) {
  auto const found = launchers_of(with(of_mpich, of_openmpi));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].serves, libraries{openmpi});
  EXPECT_EQ(found[1].serves, libraries{mpich});
}

TEST(launcher, a_rank_is_alone_if_its_mpi_knows_one_rank_and_the_launcher_started_more) {
  struct row {
    variables set;
    mpi_library linked;
    std::uint32_t ranks;
    std::vector<char const*> said;  ///< empty: all is well
  };
  variables const one_of_mpich{{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "1"}};
  variables const one_of_openmpi{{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}};
  for (row const& r : std::vector<row>{
           {{}, openmpi, 1, {}},
           {of_openmpi, openmpi, 4, {}},
           {of_mpich, mpich, 4, {}},
           {one_of_mpich, openmpi, 1, {}},
           {of_openmpi,
            mpich,
            1,
            {"MPI says 1 rank, but OMPI_COMM_WORLD_SIZE says 4", "mpirun of Open MPI", "linked with MPICH"}},
           {of_mpich, openmpi, 1, {"MPI says 1 rank, but PMI_SIZE says 4", "mpirun of MPICH", "linked with Open MPI"}},
           {with(of_openmpi, one_of_mpich), mpich, 1, {}},  // a job of one within another job
           {with(of_openmpi, one_of_mpich), openmpi, 4, {}},
           {with(of_mpich, one_of_openmpi), mpich, 1, {"PMI_SIZE says 4", "does not find the other ranks"}},
           {of_srun, openmpi, 1, {"SLURM_STEP_NUM_TASKS says 4", "srun without a PMI", "--mpi=pmi2"}},
           {with(of_srun, of_pmix), mpich, 1, {"SLURM_STEP_NUM_TASKS says 4", "MPICH does not find", "--mpi=pmix"}},
           {with(of_srun, of_pmix), mpich, 4, {}},
           {of_pmix, mpich, 1, {"MPI says 1 rank, but PMIX_RANK says 2", "MPICH does not find"}},
           {{{"PMIX_RANK", "0"}}, mpich, 1, {}}}) {
    auto const why = why_alone(launchers_of(r.set), r.linked, r.ranks);
    EXPECT_EQ(why.has_value(), !r.said.empty()) << why.value_or("no sentence");
    for (char const* const part : r.said) EXPECT_NE(why.value_or("").find(part), std::string::npos) << *why;
  }
}

}}}}  // namespace skua::v0::runtime
