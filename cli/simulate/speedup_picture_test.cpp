// SPDX-License-Identifier: MIT
// The picture of skua profile says what the table says, that it is simulated, on what, and what bounds it.
#include "cli/simulate/speedup_picture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "apps/app.hpp"
#include "cli/text/app_arguments.hpp"
#include "skua/parts/topology/xml_scanner.hpp"

namespace skua::cli {
namespace {

struct profiled {
  profiled() : app(make_app("fib", "--n 10")) {
    app->prepare();
    program = std::make_unique<sim_program>(*app, sim_way::recorded, sim_times{.given_ns = 9}, true);
    study =
        std::make_unique<sim_study>(*program, machine, sim::cost_options{}, sim_stage{.numbers = machine.numbers()});
    frame.app = "fib";
    frame.options = {{"n", "10"}};
    frame.study = study.get();
    frame.costs.seed = 7;
  }

  /// A row whose runs took so long where the serial elision took 12 s.
  void row(std::string policy, std::uint32_t workers, double median_s, double min_s, double max_s) {
    sim_row made{.policy = std::move(policy), .workers = workers, .min_s = min_s, .max_s = max_s, .alone_s = 12};
    made.median.time_s = median_s;
    swept.rows.push_back(made);
  }
  [[nodiscard]] std::string picture() const {
    return speedup_picture(frame, {.work_s = 12, .span_s = 1.5, .burden_s = 2e-6, .burdened_span_s = 2}, swept);
  }

  std::unique_ptr<apps::app> app;
  sim::machine_model const machine = sim::machine_model::load("xeon-6130-4s");
  std::unique_ptr<sim_program> program;
  std::unique_ptr<sim_study> study;
  sim_frame frame;
  sim_sweep swept;
};

/// All texts, as a reader reads them.
std::string words_of(std::string const& svg) {
  runtime::xml_element const root = runtime::scan_xml(svg);
  std::string all;
  for (runtime::xml_element const& e : root.children) {
    if (e.name == "text") all += std::string(e.text) + " ";
  }
  return all;
}

TEST(speedup_picture, has_a_line_per_policy_the_ideal_and_both_bounds) {
  profiled of;
  of.row("random", 1, 12, 12, 12);
  of.row("random", 4, 4, 4, 4);
  of.row("adws", 1, 12, 12, 12);
  of.row("adws", 4, 3.2, 3.2, 3.2);
  std::string const words = words_of(of.picture());
  for (char const* expected : {"random 3 ", "adws 3.75 ", "ideal ", "parallelism 8 ", "burdened parallelism 6 "})
    EXPECT_NE(words.find(expected), std::string::npos) << expected << " in " << words;
}

TEST(speedup_picture, says_that_it_is_simulated_and_on_what) {
  profiled of;
  of.row("random", 2, 6, 6, 6);
  std::string words = words_of(of.picture());
  for (char const* expected : {"fib", "simulated on the machine model xeon-6130-4s", "figures are assumed",
                               "pages: first-touch", "seed 7", "--n 10"})
    EXPECT_NE(words.find(expected), std::string::npos) << expected << " in " << words;
  EXPECT_EQ(words.find("medians"), std::string::npos);
  EXPECT_EQ(words.find("interrupted"), std::string::npos);
  of.frame.seeds = 5;
  of.swept.runs = 3;
  of.swept.planned_runs = 10;
  words = words_of(of.picture());
  for (char const* expected : {"seed 7 to 11", "medians", "interrupted after 3 of 10 runs"})
    EXPECT_NE(words.find(expected), std::string::npos) << expected << " in " << words;
}

TEST(speedup_picture, a_stroke_reaches_from_the_slowest_run_to_the_fastest) {
  profiled of;
  of.row("random", 1, 12, 12, 12);
  of.row("random", 4, 4, 3, 6);
  std::string const svg = of.picture();
  runtime::xml_element const root = runtime::scan_xml(svg);
  for (runtime::xml_element const& g : root.children) {
    if (g.name != "g" || g.attribute("class") != "curve") continue;
    EXPECT_EQ(g.children.size(), 1U + 2U + 1U) << "a line, its points, a stroke";
  }
}

TEST(speedup_picture, is_made_also_if_no_run_is_complete) {
  profiled of;
  of.swept.planned_runs = 4;
  std::string const words = words_of(of.picture());
  EXPECT_NE(words.find("interrupted after 0 of 4 runs"), std::string::npos) << words;
  EXPECT_NE(words.find("ideal"), std::string::npos) << words;
}

}  // namespace
}  // namespace skua::cli
