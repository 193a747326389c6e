// SPDX-License-Identifier: MIT
// What interrupts leave of simulations. Each runs in a process of its own, because a signal is never taken back.
#include "cli/simulate/sweep.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "apps/app.hpp"
#include "cli/simulate/interruptible_costs.hpp"
#include "cli/text/app_arguments.hpp"
#include "cli/text/interrupt.hpp"
#include "skua/policy/registry.hpp"

namespace skua::cli {
namespace {

constexpr int as_expected = 42;

/// Each process begins anew, and not with the state that other tests have left here.
class interrupted_sweep : public ::testing::Test {
 protected:
  interrupted_sweep() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

/// fib on a machine, simulated.
struct setting {
  explicit setting(sim_way how) : app(make_app("fib", "--n 10")) {
    app->prepare();
    program = std::make_unique<sim_program>(*app, how, sim_times{.given_ns = 9}, true);
    study =
        std::make_unique<sim_study>(*program, machine, sim::cost_options{}, sim_stage{.numbers = machine.numbers()});
  }
  std::unique_ptr<apps::app> app;
  sim::machine_model const machine = sim::machine_model::load("xeon-6130-4s");
  std::unique_ptr<sim_program> program;
  std::unique_ptr<sim_study> study;
};

/// Raises SIGINT in the middle of a run: when some worker has met so many groups.
class interrupter final : public sim::observer {
 public:
  explicit interrupter(int after) : left_(after) {}
  void began(sim::tick, worker_id, sim::item const&) override {
    if (--left_ == 0) ::raise(SIGINT);
  }

 private:
  int left_;
};

[[noreturn]] void interrupt_in_the_middle_of_a_run(sim_way how) {
  install_signal_handlers();
  setting of(how);
  std::uint64_t runs = 0;
  of.study->watch([&](std::string const&, layout const&, std::uint64_t, sim::tick) {
    return std::make_unique<interrupter>(++runs == 4 ? 3 : 0);
  });
  sim_sweep const swept =
      sweep(*of.study, {.policies = {"random", "adws"}, .workers = {2, 4}, .first_seed = 5, .seeds = 3});
  bool const right = swept.runs == 3 && swept.planned_runs == 12 && swept.rows.size() == 1 && swept.rows[0].runs == 3 &&
                     swept.rows[0].workers == 2;
  std::_Exit(right ? as_expected : 1);
}

TEST_F(interrupted_sweep, drops_the_run_under_way_and_keeps_those_that_are_complete) {
  for (sim_way const how : {sim_way::recorded, sim_way::live}) {
    EXPECT_EXIT(interrupt_in_the_middle_of_a_run(how), ::testing::ExitedWithCode(as_expected), "");
  }
}

[[noreturn]] void interrupt_before_a_run(std::uint64_t run) {
  install_signal_handlers();
  setting of(sim_way::recorded);
  std::uint64_t runs = 0;
  of.study->watch([&](std::string const&, layout const&, std::uint64_t, sim::tick) {
    if (++runs == run) ::raise(SIGINT);
    return nullptr;
  });
  sim_sweep const swept = sweep(*of.study, {.policies = {"random"}, .workers = {2, 4}, .seeds = 3});
  bool right = swept.runs == run - 1 && swept.rows.size() == (run + 1) / 3;
  if (!swept.rows.empty()) {
    std::uint64_t const of_last = swept.runs - 3 * (swept.rows.size() - 1);
    std::string const words = of_last < 3 ? "; the last row is of " + std::to_string(of_last) + " of 3 seeds\n" : "\n";
    right = right && swept.rows.back().runs == of_last && interrupt_line(swept, 3).ends_with(" of 6 runs" + words);
  }
  std::_Exit(right ? as_expected : 1);
}

TEST_F(interrupted_sweep, says_on_how_many_seeds_a_row_rests) {
  for (std::uint64_t run = 1; run <= 6; ++run)
    EXPECT_EXIT(interrupt_before_a_run(run), ::testing::ExitedWithCode(as_expected), "") << run;
}

TEST(interruptible_costs, are_those_of_the_model) {
  sim::rules const by{.fork_ticks = 7, .probe_ticks = 3};
  sim::flat_costs flat(by);
  interruptible_costs costs(flat);
  EXPECT_EQ(costs.price(0, sim::operation::fork, worker_id{0}, worker_id{0}), 7U);
  EXPECT_EQ(costs.price(0, sim::operation::miss, worker_id{0}, worker_id{1}), 3U);
  EXPECT_EQ(costs.first_touches_until(), flat.first_touches_until());
}

}  // namespace
}  // namespace skua::cli
