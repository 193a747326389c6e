// SPDX-License-Identifier: MIT
// How the apps that run on ranks balance their iterations. [retentive-hpdc12 7.2]
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skua/machine/threads/face/pool.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua::apps {

struct ranks_plan {
  /// auto: each iteration starts as the measurements of the ones before make it expect the least time. none: every rank runs its own
  /// tasks. steal: ranks also steal; the next iteration starts as the first one did. retentive: it starts where the last one
  /// ended. Else a balancer: stealing in the first iteration only, and the balancer after each one.
  std::string balance = "auto";
  /// Folder of the files from which a killed job continues; empty: none are written.
  std::string checkpoint = {};
  /// What happens to the tasks of a rank that dies within an iteration.
  lost_tasks on_loss = lost_tasks::fail;
  /// Whom an idle rank asks. Lifelines exclude recovery.
  steal_victims victims = steal_victims::random;
  /// Of each rank; none: one per processor of the rank.
  std::optional<std::uint32_t> workers = {};
  /// Where there are several; none: between tasks.
  std::optional<serving> serves = {};
  /// Called after each process(), on every rank; the figures of the ranks are on rank 0.
  std::function<void(collection_report const&, ranks_report const&)> tell = [](collection_report const&,
                                                                               ranks_report const&) {};
  /// Collective, called before each iteration but the first: false ends the run without an answer. Every rank gets the
  /// same answer.
  std::function<bool()> goes_on = [] { return true; };

  [[nodiscard]] bool steals_in(unsigned iteration) const {
    return balance != "none" && (iteration == 0 || !is_balancer());
  }
  [[nodiscard]] bool is_balancer() const {
    return balance != "none" && balance != "steal" && balance != "retentive" && balance != "auto";
  }
  /// Throws usage_error that names --balance.
  void check() const;
};

/// The tasks of one iteration, for ranks in virtual time.
struct ranks_load {
  std::vector<std::uint64_t> work;  ///< of each task, in units of the app's
  std::vector<double>
      position;        ///< of each task in the first iteration: 0 on the first rank, towards 1 on the last one
  double unit_ns = 1;  ///< on the machine of the paper
  bool has_whole_times = false;  ///< a task takes no time besides its work
};

/// While it lives, collections that this rank makes have the plan's number of workers: their tasks keep separate
/// results per
/// `here.worker()`.
class planned_workers {
 public:
  /// Collective. Throws resource_error if the system refuses threads.
  planned_workers(communicator& world, ranks_plan const& plan);

 private:
  std::optional<pool> threads_;
  std::optional<rank_pool> workers_;
};

/// The file of an app in the folder; on rank 0, whether it is there. Throws resource_error if the folder cannot be made.
[[nodiscard]] std::string checkpoint_file(ranks_plan const& plan, std::string_view app);
/// Collective: whether rank 0 has the file.
[[nodiscard]] bool is_there(communicator& world, std::string const& file);

/// Returns f(), which makes collective calls. If a rank dies meanwhile, and the others can go on, calls f again after recover(). Collective.
template <class F, class R>
decltype(auto) again_after_losses(F f, R recover) {
  for (bool lost = false;;) {
    try {
      if (std::exchange(lost, false)) recover();
      return f();
    } catch (rank_lost const& e) {
      if (!e.can_go_on()) throw;
      lost = true;
    }
  }
}

/// Runs a collection, reports, and prepares its next iteration. `begin` forgets the results of an attempt, which a loss may have ended; `between`
/// processes the results for the app, and returns the state that a restart needs. Collective.
template <class Task, class B, class F>
void iterate(task_collection<Task>& all, ranks_plan const& plan, unsigned iteration, std::string const& file, B begin,
             F between) {
  if (iteration == 0) all.enable_stealing(plan.steals_in(0));
  bool has_run = false;
  bool was_lost = false;
  std::vector<double> state;
  again_after_losses(
      [&] {
        if (!has_run) {
          begin();
          all.process();
          collection_report const of_all = all.report();
          plan.tell(of_all, all.report_by_rank());
          state = between();
          has_run = true;
          was_lost = false;
        }
        if (was_lost) return;  // all tasks wait again
        if (!file.empty()) all.checkpoint(file, std::as_bytes(std::span(state)));
        all.restore(plan.balance);
      },
      [&] {
        all.recover();
        was_lost = true;
      });
}

/// Whether the run goes on with another iteration. Collective.
template <class Task>
bool goes_on(task_collection<Task>& all, ranks_plan const& plan) {
  return again_after_losses([&] { return plan.goes_on(); }, [&] { all.recover(); });
}

}  // namespace skua::apps
