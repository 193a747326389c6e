// SPDX-License-Identifier: MIT
// An app that is ready to be played again and again in virtual time: from one recording, or live. Settles what the
// parts of it take that say nothing of themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/app.hpp"
#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/policy/policy.hpp"

namespace skua::cli {

enum class sim_way : std::uint8_t {
  recorded,  ///< the tree of one serial run is played: faster
  live,      ///< the program itself runs, on fibers: also right where its tree depends on the schedule
};

/// What an app is made of, and what was assumed of it.
struct sim_content {
  std::uint64_t tasks = 0;
  std::uint64_t leaves = 0;
  std::uint64_t bare_leaves = 0;  ///< of these, those without flops
  sim::assumed_ns assumed =
      {};  ///< of tasks in an app without leaves; of bare leaves, their mean if they were measured
  double flops_per_ns =
      0;                  ///< of all leaves with flops that are played live, where they were measured; 0: they were not
  bool measured = false;  ///< something comes from this machine's clock: another run of the command differs
};

/// What tasks and leaves take by themselves.
struct sim_times {
  std::optional<std::uint64_t> given_ns;  ///< a task of an app without leaves, a leaf without flops; left out: measured
  bool measure_leaves = false;            ///< what leaves say of their arithmetic is ignored
};

class sim_program {
 public:
  /// Runs the app once or twice, serially. Throws what the app throws; error if `verify` and an answer is wrong.
  sim_program(apps::app& what, sim_way how, sim_times times, bool verify);

  [[nodiscard]] sim_content const& content() const noexcept { return content_; }
  [[nodiscard]] sim_way way() const noexcept { return way_; }
  /// The same costs, with what leaves were measured to take if they are played live: their own times are in no tree.
  [[nodiscard]] sim::cost_options priced(sim::cost_options costs) const;

  /// Recorded programs only: from now on `adjust` has the last word on what is recorded, and what is played for so many
  /// workers is what `deal` makes of that.
  void set_adjustment(std::function<void(task_tree&)> adjust);
  void set_dealing(std::function<task_tree(task_tree const&, std::uint32_t)> deal) { deal_ = std::move(deal); }

  /// One run on the workers of `where`. Throws as sim::simulate, and error for a wrong answer.
  sim::result play(policy& players, layout const& where, sim::rules const& by, sim::costs& prices);

  /// The tree that was played last, or recorded.
  [[nodiscard]] task_tree const& tree() const noexcept { return tree_; }

 private:
  void record(std::uint32_t places);
  [[nodiscard]] bool forgets_arithmetic() const noexcept { return times_.measure_leaves && way_ == sim_way::recorded; }
  void settle_times();
  [[nodiscard]] task_tree timed_tree();
  void measure_bare_leaves();
  void measure_leaves_of_live_play();
  void mark_times();
  void check(std::string const& after);

  apps::app& app_;
  sim_way const way_;
  sim_times const times_;
  bool const verify_;
  sim_content content_;
  std::vector<std::uint64_t> leaf_ns_;  ///< of bare leaves, in the serial order; empty: all take assumed.leaf
  sim::leaf_times leaf_times_;          ///< of leaves with flops that are played live
  std::uint32_t places_ = 0;            ///< for which tree_ was recorded
  task_tree tree_;
  std::function<void(task_tree&)> adjust_;
  std::function<task_tree(task_tree const&, std::uint32_t)> deal_;
};

}  // namespace skua::cli
