// SPDX-License-Identifier: MIT
// Apps that lack twins, a serial elision or simulation go through the subcommands themselves: what they lack is left out
// by default, and refused by name with what they have.
#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "apps/program_app.hpp"
#include "cli/measure/on_ranks.hpp"
#include "cli/subcommand.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps {
namespace {

/// Runs on pools, and on nothing else.
class bare_app : public app {
 public:
  [[nodiscard]] std::string_view name() const override { return "bare"; }
  [[nodiscard]] std::string_view about() const override { return "a program for threads only"; }
  [[nodiscard]] std::vector<apps::option> options() override { return {}; }
  void prepare() override {}
  void reset() override { answer_ = 0; }
  void run_skua(pool& workers) override {
    answer_ = workers.run([](auto& here) {
      auto const [a, b] = here.join([](auto&) { return 40; }, [](auto&) { return 2; });
      return a + b;
    });
  }
  [[nodiscard]] std::string wrong() override { return answer_ == 42 ? "" : "bare: another answer"; }
  [[nodiscard]] apps::json_value facts() const override { return {{"answer", answer_}}; }

 protected:
  int answer_ = 0;
};

/// The same with a serial elision.
class serial_app final : public bare_app, public serial_elision {
 public:
  [[nodiscard]] std::string_view name() const override { return "serial-only"; }
  [[nodiscard]] serial_elision* elision() override { return this; }
  void run_serial() override { answer_ = 42; }
};

/// A program without leaves that can be simulated, and has no serial elision by which its tasks could be measured.
class unmeasured_app final : public bare_app, public simulable {
 public:
  [[nodiscard]] std::string_view name() const override { return "unmeasured"; }
  [[nodiscard]] simulable* simulation() override { return this; }
  void run_recorded(recorder& here, std::uint32_t) override { program(here); }
  void run_simulated(sim::here& here, std::uint32_t) override { program(here); }

 private:
  void program(auto& here) {
    auto const [a, b] = here.join([](auto&) { return 40; }, [](auto&) { return 2; });
    answer_ = a + b;
  }
};

/// A program whose tasks are a graph.
class graph_app final : public flow_app<graph_app> {
 public:
  graph_app() : flow_app("graph", "two nodes") {}
  void run_alone() { answer_ = 42; }
  template <class Here>
  void program(Here& here) {
    flow graph(here);
    auto const first = graph.add([](auto& h) { return h.leaf(flops{10}, [] { return 40; }); });
    graph.add(takes(first), [this](auto&, int forty) { answer_ = forty + 2; });
    graph.run(here);
  }

 private:
  void build() override {}
  void restore() override { answer_ = 0; }
  [[nodiscard]] std::string check() override { return answer_ == 42 ? "" : "graph: another answer"; }
  void add_facts(json_value& all) const override { all["answer"] = answer_; }

  int answer_ = 0;
};

}  // namespace

// In place of the list of registry.cpp, which the linker leaves out of this program.
std::vector<entry> const& all() {
  static std::vector<entry> const apps{
      {"bare", []() -> std::unique_ptr<app> { return std::make_unique<bare_app>(); }},
      {"serial-only", []() -> std::unique_ptr<app> { return std::make_unique<serial_app>(); }},
      {"unmeasured", []() -> std::unique_ptr<app> { return std::make_unique<unmeasured_app>(); }},
      {"fib", make_fib},
      {"graph", []() -> std::unique_ptr<app> { return std::make_unique<graph_app>(); }},
  };
  return apps;
}

}  // namespace skua::apps

namespace skua::cli { namespace {

class bare_app_test : public testing::Test {
 protected:
  /// Executes one line of the command, and returns what it refuses, or nothing.
  static std::string refusal_of(std::string const& line) {
    root_parser const root;
    std::vector<subcommand> const every{add_list(root), add_run(root), add_compare(root),
                                        add_sim(root),  add_profile(root), add_experiment(root)};
    if (auto const said = root.parse(line)) ADD_FAILURE() << line << ": " << said->text;
    for (subcommand const& s : every) {
      if (!s.command.is_parsed()) continue;
      try {
        EXPECT_EQ(s.execute(), exit_done) << line;
      } catch (usage_error const& refused) {
        return refused.what();
      }
    }
    return "";
  }

  /// What a line that is not refused writes as JSON.
  [[nodiscard]] json document_of(std::string const& line) const {
    testing::internal::CaptureStdout();
    EXPECT_EQ(refusal_of(line + " --json " + path_), "");
    testing::internal::GetCapturedStdout();
    std::ifstream file(path_);
    return json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  }

  [[nodiscard]] std::vector<std::string> runners_of(std::string const& line) const {
    json const document = document_of(line);
    std::vector<std::string> names;
    for (auto const& row : document["rows"]) {
      EXPECT_EQ(row["verified"], true);
      names.push_back(row["runner"].get<std::string>());
    }
    return names;
  }

  void TearDown() override { std::filesystem::remove(path_); }

 private:
  std::string const path_ =
      (std::filesystem::temp_directory_path() / ("bare_app_test." + std::to_string(::getpid()))).string();
};

using names = std::vector<std::string>;
std::string const compare = " --policies random --workers 1 --repeat 1 --warmup 0";

TEST_F(bare_app_test, the_default_peers_are_those_that_the_app_has) {
  EXPECT_EQ(runners_of("compare bare" + compare), names{"random"});
  EXPECT_EQ(runners_of("compare serial-only" + compare), (names{"serial", "random"}));
  EXPECT_EQ(runners_of("compare serial-only --peers serial" + compare), (names{"serial", "random"}));
}

TEST_F(bare_app_test, a_peer_that_it_lacks_is_refused_with_those_that_it_has) {
  EXPECT_EQ(refusal_of("compare serial-only --peers openmp"),
            "--peers is 'openmp'; allowed: serial, the peers that serial-only has");
  EXPECT_EQ(refusal_of("compare serial-only --peers serial,tbb:affinity"),
            "--peers is 'tbb:affinity'; allowed: serial, the peers that serial-only has");
  EXPECT_EQ(refusal_of("run serial-only --peer tbb"),
            "--peer is 'tbb'; allowed: serial, the peers that serial-only has");
  EXPECT_EQ(refusal_of("run bare --peer serial"), "--peer is 'serial'; allowed: none, because bare runs on Skua only");
  EXPECT_EQ(refusal_of("compare fib --peers openmq").find("--peers is 'openmq'; allowed: serial, openmp, tbb"), 0U);
}

TEST_F(bare_app_test, nothing_to_compare_is_refused) {
  EXPECT_EQ(refusal_of("compare bare --policies none"),
            "--policies none is given for bare, which has no peers; allowed: at least one policy");
}

TEST_F(bare_app_test, a_breakdown_of_an_app_without_serial_elision_does_without) {
  auto const document = document_of("compare bare --breakdown" + compare);
  EXPECT_EQ(document["added_for_breakdown"], json::array());
  EXPECT_TRUE(document["rows"][0]["overhead"].is_null());
}

TEST_F(bare_app_test, runs_on_a_pool) { EXPECT_EQ(runners_of("run bare --policy adws --workers 2"), names{"adws"}); }

TEST_F(bare_app_test, a_program_for_threads_only_is_not_simulated) {
  std::string const refusal = "app is 'bare', whose program runs on threads only; allowed: unmeasured, fib, graph";
  for (char const* const line :
       {"sim bare", "sim bare --live", "profile bare", "run bare --virtual", "sim bare --recorded --task-ns 9"})
    EXPECT_EQ(refusal_of(line), refusal) << line;
}

TEST_F(bare_app_test, a_program_that_cannot_be_measured_needs_the_time_of_a_task) {
  EXPECT_EQ(
      refusal_of("sim unmeasured --workers 1"),
      "--task-ns is missing; allowed: the duration of a task, because unmeasured has no serial elision to measure "
      "it by");
  EXPECT_EQ(runners_of("sim unmeasured --workers 2 --policies adws --task-ns 9"), names{"adws"});
  EXPECT_EQ(runners_of("run unmeasured --virtual --workers 2 --policy adws"), names{"adws"});
}

TEST_F(bare_app_test, a_graph_is_simulated_live_only) {
  EXPECT_EQ(runners_of("sim graph --workers 2 --policies random"), names{"random"});
  EXPECT_EQ(runners_of("sim graph --measured-leaves --workers 2 --policies random"), names{"random"});
  EXPECT_EQ(runners_of("run graph --virtual --workers 2 --policy adws"), names{"adws"});
  EXPECT_EQ(refusal_of("sim graph --recorded"),
            "--recorded is given with graph; allowed: --live, because a tree cannot express its dependences");
  EXPECT_EQ(refusal_of("profile graph"),
            "app is 'graph', whose tasks are a graph; allowed: apps whose tasks are a tree");
}

TEST_F(bare_app_test, a_map_is_refused_where_no_app_has_one) {
  EXPECT_EQ(refusal_of("run bare --map x.svg"), "--map is given for bare; allowed: for the apps ");
}

TEST_F(bare_app_test, list_says_what_each_app_has) {
  auto const apps = document_of("list")["apps"];
  ASSERT_EQ(apps.size(), 5U);
  EXPECT_EQ(apps[0]["peers"], json::array());
  EXPECT_EQ(apps[0]["capabilities"], json::array());
  EXPECT_EQ(apps[1]["peers"], json::array({"serial"}));
  EXPECT_EQ(apps[2]["capabilities"], json::array({"simulation"}));
  EXPECT_EQ(apps[3]["peers"], json::array({"serial", "openmp", "tbb"}));
}

}}  // namespace skua::cli
