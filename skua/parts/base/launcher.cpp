// SPDX-License-Identifier: MIT
#include "skua/parts/base/launcher.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace skua { inline namespace v0 { namespace runtime {
namespace {

constexpr auto openmpi = mpi_library::openmpi;
constexpr auto mpich = mpi_library::mpich;

std::optional<std::uint32_t> number_in(environment const& get, char const* variable) {
  std::optional<std::string> const text = get(variable);
  if (!text) return {};
  std::uint32_t n = 0;
  auto const [end, wrong] = std::from_chars(text->data(), text->data() + text->size(), n);
  if (wrong != std::errc{} || end != text->data() + text->size()) return {};
  return n;
}

bool is_set(environment const& get, char const* variable) { return get(variable).has_value(); }

/// The launcher, if the variables make sense. `rank` may be null.
std::optional<launcher> launched_by(environment const& get, char const* name, char const* size, char const* rank,
                                    std::vector<mpi_library> serves) {
  auto const processes = number_in(get, size);
  if (!processes || *processes == 0) return {};
  auto of_this = rank == nullptr ? std::nullopt : number_in(get, rank);
  if (of_this && *of_this >= *processes) of_this.reset();
  return launcher{name, size, processes, of_this, std::move(serves)};
}

bool is_within_srun(environment const& get) { return is_set(get, "SLURM_STEP_ID"); }

std::optional<launcher> mpirun_of_mpich(environment const& get) {
  bool const hydra = is_set(get, "MPI_LOCALNRANKS") || is_set(get, "HYDI_CONTROL_FD");
  constexpr char const* name = "mpirun of MPICH";
  std::optional<launcher> found;
  if (hydra || !is_within_srun(get)) found = launched_by(get, name, "PMI_SIZE", "PMI_RANK", {mpich});
  if (!found) found = launched_by(get, name, "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", {mpich});
  if (!found) found = launched_by(get, name, "MPI_LOCALNRANKS", nullptr, {mpich});  // of this node
  return found;
}

std::optional<launcher> srun(environment const& get) {
  if (!is_within_srun(get)) return {};
  auto const with = [&](char const* name, std::vector<mpi_library> serves) {
    return launched_by(get, name, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", std::move(serves));
  };
  if (is_set(get, "PMIX_RANK")) return with("srun with PMIx", {openmpi, mpich});
  if (is_set(get, "PMI_RANK") || is_set(get, "PMI_FD")) return with("srun with PMI", {mpich, openmpi});
  return with("srun without a PMI", {openmpi, mpich});
}

bool is_for(launcher const& by, mpi_library linked) { return std::ranges::find(by.serves, linked) != by.serves.end(); }

}  // namespace

std::string_view name_of(mpi_library which) noexcept { return which == openmpi ? "Open MPI" : "MPICH"; }
std::string_view word_of(mpi_library which) noexcept { return which == openmpi ? "openmpi" : "mpich"; }

std::vector<launcher> find_launchers(environment const& get) {
  std::vector<launcher> all;
  if (auto found = launched_by(get, "mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", {openmpi}))
    all.push_back(*std::move(found));
  if (auto found = mpirun_of_mpich(get)) all.push_back(*std::move(found));
  if (!all.empty()) return all;
  if (auto found = srun(get)) return {*std::move(found)};
  if (auto const rank = number_in(get, "PMIX_RANK"))
    return {{"a launcher with PMIx", "PMIX_RANK", {}, rank, {openmpi, mpich}}};
  return {};
}

std::optional<std::string> why_alone(std::vector<launcher> const& launchers, mpi_library linked, std::uint32_t ranks) {
  if (ranks != 1) return {};
  auto const several = std::ranges::find_if(
      launchers, [](launcher const& by) { return by.processes.value_or(by.rank.value_or(0) + 1) > 1; });
  if (several == launchers.end()) return {};
  bool const is_job_of_one =
      std::ranges::any_of(launchers, [&](launcher const& by) { return by.processes == 1U && is_for(by, linked); });
  if (is_job_of_one) return {};
  std::string const own(name_of(linked));
  std::string text = "MPI says 1 rank, but " + several->sign + " says " +
                     std::to_string(several->processes ? *several->processes : *several->rank) + ": ";
  if (is_for(*several, linked)) {
    return text + own + " does not find the other ranks through " + several->name +
           "; with srun, choose what this MPI was built with: srun --mpi=pmix or srun --mpi=pmi2";
  }
  return text + several->name + " started this program, which is linked with " + own + "; start it with mpirun of " +
         own + ", or link it with " + std::string(name_of(several->serves.front()));
}

}}}  // namespace skua::v0::runtime
