// SPDX-License-Identifier: MIT
// An app on the ranks of a job: each rank is a process that runs this command, and rank 0 speaks for all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/app.hpp"
#include "apps/ranks_plan.hpp"
#include "cli/text/report.hpp"

namespace skua::cli {

/// The job that this process is a rank of, while it lives.
class job {
 public:
  virtual ~job() = default;
  [[nodiscard]] virtual communicator& world() = 0;
  /// "Open MPI v4.1.4"; empty: this process is alone, without an MPI.
  [[nodiscard]] virtual std::string const& mpi() const = 0;
};

/// True if an MPI launcher (mpirun, srun) started this process and maybe others.
[[nodiscard]] bool was_launched_as_a_rank();

/// The job to run on: that of the launcher, or this process alone. `deadline_s` > 0: the ranks watch each other. Throws
/// usage_error if a launcher started several processes and the module of its MPI is missing, since each would run for itself.
[[nodiscard]] std::unique_ptr<job> open_job(double deadline_s);

struct ranks_outcome {
  std::vector<double> times_s;                ///< of the slowest rank; complete runs only
  json facts = json::object();                ///< the app's facts about the last complete run
  std::vector<collection_report> reports;     ///< of all iterations, also of a run that was not complete
  std::vector<ranks_report> by_rank;          ///< one for each of them; without ranks on other ranks than 0
  std::uint64_t memory_bytes = 0;             ///< the most that one of the ranks had resident until now
  std::optional<std::uint64_t> remote_bytes;  ///< of the last complete run, as the app says
  std::string wrong;                          ///< of the first rank whose answer is wrong; empty: none
  /// The mean, rounded down: ranks may differ. 0: no collection was processed.
  [[nodiscard]] std::uint32_t workers_per_rank(std::uint32_t ranks) const {
    return reports.empty() ? 0 : reports.back().workers / ranks;
  }
};

/// True if any rank got a signal; then every rank counts it as its own. Collective: the same answer on every rank.
[[nodiscard]] bool any_interrupted(communicator& world);

/// Runs the app `runs` times on all ranks. Collective. `tell` is called on the lowest rank that lives, after each iteration. After an interrupt of any rank all
/// ranks end with the same iteration; the runs and iterations that are complete by then are kept.
[[nodiscard]] ranks_outcome run_on_ranks(apps::app& what, communicator& world, apps::ranks_plan plan, unsigned runs,
                                         bool verify, std::function<void(collection_report const&)> const& tell);

/// docs/json.md lists its keys.
[[nodiscard]] json to_json(collection_report const& r);
[[nodiscard]] json to_json(collection_report const& r, ranks_report const& by_rank);
/// "iteration 2: 1.20 s, ideal balance would run 3 % faster; ..."
[[nodiscard]] std::string in_a_line(collection_report const& r);

}  // namespace skua::cli
