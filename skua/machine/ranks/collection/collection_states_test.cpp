// SPDX-License-Identifier: MIT
// Every call of a collection in every state (program/collection/collection.md has the table): what it does, or a usage_error on every rank
// that changes nothing. First each pair, then random sequences of calls; both are compared with a model of a few numbers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/rank_pool.hpp"
#include "skua/ranks.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

enum class outcome : std::uint8_t { done, refused, failed };

/// Sums over all ranks, and what each call makes of them.
struct model {
  std::uint64_t recorded = 0;
  std::uint64_t waiting = 0;
  std::uint64_t works = 0;  ///< of waiting tasks
  bool executed = false;
  std::uint64_t kept = 0;
  std::optional<std::uint64_t> saved;

  outcome process() {
    kept = recorded = waiting;
    waiting = works = 0;
    executed = true;
    return outcome::done;
  }
  outcome fail() {
    kept = recorded = waiting = works = 0;
    executed = false;
    return outcome::failed;
  }
  outcome restore() {
    waiting += recorded;
    recorded = 0;
    executed = false;
    return outcome::done;
  }
  [[nodiscard]] outcome rebalance() const {
    return executed || (waiting > 0 && works == waiting) ? outcome::done : outcome::refused;
  }
  outcome checkpoint() {
    if (!executed || waiting > 0) return outcome::refused;
    saved = recorded;
    return outcome::done;
  }
  outcome restart() {
    if (!saved) return outcome::failed;
    recorded = *saved;
    waiting = works = 0;
    executed = true;
    return outcome::done;
  }
};

/// A collection, its model, and the calls by name.
class compared {
 public:
  compared(communicator& world, std::string const& path)
      : world_(world), path_(path), all_(world, {.name = "compared"}, [this](std::uint32_t) {
          if (fails_) throw std::runtime_error("as asked");
        }) {}

  /// Every rank adds one.
  void add() {
    all_.add(1);
    model_.waiting += world_.size();
  }
  void add_weighed() {
    all_.add(1, 1.0 + world_.rank());
    model_.waiting += world_.size();
    model_.works += world_.size();
  }

  using call = std::pair<char const*, std::function<void(compared&)>>;
  static std::vector<call> const& calls() {
    static std::vector<call> const all{
        {"add", [](compared& c) { c.add(); }},
        {"add with a work", [](compared& c) { c.add_weighed(); }},
        {"process", [](compared& c) { c.expect(c.model_.process(), [&] { c.all_.process(); }); }},
        {"a process that fails", [](compared& c) { c.fail(); }},
        {"enable_stealing", [](compared& c) { c.all_.enable_stealing(true); }},
        {"restore", [](compared& c) { c.restore(placement_of_tasks::retained); }},
        {"restore original", [](compared& c) { c.restore(placement_of_tasks::original); }},
        {"restore as auto", [](compared& c) { c.restore_as("auto"); }},
        {"restore as hierarchical", [](compared& c) { c.restore_as("hierarchical"); }},
        {"rebalance", [](compared& c) { c.expect(c.model_.rebalance(), [&] { c.all_.rebalance("centralised"); }); }},
        {"rebalance_if_due",
         [](compared& c) {
           c.expect(c.model_.rebalance(), [&] { static_cast<void>(c.all_.rebalance_if_due("hierarchical")); });
         }},
        {"checkpoint", [](compared& c) { c.expect(c.model_.checkpoint(), [&] { c.all_.checkpoint(c.path_); }); }},
        {"restart",
         [](compared& c) { c.expect(c.model_.restart(), [&] { static_cast<void>(c.all_.restart(c.path_)); }); }},
        {"report", [](compared& c) { EXPECT_EQ(c.all_.report().kept, c.model_.kept); }}};
    return all;
  }

  void make(std::string const& name) {
    for (call const& c : calls()) {
      if (c.first == name) return make(c);
    }
    FAIL() << name;
  }
  void make(call const& c) {
    said_ += std::string(said_.empty() ? "" : ", ") + c.first;
    c.second(*this);
    EXPECT_EQ(world_.sum(all_.num_recorded()), model_.recorded) << said_;
    EXPECT_EQ(world_.sum(all_.num_waiting()), model_.waiting) << said_;
  }

  task_collection<std::uint32_t>& all() { return all_; }

 private:
  template <class F>
  void expect(outcome wanted, F f) {
    outcome found = outcome::done;
    try {
      f();
    } catch (usage_error const&) {
      found = outcome::refused;
    } catch (std::exception const&) {
      found = outcome::failed;
    }
    EXPECT_EQ(static_cast<int>(found), static_cast<int>(wanted)) << said_;
  }
  void fail() {
    if (model_.waiting == 0) return;
    fails_ = true;
    expect(model_.fail(), [&] { all_.process(); });
    fails_ = false;
  }
  void restore_as(char const* how) {
    bool const allowed = model_.executed;
    expect(allowed ? model_.restore() : outcome::refused, [&] { all_.restore(how); });
  }
  void restore(placement_of_tasks where) {
    expect(model_.restore(), [&] { all_.restore(where); });
  }

  communicator& world_;
  std::string path_;
  model model_;
  bool fails_ = false;
  std::string said_;
  task_collection<std::uint32_t> all_;
};

class collection_states : public on_each_number_of_ranks {
 protected:
  /// A name that ranks of one job agree on and two jobs do not; no such file is there.
  static std::string scratch(communicator& world) {
    auto const number = world.max(world.rank() == 0 ? static_cast<double>(getpid()) : 0.0);
    std::string path = (std::filesystem::temp_directory_path() / ("skua_states_" + std::to_string(number))).string();
    if (world.rank() == 0) std::filesystem::remove(path);
    world.barrier();
    return path;
  }
};

/// The states, by the calls that lead there.
std::vector<std::vector<char const*>> ways() {
  return {{},
          {"add"},
          {"add with a work"},
          {"add with a work", "rebalance"},
          {"add with a work", "rebalance", "add with a work"},
          {"add with a work", "add"},
          {"add with a work", "rebalance", "process"},
          {"add", "process"},
          {"process"},
          {"add", "process", "add"},
          {"add", "process", "add with a work"},
          {"add", "process", "add with a work", "restore"},
          {"process", "add with a work", "restore"},
          {"add", "process", "restore"},
          {"add", "process", "restore original", "add"},
          {"add", "process", "checkpoint"},
          {"add", "process", "checkpoint", "restore"},
          {"add", "process", "checkpoint", "add", "process", "add"},
          {"add", "process", "checkpoint", "add", "restart"},
          {"add", "process", "checkpoint", "add", "restart", "restore"},
          {"add", "process", "rebalance", "restore", "process"},
          {"add", "a process that fails"},
          {"add", "process", "add", "a process that fails"}};
}

TEST_P(collection_states, allow_and_refuse_each_call_as_the_table_says) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const path = scratch(world);
    for (auto const& way : ways()) {
      for (auto const& call : compared::calls()) {
        compared c(world, path);
        for (char const* step : way) c.make(step);
        c.make(call);
        // Whatever it did, all that is there runs.
        c.make("restore");
        c.make("process");
        c.make("report");
        world.barrier();
        if (world.rank() == 0) std::filesystem::remove(path);
        world.barrier();
      }
    }
  });
}

TEST_P(collection_states, are_those_of_the_model_after_any_sequence_of_calls) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const path = scratch(world);
    bool const threads = world.size() <= 3;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      std::optional<pool> some;
      std::optional<rank_pool> workers;
      if (threads && seed % 2 == 0) workers.emplace(world, some.emplace(2));
      compared c(world, path);
      runtime::dice dice(seed);
      for (int step = 0; step < 60; ++step) c.make(compared::calls()[dice.next() % compared::calls().size()]);
      world.barrier();
      if (world.rank() == 0) std::filesystem::remove(path);
      world.barrier();
    }
  });
}

TEST_P(collection_states, that_differ_between_ranks_refuse_on_every_rank) {
  on_ranks(GetParam(), [&](communicator& world) {
    std::string const path = scratch(world);
    compared c(world, path);
    c.make("add");
    c.make("process");
    bool const last = world.rank() + 1 == world.size();
    auto const refuses = [&](char const* said, auto f) {
      try {
        f();
        FAIL() << said;
      } catch (usage_error const& e) {
        EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
      }
    };
    if (last) c.all().add(2);
    refuses("'compared': checkpoint while tasks wait", [&] { c.all().checkpoint(path); });
    if (last) c.all().restore();
    refuses("'compared': checkpoint where no executed", [&] { c.all().checkpoint(path); });
    refuses("'compared': rebalance where no executed", [&] { c.all().rebalance("hierarchical"); });
    refuses("'compared': rebalance_if_due where", [&] { static_cast<void>(c.all().rebalance_if_due("tempered")); });
    EXPECT_FALSE(std::filesystem::exists(path));
    if (!last) c.all().restore();
    c.all().process();
    EXPECT_EQ(world.sum(c.all().num_recorded()), world.size() + 1U);
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, collection_states, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
