// SPDX-License-Identifier: MIT
#include "cli/measure/on_ranks.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "cli/text/interrupt.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

namespace {

class lone_job final : public job {
 public:
  [[nodiscard]] communicator& world() override { return *world_; }

 private:
  std::unique_ptr<communicator> world_ = communicator::alone();
};

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

std::optional<unsigned> launched_processes() {
  // Open MPI, MPICH and Intel MPI, and srun with its own PMI.
  constexpr std::array names{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
  for (char const* const name : names) {
    char const* const value = std::getenv(name);
    if (value == nullptr) continue;
    unsigned long const n = std::strtoul(value, nullptr, 10);
    if (n > 0) return static_cast<unsigned>(n);
  }
  return std::nullopt;
}

std::unique_ptr<job> open_job(launcher const& how, double deadline_s) {
  unsigned const launched = launched_processes().value_or(1);
  if (how.open != nullptr && launched_processes()) return how.open(deadline_s);
  if (launched > 1) {
    throw usage_error(fmt::format(
        "mpirun started {} processes, but this skua was built without MPI and each would run alone; build it with "
        "cmake --preset openmpi or cmake --preset mpich",
        launched));
  }
  return std::make_unique<lone_job>();
}

bool any_interrupted(communicator& world) {
  auto const number = static_cast<int>(world.max(static_cast<double>(signal_of_interrupt())));
  if (number != 0) take_signal_of_another(number);
  return number != 0;  // one that came here since then is heard at the next question, as on the other ranks
}

ranks_outcome run_on_ranks(apps::app& what, communicator& world, apps::ranks_plan plan, unsigned runs, bool verify,
                           std::function<void(collection_report const&)> const& tell) {
  ranks_outcome all;
  plan.tell = [&](collection_report const& r) {
    all.reports.push_back(r);
    keep_after_interrupts();
    if (world.rank() == 0) tell(r);
  };
  bool stopped = false;
  plan.goes_on = [&] { return !(stopped = any_interrupted(world)); };
  for (unsigned run = 0; run < runs; ++run) {
    if (run > 0 && any_interrupted(world)) break;
    what.reset();
    world.barrier();
    auto const began = std::chrono::steady_clock::now();
    what.ranks()->run_on_ranks(world, plan);
    if (stopped) break;
    all.times_s.push_back(world.max(seconds_since(began)));
    // The answers of all ranks come from the same sums. Checking may take as long as a serial run: one rank does it.
    std::string const wrong = verify && world.rank() == 0 ? what.wrong() : std::string();
    bool const is_wrong = verify && world.sum(std::uint64_t{wrong.empty() ? 0U : 1U}) > 0;
    if (is_wrong && all.wrong.empty()) all.wrong = wrong.empty() ? "the answer of rank 0 is wrong" : wrong;
    all.facts = what.facts().sorted();
  }
  return all;
}

json to_json(collection_report const& r) {
  return {{"iteration", r.iteration},
          {"time_s", r.seconds},
          {"workers", r.workers},
          {"tasks", r.tasks},
          {"kept", r.kept},
          {"steals_attempted", r.attempted},
          {"steals_successful", r.successful},
          {"tasks_stolen", r.moved},
          {"ranks", r.ranks},
          {"tasks_run_again", r.run_again},
          {"tasks_dropped", r.dropped},
          {"busy_mean_s", r.mean_busy},
          {"busy_max_s", r.most_busy}};
}

std::string in_a_line(collection_report const& r) {
  return fmt::format("  iteration {}: {}, {} tasks, {}; {} of {} steals succeeded\n", r.iteration,
                     in_seconds(r.seconds), r.tasks, in_words(r), r.successful, r.attempted);
}

}  // namespace skua::cli
