// SPDX-License-Identifier: MIT
#include "cli/measure/on_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "cli/mpi/modules.hpp"
#include "cli/text/interrupt.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {

namespace {

class lone_job final : public job {
 public:
  [[nodiscard]] communicator& world() override { return *world_; }
  [[nodiscard]] std::string const& mpi() const override { return none_; }

 private:
  std::string const none_;
  std::unique_ptr<communicator> world_ = communicator::alone();
};

class mpi_job final : public job {
 public:
  mpi_job(std::string const& path, double deadline_s)
      : module_(path, loaded_module::use::for_job), mpi_(module_.library_version()),
        session_(module_.open(deadline_s)) {}
  [[nodiscard]] communicator& world() override { return session_->world(); }
  [[nodiscard]] std::string const& mpi() const override { return mpi_; }

 private:
  loaded_module const module_;
  std::string const mpi_;
  std::unique_ptr<mpi::module_session> session_;
};

double seconds_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Of what no rank takes with it when it dies: the ranks that live agree on it.
template <class F>
auto on_live_ranks(F f) {
  return apps::again_after_losses(f, [] {});
}

/// The number after a word of a file of /proc, of KiB; 0: it has none.
std::uint64_t bytes_after(char const* path, std::string_view word) {
  std::ifstream file(path);
  for (std::string found; file >> found;) {
    std::uint64_t kib = 0;
    if (found == word && file >> kib) return kib << 10;
  }
  return 0;
}

/// Of this process, at most so far; 0 without /proc. A page of shared memory that several ranks of the node have touched counts in parts: MPI reads windows of
/// others so. Linux keeps the most for all pages together only, so the shared ones are those of now, while the matrices live.
std::uint64_t peak_memory_bytes() {
  constexpr char const* status = "/proc/self/status";
  std::uint64_t const most = bytes_after(status, "VmHWM:");
  std::uint64_t const shared = bytes_after(status, "RssShmem:");
  std::uint64_t const part = bytes_after("/proc/self/smaps_rollup", "Pss_Shmem:");
  return part > 0 && part < shared && shared <= most ? most - shared + part : most;
}

}  // namespace

bool was_launched_as_a_rank() {
  return std::ranges::any_of(runtime::find_launchers(runtime::process_environment()),
                             [](runtime::launcher const& by) { return by.processes != 1U; });
}

std::unique_ptr<job> open_job(double deadline_s) {
  std::string const folder = folder_of_modules();
  mpi_choice const choice =
      choose_mpi(runtime::find_launchers(runtime::process_environment()), modules_in(folder), folder);
  if (!choice.refusal.empty()) throw usage_error(choice.refusal);
  if (!choice.module) return std::make_unique<lone_job>();
  return std::make_unique<mpi_job>(module_path(folder, *choice.module), deadline_s);
}

bool any_interrupted(communicator& world) {
  auto const number = static_cast<int>(world.max(static_cast<double>(signal_of_interrupt())));
  if (number != 0) take_signal_of_another(number);
  return number != 0;  // one that came here since then is heard at the next question, as on the other ranks
}

ranks_outcome run_on_ranks(apps::app& what, communicator& world, apps::ranks_plan plan, unsigned runs, bool verify,
                           std::function<void(collection_report const&)> const& tell) {
  ranks_outcome all;
  plan.tell = [&](collection_report const& r, ranks_report const& by_rank) {
    all.reports.push_back(r);
    all.by_rank.push_back(by_rank);
    keep_after_interrupts();
    if (world.rank() == world.first_live()) tell(r);
  };
  bool stopped = false;
  plan.goes_on = [&] { return !(stopped = any_interrupted(world)); };
  for (unsigned run = 0; run < runs; ++run) {
    if (run > 0 && any_interrupted(world)) break;
    if (world.live() < world.size()) {
      throw resource_error("a rank died in run " + std::to_string(run) + " of " + std::to_string(runs) +
                           ", which went on without it; the next run would have no tasks of that rank");
    }
    what.reset();
    world.barrier();
    auto const began = std::chrono::steady_clock::now();
    what.ranks()->run_on_ranks(world, plan);
    if (stopped) break;
    double const took_s = seconds_since(began);
    all.times_s.push_back(on_live_ranks([&] { return world.max(took_s); }));
    // The answers of all ranks come from the same sums. Checking may take as long as a serial run: one rank does it.
    if (verify) what.ranks()->prepare_check(world);
    std::string const wrong = verify && world.rank() == world.first_live() ? what.wrong() : std::string();
    bool const is_wrong =
        verify && on_live_ranks([&] { return world.sum(std::uint64_t{wrong.empty() ? 0U : 1U}); }) > 0;
    if (is_wrong && all.wrong.empty()) all.wrong = wrong.empty() ? "the answer of another rank is wrong" : wrong;
    all.facts = what.facts().sorted();
    all.remote_bytes = what.ranks()->remote_bytes();
  }
  all.memory_bytes = on_live_ranks([&] { return world.max(peak_memory_bytes()); });
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
          {"busy_max_s", r.most_busy},
          {"remote_bytes", r.remote_bytes},
          {"needed_bytes", r.needed},
          {"needed_remote_bytes", r.needed_remotely},
          {"start", r.start}};
}

namespace {

json to_json(rank_report const& r) {
  return {{"rank", r.rank},
          {"workers", r.workers},
          {"tasks", r.tasks},
          {"kept", r.kept},
          {"steals_attempted", r.attempted},
          {"steals_successful", r.successful},
          {"tasks_stolen", r.stolen},
          {"tasks_given", r.given},
          {"time_s", r.seconds},
          {"busy_s", r.busy},
          {"balancing_s", r.balancing},
          {"received_bytes", r.received},
          {"sent_bytes", r.sent},
          {"got_bytes", r.got},
          {"put_bytes", r.put},
          {"accumulated_bytes", r.accumulated},
          {"needed_bytes", r.needed},
          {"needed_remote_bytes", r.needed_remotely}};
}

json to_json(char const* figure, spread const& s) {
  return {
      {"figure", figure}, {"least", s.least}, {"mean", s.mean}, {"greatest", s.greatest}, {"imbalance", s.imbalance()}};
}

}  // namespace

json to_json(collection_report const& r, ranks_report const& by_rank) {
  json all = to_json(r);
  all["by_rank"] = json::array();
  for (rank_report const& one : by_rank.ranks) all["by_rank"].push_back(to_json(one));
  all["spread"] =
      json::array({to_json("busy_s", by_rank.of(&rank_report::busy)), to_json("tasks", by_rank.of(&rank_report::tasks)),
                   to_json("balancing_s", by_rank.of(&rank_report::balancing)),
                   to_json("received_bytes", by_rank.of(&rank_report::received)),
                   to_json("got_bytes", by_rank.of(&rank_report::got))});
  return all;
}

std::string in_a_line(collection_report const& r) {
  bool const was_chosen = r.start.find(": ") != std::string::npos;  // a name of --balance has none
  return fmt::format("  iteration {}: {}, {} tasks, {}; {} of {} steals succeeded{}\n", r.iteration,
                     in_seconds(r.seconds), r.tasks, in_words(r), r.successful, r.attempted,
                     was_chosen ? "\n    started " + r.start : "");
}

}  // namespace skua::cli
