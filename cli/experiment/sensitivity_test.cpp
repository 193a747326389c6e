// SPDX-License-Identifier: MIT
#include "cli/experiment/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/experiment/results.hpp"
#include "cli/text/interrupt.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli {
namespace {

// Sixteen leaves an iteration whose arithmetic hides all else. What they take depends on one figure, which therefore decides
// on the statement about time, and cancels in the ratio.
std::string const small = R"(title = "a title"
where = "1, Fig. 2"
claim = "it is so"
quantity = "time"
machine = "xeon-6130-4s"
workers = [1, 2, 4]
app = "heat"
options = "--n 128 --iterations 2 --leaf-rows 32 --leaf-columns 32"

[figures]
"core.flops_per_ns" = { value = 0.02, low = 0.01, high = 0.04, source = "slow enough to hide the rest" }

[[panel]]
name = "one"

[[panel]]
name = "two"

[[series]]
name = "random"
policy = "random"

[[series]]
name = "ADWS"
policy = "adws"

[[expect]]
says = "takes two to three milliseconds"
panel = "one"
of = "random@4"
at_least = 2.0e-3
at_most = 3.0e-3

[[expect]]
says = "is as fast"
panel = "two"
of = "ADWS@2"
over = "random@2"
at_least = 0.5
at_most = 2
)";

experiment small_experiment() { return parse_experiment(small, "test/it", "it.toml"); }

sensitivities run(experiment const& e, variation const& how) {
  experiment_study study(e, false, [](std::string_view) {});
  return sensitivities_of(study, how, [](std::size_t, std::size_t) {});
}

effect const& effect_of(sensitivity const& s, std::string const& key) {
  auto const at = std::ranges::find(s.effects, key, [](effect const& e) { return e.figure.key; });
  EXPECT_NE(at, s.effects.end()) << key;
  return *at;
}

std::string refusal_of(std::string const& list) {
  try {
    static_cast<void>(varied_figures_in("--vary", list));
  } catch (usage_error const& fault) {
    return fault.what();
  }
  return "nothing was refused";
}

TEST(varied_figures, are_read_with_and_without_ranges) {
  EXPECT_TRUE(varied_figures_in("--vary", "").empty());
  auto const all = varied_figures_in("--vary", "prices.steal_ns,shared_cache.bytes=1e7:2e7,link.latency_ns[0]");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].key, "prices.steal_ns");
  EXPECT_FALSE(all[0].range.has_value());
  EXPECT_EQ(all[1].range, (std::pair{1e7, 2e7}));
  EXPECT_EQ(all[2].key, "link.latency_ns[0]");
}

TEST(varied_figures, that_make_no_sense_are_refused) {
  EXPECT_NE(refusal_of("prices.steel_ns").find("did you mean 'prices.steal_ns'"), std::string::npos);
  for (char const* const range : {"1", "2:1", "1:1", "a:b", ":", "1:2:3"})
    EXPECT_NE(refusal_of(std::string("prices.steal_ns=") + range).find("LOW:HIGH"), std::string::npos) << range;
  EXPECT_NE(refusal_of("prices.steal_ns,prices.steal_ns=1:2").find("each figure once"), std::string::npos);
}

TEST(sensitivity, finds_the_figure_that_a_verdict_hangs_on) {
  experiment const e = small_experiment();
  sensitivities const all = run(e, {});
  ASSERT_EQ(all.all.size(), 2U);
  EXPECT_EQ(all.done, all.planned);
  sensitivity const& time = all.all[0];
  EXPECT_TRUE(meets(*time.of, time.value)) << time.value;
  effect const& rate = time.effects.front();
  EXPECT_EQ(rate.figure.key, "core.flops_per_ns");
  EXPECT_TRUE(time.changes_verdict(rate));
  EXPECT_NEAR(rate.at_low / time.value, 2, 0.1);
  EXPECT_NEAR(rate.at_high / time.value, 0.5, 0.1);
  EXPECT_NEAR(time.change(rate), 1, 0.1);
  EXPECT_LT(time.change(effect_of(time, "memory.latency_ns")), 0.05);
  sensitivity const& ratio = all.all[1];
  EXPECT_EQ(ratio.panel, "two");
  EXPECT_LT(ratio.change(effect_of(ratio, "core.flops_per_ns")), 0.05);
  for (sensitivity const& s : all.all)
    EXPECT_TRUE(std::ranges::is_sorted(s.effects, std::greater{}, [&](effect const& x) { return s.change(x); }));
}

TEST(sensitivity, varies_what_is_assumed_and_nothing_else) {
  experiment const e = small_experiment();
  std::set<std::string> assumed{"core.flops_per_ns"};
  auto const machine = sim::machine_model::load(e.machine);
  for (sim::figure const& f : machine.figures()) {
    if (f.assumed && f.low < f.high) assumed.insert(f.key);
  }
  sensitivities const found = run(e, {});
  for (sensitivity const& s : found.all) {
    std::set<std::string> varied;
    for (effect const& x : s.effects) varied.insert(x.figure.key);
    EXPECT_EQ(varied, assumed);
  }
}

TEST(sensitivity, simulates_only_the_points_that_expectations_compare) {
  experiment const e = small_experiment();
  variation const how{
      .figures = {{.key = "core.flops_per_ns"}, {.key = "prices.steal_ns", .range = std::pair{1.0, 9.0}}}};
  std::size_t runs = 0;
  experiment_study study(e, false,
                         [&](std::string_view what) { runs += what.find("worker") != std::string_view::npos; });
  sensitivities const found = sensitivities_of(study, how, [](std::size_t, std::size_t) {});
  EXPECT_EQ(found.planned, (1U + 2U) * 5U);  // points, times as stated and two ends of two figures
  EXPECT_EQ(runs, found.planned);
  EXPECT_EQ(effect_of(found.all[0], "prices.steal_ns").figure.high, 9);
}

TEST(sensitivity, of_a_figure_is_what_a_model_with_that_value_gives) {
  experiment const e = small_experiment();
  sensitivities const found = run(e, {.figures = {{.key = "core.flops_per_ns"}}});
  std::string text = small;
  text.replace(text.find("value = 0.02, low = 0.01"), 24, "value = 0.01, low = 0.01");
  experiment const slow = parse_experiment(text, "test/it", "it.toml");
  experiment_study study(slow, false, [](std::string_view) {});
  EXPECT_EQ(found.all[0].effects[0].at_low, run_experiment(study).verdicts[0].value);
}

TEST(sensitivity, of_what_a_model_does_not_have_is_refused) {
  experiment const e = small_experiment();
  EXPECT_THROW(static_cast<void>(run(e, {.figures = {{.key = "core.clock_ghz"}}})), usage_error) << "it has no range";
  EXPECT_THROW(static_cast<void>(run(e, {.figures = {{.key = "link.latency_ns[7]"}}})), usage_error);
  EXPECT_THROW(static_cast<void>(run(e, {.figures = {{.key = "core.hidden_share", .range = std::pair{0.5, 2.0}}}})),
               usage_error);
}

TEST(sensitivity, of_an_optional_figure_needs_no_line_in_the_model) {
  experiment const e = small_experiment();
  sensitivities const found = run(e, {.figures = {{.key = "core.hidden_share", .range = std::pair{0.0, 0.5}}}});
  EXPECT_EQ(found.all[0].effects[0].figure.value, 1);
}

TEST(sensitivity, of_prices_leaves_the_serial_elision_as_it_is) {
  std::string text = small;
  text.replace(text.find("quantity = \"time\""), 17, "quantity = \"speed-up\"");
  text.replace(text.find("at_least = 2.0e-3\nat_most = 3.0e-3"), 35, "at_least = 1");
  experiment const e = parse_experiment(text, "test/it", "it.toml");
  experiment_study study(e, false, [](std::string_view) {});
  auto const serial_with = [&](sim::bound all) {
    return study.at({.panel = 0, .series = 0, .x = 4, .figures = {.all = all}}).serial_s;
  };
  double const stated = study.at({.panel = 0, .series = 0, .x = 4}).serial_s;
  for (sim::figure const& f : study.figures_of(0)) {
    if (!f.key.starts_with("prices.")) continue;
    experiment_study own(e, false, [](std::string_view) {});  // with nothing remembered
    point_at const p{.panel = 0, .series = 0, .x = 4, .figures = {.varied = f.key, .value = f.high}};
    EXPECT_EQ(own.at(p).serial_s, stated) << f.key;
  }
  EXPECT_NE(serial_with(sim::bound::low), stated);
}

TEST(sensitivity, is_shown_as_text_csv_and_json) {
  experiment const e = small_experiment();
  sensitivities const found = run(e, {});
  std::string const text = text_of(found);
  EXPECT_NE(text.find("simulated on the machine model xeon-6130-4s"), std::string::npos) << text;
  EXPECT_NE(text.find("one: takes two to three milliseconds: 0.00"), std::string::npos) << text;
  EXPECT_NE(text.find("fails at both"), std::string::npos) << text;
  EXPECT_EQ(text.find("prices.spawn_ns"), std::string::npos) << "nothing is spawned: " << text;
  EXPECT_EQ(text.find("interrupted"), std::string::npos);
  std::string const csv = csv_of(found);
  std::size_t rows = 1;
  for (sensitivity const& s : found.all) rows += s.effects.size();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(csv, '\n')), rows);
  json const document = to_json(found, sim::machine_model::load(e.machine));
  EXPECT_EQ(document["claims"].size(), 2U);
  EXPECT_EQ(document["claims"][0]["figures"].size(), found.all[0].effects.size());
  EXPECT_EQ(document["claims"][0]["figures"][0]["value_at_low"], found.all[0].effects[0].at_low);
}

TEST(sensitivity, above_the_threshold_only_is_in_the_table) {
  experiment const e = small_experiment();
  sensitivities found = run(e, {.figures = {{.key = "core.flops_per_ns"}}});
  EXPECT_NE(text_of(found).find("core.flops_per_ns"), std::string::npos);
  found.threshold = 5;
  found.all[0].effects[0].at_low = found.all[0].effects[0].at_high = found.all[0].value;  // no change of the verdict
  EXPECT_EQ(text_of(found).find("core.flops_per_ns"), std::string::npos) << text_of(found);
}

TEST(sensitivity, keeps_whole_figures_after_an_interrupt) {
  experiment const e = with_panels(small_experiment(), {"one"});
  experiment_study study(e, false, [](std::string_view) {});
  sensitivities const found = sensitivities_of(study, {}, [](std::size_t done, std::size_t) {
    if (done == 4) throw interruption{};  // as stated, a figure, and half of the next one
  });
  EXPECT_EQ(found.done, 4U);
  ASSERT_EQ(found.all.size(), 1U);
  EXPECT_EQ(found.all[0].effects.size(), 1U);
  EXPECT_NE(text_of(found).find("interrupted after 4 of "), std::string::npos) << text_of(found);
}

TEST(panels, that_are_chosen_keep_what_is_expected_of_them) {
  experiment const e = with_panels(small_experiment(), {"two"});
  ASSERT_EQ(e.panels.size(), 1U);
  ASSERT_EQ(e.expected.size(), 1U);
  EXPECT_EQ(e.expected[0].says, "is as fast");
  EXPECT_EQ(with_panels(small_experiment(), {}).panels.size(), 2U);
  EXPECT_THROW(static_cast<void>(with_panels(small_experiment(), {"three"})), usage_error);
}

}  // namespace
}  // namespace skua::cli
