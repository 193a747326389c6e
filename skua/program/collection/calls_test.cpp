// SPDX-License-Identifier: MIT
// What a task collection asks of the machine under it, call by call, on a machine that only writes down what it is asked. What ranks make of
// it: machine/ranks/collection/task_collection_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>
#include <vector>

#include "skua/program/collection/task_collection.hpp"

namespace skua { inline namespace v0 { namespace {

using bytes = std::vector<std::byte>;

bytes bytes_of(std::string_view text) {
  auto const all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

/// What the engine was asked, in order, and the tasks that it was given.
struct asked {
  std::vector<std::string> calls;
  std::vector<bytes> tasks;
};

class told_engine final : public runtime::collection_engine, public runtime::collection_site {
 public:
  told_engine(asked& to, runtime::task_binding const& of, bool threads) : to_(to), of_(of), threads_(threads) {}

  [[nodiscard]] bool has_threads() const noexcept override { return threads_; }
  void add(std::span<std::byte const> task) override {
    to_.calls.emplace_back("add");
    to_.tasks.emplace_back(task.begin(), task.end());
  }
  [[nodiscard]] void* reserve() override {
    to_.calls.emplace_back("reserve");
    return room_;
  }
  void commit() override {
    to_.calls.emplace_back("commit");
    to_.tasks.emplace_back(room_, room_ + of_.bytes);
  }
  /// Runs what it has, one after the other, and what that spawns.
  void process() override {
    to_.calls.emplace_back("process");
    outcomes.clear();
    for (std::size_t i = 0; i < to_.tasks.size(); ++i) {
      alignas(16) std::byte copy[64];
      ASSERT_LE(to_.tasks[i].size(), sizeof copy);
      std::ranges::copy(to_.tasks[i], copy);
      outcomes.push_back(of_.run(of_.function, *this, std::span(copy, to_.tasks[i].size())));
    }
  }
  void stealing(bool on) override { to_.calls.push_back(on ? "stealing on" : "stealing off"); }
  void restore(placement_of_tasks where) override {
    to_.calls.push_back(where == placement_of_tasks::retained ? "restore retained" : "restore original");
  }
  void restore_as(std::string_view how) override { to_.calls.push_back("restore as " + std::string(how)); }
  void rebalance(std::string_view how) override { to_.calls.push_back("rebalance " + std::string(how)); }
  [[nodiscard]] bool rebalance_if_due(std::string_view how) override {
    to_.calls.push_back("if due " + std::string(how));
    return how == "due";
  }
  void checkpoint(std::string const& path, std::span<std::byte const> state) override {
    to_.calls.push_back("checkpoint " + path + " " + std::to_string(state.size()));
  }
  [[nodiscard]] bytes restart(std::string const& path) override { return bytes_of(path); }
  bool recover(bool may_be_emptied) override {
    to_.calls.emplace_back(may_be_emptied ? "recover or none" : "recover");
    return to_.calls.size() % 2 == 0;
  }
  [[nodiscard]] collection_report report() override { return {.iteration = 7}; }
  [[nodiscard]] ranks_report report_by_rank() override { return {.iteration = 7, .ranks = {{.rank = 0}, {.rank = 1}}}; }
  [[nodiscard]] rank_report own_report() const noexcept override { return {.rank = 1, .tasks = 5}; }
  [[nodiscard]] std::uint64_t recorded() const noexcept override { return 8; }
  [[nodiscard]] std::uint64_t waiting() const noexcept override { return 9; }
  void add_weighed(std::span<std::byte const> task, double work) override {
    to_.calls.push_back("add of work " + std::to_string(work));
    to_.tasks.emplace_back(task.begin(), task.end());
  }

  [[nodiscard]] std::uint32_t rank() const noexcept override { return 1; }
  [[nodiscard]] std::uint32_t ranks() const noexcept override { return 2; }
  [[nodiscard]] std::uint32_t worker() const noexcept override { return 3; }
  [[nodiscard]] std::uint32_t workers() const noexcept override { return 4; }
  void progress() override { to_.calls.emplace_back("progress"); }
  void spawn(std::span<std::byte const> task) override {
    to_.calls.emplace_back("spawn");
    to_.tasks.emplace_back(task.begin(), task.end());
  }

  std::vector<task_outcome> outcomes;

 private:
  asked& to_;
  runtime::task_binding const of_;
  bool const threads_;
  alignas(16) std::byte room_[64] = {};
};

struct told_host final : runtime::collection_host {
  std::unique_ptr<runtime::collection_engine> make_collection(collection_options const& o,
                                                              runtime::task_binding const& b) override {
    options = o;
    binding = b;
    auto made = std::make_unique<told_engine>(to, b, threads);
    engine = made.get();
    return made;
  }
  bool threads = false;
  asked to;
  collection_options options;
  runtime::task_binding binding;
  told_engine* engine = nullptr;
};

struct plain_task {
  int a;
  int b;
};

struct owning_task {
  std::string text;
  int number = 0;
  template <class Archive>
  void serialize(Archive& a) {
    a(text, number);
  }
};

using calls = std::vector<std::string>;

TEST(a_collection, says_what_its_tasks_are) {
  told_host host;
  task_collection<plain_task> const plain(host, {.name = "plain", .limit = 11, .seed = 12}, [](plain_task&) {});
  EXPECT_EQ(host.options.name, "plain");
  EXPECT_EQ(host.options.limit, 11U);
  EXPECT_EQ(host.options.seed, 12U);
  EXPECT_EQ(host.binding.bytes, sizeof(plain_task));
  EXPECT_EQ(host.binding.alignment, alignof(plain_task));
  EXPECT_FALSE(host.binding.is_serialized);
  EXPECT_EQ(host.binding.type, typeid(plain_task).name());
  EXPECT_NE(host.binding.name, nullptr);
  task_collection<owning_task> const owning(host, {}, [](owning_task&) {});
  EXPECT_TRUE(host.binding.is_serialized);
  EXPECT_EQ(host.binding.bytes, sizeof(owning_task));
}

/// Where the rank has one worker a plain task is made where it waits, else in one call; a serialized one always so.
TEST(a_collection, adds_tasks_in_the_way_that_its_machine_allows) {
  for (bool const threads : {false, true}) {
    told_host host;
    host.threads = threads;
    std::vector<std::pair<int, int>> ran;
    task_collection<plain_task> plain(host, {}, [&](plain_task& t) { ran.emplace_back(t.a, t.b); });
    plain.add({1, 2});
    plain.emplace(3, 4);
    EXPECT_EQ(host.to.calls, threads ? (calls{"add", "add"}) : (calls{"reserve", "commit", "reserve", "commit"}));
    plain.process();
    EXPECT_EQ(ran, (std::vector<std::pair<int, int>>{{1, 2}, {3, 4}}));

    told_host other;
    other.threads = threads;
    std::vector<std::string> texts;
    task_collection<owning_task> owning(
        other, {}, [&](owning_task& t) { texts.push_back(t.text + "/" + std::to_string(t.number)); });
    owning.add({.text = "one", .number = 1});
    owning.emplace("two", 2);
    owning.add({.text = "three", .number = 3}, 0.5);
    EXPECT_EQ(other.to.calls, (calls{"add", "add", "add of work 0.500000"}));
    owning.process();
    EXPECT_EQ(texts, (std::vector<std::string>{"one/1", "two/2", "three/3"}));
  }
}

TEST(a_collection, hands_tasks_their_site_and_what_they_return_to_the_machine) {
  told_host host;
  task_collection<plain_task> plain(host, {}, [](task_site<plain_task>& here, plain_task& t) {
    EXPECT_EQ(here.rank(), 1U);
    EXPECT_EQ(here.ranks(), 2U);
    EXPECT_EQ(here.worker(), 3U);
    EXPECT_EQ(here.num_workers(), 4U);
    here.progress();
    if (t.a == 0) here.spawn({5, 6});
    return t.a == 0 ? task_outcome::null : task_outcome::done;
  });
  plain.add({0, 0});
  plain.process();
  EXPECT_EQ(host.to.calls, (calls{"reserve", "commit", "process", "progress", "spawn", "progress"}));
  EXPECT_EQ(host.engine->outcomes, (std::vector{task_outcome::null, task_outcome::done}));
  plain_task spawned{};
  ASSERT_EQ(host.to.tasks.size(), 2U);
  ASSERT_EQ(host.to.tasks[1].size(), sizeof spawned);
  std::memcpy(&spawned, host.to.tasks[1].data(), sizeof spawned);
  EXPECT_EQ(spawned.a, 5);
  EXPECT_EQ(spawned.b, 6);

  told_host other;
  std::vector<std::string> texts;
  task_collection<owning_task> owning(other, {}, [&](task_site<owning_task>& here, owning_task& t) {
    texts.push_back(t.text);
    if (t.number > 0) here.spawn({.text = t.text + "+", .number = t.number - 1});
  });
  owning.add({.text = "x", .number = 2});
  owning.process();
  EXPECT_EQ(texts, (std::vector<std::string>{"x", "x+", "x++"}));
  EXPECT_EQ(other.engine->outcomes, (std::vector(3, task_outcome::done)));
}

TEST(a_collection, passes_its_failures_and_refuses_a_task_of_which_something_is_left) {
  told_host host;
  task_collection<owning_task> owning(host, {}, [](owning_task&) { throw std::out_of_range("a task"); });
  owning.add({.text = "x"});
  EXPECT_THROW(owning.process(), std::out_of_range);
  host.to.tasks[0].push_back(std::byte{0});
  EXPECT_THROW(owning.process(), usage_error);
  host.to.tasks[0].resize(host.to.tasks[0].size() - 2);
  EXPECT_THROW(owning.process(), usage_error);
}

TEST(a_collection, passes_every_other_call_to_its_machine) {
  told_host host;
  task_collection<plain_task> plain(host, {}, [](plain_task&) {});
  plain.enable_stealing(true);
  plain.enable_stealing(false);
  plain.restore();
  plain.restore(placement_of_tasks::original);
  plain.restore("auto");
  plain.rebalance("greedy");
  EXPECT_TRUE(plain.rebalance_if_due("due"));
  EXPECT_FALSE(plain.rebalance_if_due("not yet"));
  bytes const state(3);
  plain.checkpoint("file", state);
  plain.checkpoint("file");
  plain.recover();
  int added = 0;
  EXPECT_FALSE(plain.recover([&] { ++added; }));
  EXPECT_TRUE(plain.recover([&] { ++added; }));
  EXPECT_EQ(added, 1);
  EXPECT_EQ(host.to.calls,
            (calls{"stealing on", "stealing off", "restore retained", "restore original", "restore as auto",
                   "rebalance greedy", "if due due", "if due not yet", "checkpoint file 3", "checkpoint file 0",
                   "recover", "recover or none", "recover or none"}));
  EXPECT_EQ(plain.restart("path"), bytes_of("path"));
  EXPECT_EQ(plain.report().iteration, 7U);
  EXPECT_EQ(plain.report_by_rank().ranks.size(), 2U);
  EXPECT_EQ(plain.own_report().tasks, 5U);
  EXPECT_EQ(plain.num_recorded(), 8U);
  EXPECT_EQ(plain.num_waiting(), 9U);
}

TEST(a_report, says_in_words_what_happened_and_only_that) {
  collection_report r{.ranks = 1, .tasks = 1, .seconds = 2, .mean_busy = 1.5};
  EXPECT_EQ(in_words(r), "ideal balance would run 25 % faster") << "one rank steals nothing";
  r.ranks = 2;
  EXPECT_EQ(in_words(r), "ideal balance would run 25 % faster; no task was stolen");
  r.moved = 1;
  r.tasks = 999;
  EXPECT_EQ(in_words(r), "ideal balance would run 25 % faster; stealing moved 1 of 999 tasks");
  r.moved = 1000;
  r.tasks = 1'234'567;
  EXPECT_EQ(in_words(r), "ideal balance would run 25 % faster; stealing moved 1,000 of 1,234,567 tasks");
  r.run_again = 1;
  r.dropped = 1;
  r.moved = 0;
  EXPECT_EQ(
      in_words(r),
      "ideal balance would run 25 % faster; 1 tasks of a rank that died ran again; at least 1 tasks of a rank that "
      "died may be missing; no task was stolen");
  r.dropped = 0;
  r.run_again = 100'000;
  EXPECT_EQ(in_words(r),
            "ideal balance would run 25 % faster; 100,000 tasks of a rank that died ran again; no task was "
            "stolen");
  r = {};
  EXPECT_EQ(in_words(r), "ideal balance would run 0 % faster") << "no time has passed";
  EXPECT_EQ(r.idle_share(), 0);
  r.seconds = 0.5;
  EXPECT_EQ(r.idle_share(), 1);
  EXPECT_EQ(remote_error(3, "why").rank(), 3U);
  EXPECT_STREQ(remote_error(3, "why").what(), "rank 3: why");
  EXPECT_EQ(rank_lost(4, "gone").rank(), 4U);
  EXPECT_STREQ(rank_lost(4, "gone").what(), "gone");
}

}}}  // namespace skua::v0
