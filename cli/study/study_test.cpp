// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "cli/study/child.hpp"
#include "cli/study/conditions.hpp"
#include "cli/study/notebook.hpp"
#include "cli/study/plan.hpp"
#include "cli/study/verdicts.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::cli { namespace {

study_wish wish(unsigned workers, bool quick) {
  return {.quick = quick,
          .workers = workers,
          .skua = "/bin/skua",
          .programs = "/bin",
          .folder = "there",
          .policies = "random,adws"};
}

std::size_t first_of(std::vector<study_part> const& plan, part_kind kind) {
  return static_cast<std::size_t>(std::ranges::find(plan, kind, &study_part::kind) - plan.begin());
}

TEST(study_plan, counts_double_and_end_with_all) {
  using counts = std::vector<unsigned>;
  EXPECT_EQ(study_worker_counts(1, false), counts({1}));
  EXPECT_EQ(study_worker_counts(2, false), counts({1, 2}));
  EXPECT_EQ(study_worker_counts(12, false), counts({1, 2, 4, 8, 12}));
  EXPECT_EQ(study_worker_counts(64, true), counts({1, 64}));
}

TEST(study_plan, predictions_come_before_all_measurements_of_apps) {
  for (bool const quick : {false, true}) {
    std::vector<study_part> const plan = plan_of(wish(4, quick));
    std::size_t last_prediction = 0;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].kind == part_kind::prediction) last_prediction = i;
    }
    EXPECT_LT(first_of(plan, part_kind::calibration), first_of(plan, part_kind::prediction));
    EXPECT_LT(last_prediction, first_of(plan, part_kind::scaling));
    EXPECT_LT(last_prediction, first_of(plan, part_kind::bench));
  }
}

TEST(study_plan, only_better_measurements_have_the_key_of_an_earlier_part) {
  std::set<std::string> seen;
  for (study_part const& part : plan_of(wish(16, false))) {
    EXPECT_EQ(seen.insert(part.key).second, !part.is_repeated) << part.key;
    EXPECT_FALSE(part.words.empty());
    EXPECT_GT(part.seconds, 0);
  }
}

TEST(study_plan, a_quick_study_takes_about_ninety_seconds) {
  double all = 0;
  for (study_part const& part : plan_of(wish(16, true))) all += part.seconds;
  EXPECT_LT(all, 90);
}

TEST(study_plan, two_processes_run_the_first_app_at_once) {
  for (bool const quick : {false, true}) {
    std::vector<study_part> const plan = plan_of(wish(4, quick));
    auto const twice = std::ranges::find(plan, 2U, &study_part::copies);
    ASSERT_NE(twice, plan.end());
    EXPECT_EQ(twice->key, "together/heat-640");
  }
}

TEST(study_plan, a_scheduler_that_is_made_for_an_app_runs_beside_the_others_and_once) {
  auto const policies = [](char const* given) {
    study_wish asked = wish(4, false);
    asked.policies = given;
    std::vector<study_part> const plan = plan_of(asked);
    auto const chains = std::ranges::find(plan, "scaling/chains", &study_part::key);
    return *(std::ranges::find(chains->words, "--policies") + 1);
  };
  EXPECT_EQ(policies("random,adws"), "auto,random,adws,arms");
  EXPECT_EQ(policies("arms,random"), "auto,arms,random");
}

TEST(study_plan, ranks_begin_with_the_launcher_that_is_there) {
  study_wish asked = wish(4, false);
  asked.launcher = "/usr/bin/mpirun";
  std::vector<study_part> const plan = plan_of(asked);
  auto const ranks = std::ranges::find(plan, "ranks/uts", &study_part::key);
  ASSERT_NE(ranks, plan.end());
  EXPECT_EQ(ranks->words.front(), "/usr/bin/mpirun");
  auto const folder = std::filesystem::temp_directory_path() / ("launchers." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string const path = "/no/such::" + folder.string();
  EXPECT_EQ(launcher_in(path), "");
  std::ofstream(folder / "mpirun") << "#!/bin/sh\n";
  EXPECT_EQ(launcher_in(path), "") << "it cannot be executed";
  std::filesystem::permissions(folder / "mpirun", std::filesystem::perms::owner_all);
  EXPECT_EQ(launcher_in(path), (folder / "mpirun").string());
  std::filesystem::remove_all(folder);
}

class study_notebook : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("study_test." + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "study.json").string(); }

  std::filesystem::path folder_;
  json here_ = {{"cpu", "a"}, {"workers", 2}};
  study_part part_{.key = "scaling/a", .kind = part_kind::scaling, .title = "a", .words = {"skua", "compare", "a"}};
  child_end good_{.is_good = true, .how = {}, .seconds = 1};
  child_end bad_{.is_good = false, .how = "signal 11", .seconds = 1};
};

TEST_F(study_notebook, goes_on_where_it_was) {
  {
    notebook first(path(), here_);
    EXPECT_FALSE(first.has(part_));
    first.add(part_, good_, {{"rows", json::array()}}, {});
    EXPECT_TRUE(first.has(part_));
  }
  notebook const again(path(), here_);
  EXPECT_EQ(again.found_before(), 1U);
  EXPECT_TRUE(again.has(part_));
}

TEST_F(study_notebook, other_words_are_another_measurement) {
  notebook all(path(), here_);
  all.add(part_, good_, {{"rows", json::array()}}, {});
  study_part better = part_;
  better.words.push_back("--repeat");
  better.is_repeated = true;
  EXPECT_FALSE(all.has(better));
  all.add(better, good_, {{"rows", json::array()}}, {});
  EXPECT_TRUE(all.has(better));
  EXPECT_TRUE(all.has(part_)) << "the better one stands for it";
}

TEST_F(study_notebook, a_bad_end_does_not_replace_a_good_one) {
  notebook all(path(), here_);
  all.add(part_, good_, {{"rows", json::array()}}, {});
  all.add(part_, bad_, {}, {});
  all.leave_out(part_, "no time was left");
  EXPECT_TRUE(all.has(part_));
}

TEST_F(study_notebook, a_good_end_without_a_result_is_bad) {
  notebook all(path(), here_);
  all.add(part_, good_, {}, {});
  EXPECT_FALSE(all.has(part_));
  EXPECT_EQ(all.all()["parts"]["scaling/a"]["why"].get<std::string>(), "it wrote no result");
}

TEST_F(study_notebook, keeps_no_text_that_is_no_json) {
  notebook all(path(), here_);
  all.add(part_, good_, json::parse("{\"rows\": ["), {});
  EXPECT_FALSE(all.has(part_));
  EXPECT_EQ(notebook(path(), here_).found_before(), 1U) << "the file can still be read";
}

TEST_F(study_notebook, refuses_another_machine_and_another_file) {
  { notebook(path(), here_).write(); }
  EXPECT_THROW(notebook(path(), {{"cpu", "b"}, {"workers", 2}}), usage_error);
  std::ofstream(path()) << "{\"study\": 1, \"of\": 3}";
  EXPECT_THROW(notebook(path(), here_), resource_error);
  std::ofstream(path()) << "{";
  EXPECT_THROW(notebook(path(), here_), resource_error);
}

json row(char const* runner, unsigned workers, double seconds, double serial) {
  return {{"runner", runner},
          {"workers", workers},
          {"median_s", seconds},
          {"min_s", seconds * 0.99},
          {"max_s", seconds * 1.01},
          {"verified", true},
          {"speedup_over_serial", serial / seconds}};
}

json busy(json of, double work, double idle, double scheduling, double inflation) {
  of["work_s"] = work;
  of["idle_s"] = idle;
  of["scheduling_s"] = scheduling;
  of["inflation_over_one"] = inflation;
  return of;
}

json study_of(json predicted, json measured) {
  return {
      {"worker_counts", {1, 2}},
      {"parts",
       {{"prediction/a",
         {{"kind", "prediction"}, {"title", "a"}, {"ended_well", true}, {"result", {{"rows", std::move(predicted)}}}}},
        {"scaling/a",
         {{"kind", "scaling"},
          {"title", "a --n 1"},
          {"ended_well", true},
          {"result", {{"rows", std::move(measured)}}}}}}}};
}

TEST(study_verdicts, compare_speed_ups_and_orders) {
  json const study =
      study_of(json::array({row("random", 2, 0.6, 1), row("adws", 2, 0.5, 1), row("replay", 2, 0.4, 1)}),
               json::array({row("random", 2, 0.66, 1), row("adws", 2, 0.5, 1), row("replay", 2, 0.504, 1)}));
  std::vector<prediction_check> const checks = checks_of(study);
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_NEAR(checks[0].error, 0.1, 1e-9);
  order_check const order = orders_of(study);
  EXPECT_EQ(order.pairs, 2U) << "adws and replay do not differ by more than their rounds";
  EXPECT_EQ(order.right, 2U);
}

TEST(study_verdicts, name_what_an_app_loses_its_time_with) {
  json const study = study_of(
      json::array(), json::array({row("serial", 1, 1, 1), busy(row("random", 2, 0.7, 1), 0.9, 0.5, 0, 1.02),
                                  busy(row("adws", 2, 0.6, 1), 1.15, 0.05, 0, 1.2), row("openmp", 2, 0.65, 1)}));
  json const limits = limits_of(study);
  ASSERT_EQ(limits.size(), 1U);
  EXPECT_EQ(limits[0]["runner"].get<std::string>(), "adws");
  EXPECT_EQ(limits[0]["best_peer"].get<std::string>(), "openmp");
  EXPECT_NE(limits[0]["says"].get<std::string>().find("20 % longer"), std::string::npos);
}

TEST(study_conditions, read_the_kernels_first_line) {
  processor_ticks const seen = read_ticks("cpu  10 1 5 70 4 0 2 8 3 0");
  EXPECT_EQ(seen.all, 100);
  EXPECT_EQ(seen.idle, 74);
  EXPECT_EQ(seen.stolen, 8);
  EXPECT_EQ(read_ticks("").all, 0);
  EXPECT_EQ(read_ticks("intr 5").all, 0);
}

TEST(study_child, says_how_a_program_ended) {
  std::string const log =
      (std::filesystem::temp_directory_path() / ("study_child." + std::to_string(::getpid()))).string();
  EXPECT_TRUE(run_child({"/bin/true"}, log, 10).is_good);
  EXPECT_EQ(run_child({"/bin/sh", "-c", "exit 3"}, log, 10).how, "exit code 3");
  EXPECT_EQ(run_child({"/bin/sh", "-c", "kill -11 $$"}, log, 10).how, "signal 11");
  EXPECT_NE(run_child({"/no/such/program"}, log, 10).how.find("could not be started"), std::string::npos);
  child_end const late = run_child({"/bin/sh", "-c", "trap '' TERM; sleep 60"}, log, 0.1);
  EXPECT_FALSE(late.is_good);
  EXPECT_NE(late.how.find("ran past"), std::string::npos);
  std::filesystem::remove(log);
}

}}  // namespace skua::cli
