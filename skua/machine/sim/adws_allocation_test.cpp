// SPDX-License-Identifier: MIT
// Deterministic task allocation in the simulator: which worker runs what, in which order, and the theorems.
// [adws-sc19 4.2]
#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "skua/machine/sim/groups_for_test.hpp"
#include "skua/policy/adws/exact_for_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

using policies::adws::range;
using policies::adws::ratio;
using policies::adws::tag_fields;

// ---- who runs what -------------------------------------------------------------------------------------------------

/// Computes the worker of every leaf of a four-way tree, cut by cut, without rounding.
void exact_map(task_tree const& program, tree_node_id task, ratio right, ratio left, std::vector<std::uint32_t>& of) {
  for (tree_node_id step = program[task].first; step != no_tree_node; step = program[step].next) {
    if (program[step].kind == tree_node_kind::leaf) {
      of[step] = range{.right = right.value(), .left = left.value()}.owner();
      continue;
    }
    ratio rest = left;
    std::int64_t n = 4;
    for (tree_node_id c = program[step].first; c != no_tree_node; c = program[c].next, --n) {
      if (!range{.right = right.value(), .left = rest.value()}.spans()) {
        exact_map(program, c, right, rest, of);
        continue;
      }
      ratio const at = n == 1 ? right : policies::adws::exact_cut(right, rest, n);
      exact_map(program, c, at, rest, of);
      rest = at;
    }
  }
}

TEST(adws_allocation, every_leaf_of_a_four_way_tree_is_run_by_the_worker_that_exact_fractions_say) {
  task_tree const program = record([](auto& h) { four_way(h, 2, 3, 10); });
  for (std::uint32_t const workers : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 16U, 48U, 64U, 100U}) {
    std::vector<std::uint32_t> expected(program.size(), 0);
    exact_map(program, 0, ratio(0), ratio(workers), expected);
    run_result const result = checked_run("adws:no-steal", program, workers, strict(workers));
    for (tree_node_id i = 0; i < program.size(); ++i) {
      if (program[i].kind != tree_node_kind::leaf) continue;
      ASSERT_EQ(index(result.turns[i].worker), expected[i]) << "leaf " << i << ", " << workers << " workers";
    }
  }
}

TEST(adws_allocation, sixty_four_equal_leaves_are_one_for_each_worker_from_left_to_right) {
  task_tree const program = record([](auto& h) { four_way(h, 1, 3, 10); });
  run_result const result = checked_run("adws:no-steal", program, 64, strict(1));
  std::uint32_t next = 64;
  for (tree_node_id i = 0; i < program.size(); ++i) {
    if (program[i].kind == tree_node_kind::leaf) {
      EXPECT_EQ(index(result.turns[i].worker), --next);
    }
  }
  EXPECT_EQ(next, 0U);
}

enum class leaf_goes : std::uint8_t { first, last };

/// A leaf, and all the rest in the other child, `leaves` times: spawn and recurse.
void spine(auto& here, leaf_goes where, std::int64_t leaves) {
  if (leaves == 1) return here.leaf(flops{10'000}, [] {});
  auto const leaf = [](auto& h) { h.leaf(flops{10'000}, [] {}); };
  auto const rest = [=](auto& h) { spine(h, where, leaves - 1); };
  work const others{static_cast<double>(leaves - 1)};
  where == leaf_goes::first ? here.join(work{1}, leaf, others, rest) : here.join(others, rest, work{1}, leaf);
}

class spines : public testing::TestWithParam<leaf_goes> {};

TEST_P(spines, are_divided_to_the_end_however_deep_they_are) {
  constexpr std::uint32_t workers = 64;
  for (std::int64_t const leaves : {1024, 4000}) {
    task_tree const program = record([=](auto& h) { spine(h, GetParam(), leaves); });
    rules by = strict(1);
    by.fork_ticks = 1;
    for (auto const* name : {"adws:no-steal", "adws"}) {
      run_result const result = checked_run(name, program, workers, by);
      std::vector<std::int64_t> of(workers);
      for (tree_node_id i = 0; i < program.size(); ++i)
        of[index(result.turns[i].worker)] += program[i].kind == tree_node_kind::leaf ? 1 : 0;
      // A cut is moved to a border that is nearer than least_share.
      double const slack = 2 * policies::adws::least_share * static_cast<double>(leaves) / workers;
      if (name == std::string_view("adws:no-steal")) {
        for (std::int64_t const mine : of)
          EXPECT_NEAR(static_cast<double>(mine), static_cast<double>(leaves) / workers, slack + 1) << leaves;
      }
      if (leaves == 1024) {
        EXPECT_GT(efficiency(result, program, by), 0.95) << name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(adws_allocation, spines, testing::Values(leaf_goes::first, leaf_goes::last),
                         [](auto const& at) { return at.param == leaf_goes::first ? "leaf_first" : "leaf_last"; });

/// A program of `times` equal iterations: groups with random numbers of children and random hints, the same in each.
task_tree iterated(std::uint64_t seed, int times) {
  return record([=](auto& here) {
    auto const part = [](auto const& self, auto& h, dice roll, int depth) -> void {
      if (depth == 0) return h.leaf(flops{1.0 + roll.below(100)}, [] {});
      std::uint32_t const groups = 1 + roll.below(2);
      for (std::uint32_t g = 0; g < groups; ++g) {
        std::vector<std::uint64_t> children(1 + roll.below(5));
        for (auto& c : children) c = roll.next();
        h.join_each(
            children, [](std::uint64_t c) { return work{static_cast<double>(c % 10)}; },
            [&](auto& x, std::uint64_t c) { self(self, x, dice(c), depth - 1); });
      }
    };
    for (int i = 0; i < times; ++i) {
      std::vector<int> one(1);
      here.join_each(one, [](int) { return work{1}; }, [&](auto& h, int) { part(part, h, dice(seed), 4); });
    }
  });
}

TEST(adws_allocation, every_iteration_maps_its_tasks_to_the_same_workers) {
  constexpr int times = 4;
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    task_tree const program = iterated(seed, times);
    tree_node_id const length = (program.size() - 1) / times;
    for (std::uint32_t const workers : {2U, 3U, 7U, 16U, 48U, 64U}) {
      run_result const result = checked_run("adws:no-steal", program, workers, strict(seed));
      for (tree_node_id i = 1; i + length < program.size(); ++i) {
        ASSERT_EQ(result.turns[i].worker, result.turns[i + length].worker)
            << "node " << i << ", seed " << seed << ", " << workers << " workers";
      }
    }
  }
}

TEST(adws_allocation, the_owner_of_a_search_root_goes_on_after_each_of_its_groups) {
  struct : observer {
    std::map<tree_node_id, range> ranges;
    std::uint64_t seen = 0;
    void met(worker_id by, tree_node_id group, task_tag const& t) override {
      ranges[group] = tag_fields::read(t).range;
      EXPECT_EQ(index(by), ranges[group].owner());
    }
    void left(worker_id by, tree_node_id group) override {
      EXPECT_EQ(index(by), ranges[group].owner()) << "group " << group;
      ++seen;
    }
  } watch;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    random_run const g(seed);
    for (std::uint32_t const workers : {2U, 5U, 16U}) checked_run("adws:no-steal", g.program, workers, g.by, watch);
  }
  EXPECT_GT(watch.seen, 1000U);
}

// ---- in which order ------------------------------------------------------------------------------------------------

/// Logs what goes through the lanes, as text.
struct traffic : observer {
  std::vector<std::string> log;
  static std::string lane_name(lane l) { return policies::name_of(l); }
  static std::string name_of(item const& it) {
    constexpr char const* kinds[] = {"rest ", "child ", "frame"};
    return kinds[static_cast<std::size_t>(it.content)] + (it.node == no_tree_node ? "" : std::to_string(it.node));
  }
  void put(tick, worker_id from, placement const& to, item const& what, cause) override {
    log.push_back(std::to_string(index(from)) + " puts " + name_of(what) + " into " + lane_name(to.lane) + " of " +
                  std::to_string(index(to.worker)));
  }
  void began(tick, worker_id who, item const& what) override {
    log.push_back(std::to_string(index(who)) + " begins " + name_of(what));
  }
};

TEST(adws_allocation, the_search_of_figure_8_step_by_step) {
  // Five equal children over three workers: cuts at 2.4, 1.8, 1.2, 0.6.
  task_tree const program = record([](auto& here) {
    std::vector<int> five(5);
    here.join_each(five, [](int) { return work{1}; }, [](auto& h, int) { h.leaf(flops{100}, [] {}); });
  });
  traffic seen;
  checked_run("adws:no-steal", program, 3, strict(2), seen);
  std::vector<std::string> const expected{
      "0 puts child 0 into mailbox of 0",  // the root; or another worker takes it in
      "0 begins child 0",
      "0 puts child 2 into migrated of 2",  // [2.4, 3]
      "0 puts child 4 into mailbox of 1",   // [1.8, 2.4]: a search-root
      "0 puts child 6 into migrated of 1",  // [1.2, 1.8]
      "0 puts rest 10 into local of 0",     // worker 0 calls the fourth child, [0.6, 1.2]; the fifth is left
  };
  std::vector<std::string> zeros;
  for (std::string const& line : seen.log) {
    if (line.ends_with("mailbox of 0") || line.starts_with("0 ")) zeros.push_back(line);
  }
  ASSERT_GE(zeros.size(), expected.size());
  for (std::size_t i = 1; i < expected.size(); ++i) EXPECT_EQ(zeros[i], expected[i]);
  auto const at = [&](std::string const& line) { return std::ranges::find(seen.log, line) - seen.log.begin(); };
  EXPECT_LT(at("0 puts child 4 into mailbox of 1"), at("1 begins child 4"));
}

/// Checks the order in which workers take from their lanes.
struct order_watch : observer {
  explicit order_watch(std::uint32_t workers) : migrated(workers), in_mailbox(workers), probes(workers, true) {}
  std::vector<std::deque<tree_node_id>> migrated;  ///< by worker, in order of arrival
  std::vector<std::optional<item>> in_mailbox;     ///< what arrived while the worker was busy
  std::vector<bool> probes;                        ///< whether the worker is idle
  std::uint64_t in_order = 0;
  std::uint64_t at_once = 0;

  void put(tick, worker_id, placement const& to, item const& what, cause) override {
    if (to.lane == lane::migrated) migrated[index(to.worker)].push_back(what.node);
    if (to.lane == lane::mailbox && !probes[index(to.worker)]) in_mailbox[index(to.worker)] = what;
  }
  void after_probe(tick, worker_id who, probe const& tried, outcome how, lanes const& left) override {
    probes[index(who)] = true;
    if (how != outcome::got || tried.kind != action::pop || tried.lane != lane::migrated) return;
    EXPECT_TRUE(left.empty(who, lane::local)) << "before what others have migrated";
  }
  void began(tick, worker_id who, item const& what) override {
    auto& queue = migrated[index(who)];
    if (auto const at = std::ranges::find(queue, what.node); what.content == item::kind::child && at != queue.end()) {
      EXPECT_EQ(at, queue.begin()) << "first come, first served";
      queue.erase(at);
      ++in_order;
    }
    bool const was_found = probes[index(who)];
    probes[index(who)] = false;
    auto& waiting_item = in_mailbox[index(who)];
    if (!waiting_item || !was_found) return;  // not found by a probe: the worker itself ended what a stack waited for
    EXPECT_TRUE(waiting_item->content == what.content && waiting_item->node == what.node &&
                waiting_item->fiber == what.fiber)
        << "it is next";
    waiting_item.reset();
    ++at_once;
  }
};

TEST(adws_allocation, a_search_root_runs_next_and_migrated_tasks_run_in_order_of_arrival_after_all_local_ones) {
  std::uint64_t in_order = 0;
  std::uint64_t at_once = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    random_run const g(seed);
    for (std::uint32_t const workers : {2U, 3U, 5U, 16U}) {
      order_watch watch(workers);
      checked_run("adws:no-steal", g.program, workers, g.by, watch);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << workers << " workers";
      in_order += watch.in_order;
      at_once += watch.at_once;
    }
  }
  EXPECT_GT(in_order, 1000U);
  EXPECT_GT(at_once, 500U);
}

TEST(adws_allocation, a_search_root_that_arrives_while_a_task_runs_starts_at_its_next_fork) {
  // Worker 1 gets the search-root [1.5, 3], and a long task in [1, 1.5], which it starts while it waits for worker 2.
  task_tree const program = record([](auto& here) {
    auto const a_leaf = [](double cost) { return [=](auto& h) { h.leaf(flops{cost}, [] {}); }; };
    auto const in_halves = [=](auto& h) {
      h.join(work{1}, a_leaf(1000), work{1}, a_leaf(100));
      h.join(work{1}, a_leaf(100), work{1}, a_leaf(100));
    };
    auto const long_one = [=](auto& h) {
      std::vector<int> leaves(200);
      h.join_each(leaves, [=](auto& x, int) { a_leaf(50)(x); });
    };
    here.join(work{1.5}, in_halves, work{0.5}, long_one, work{1}, a_leaf(10));
  });
  struct : observer {
    tick arrived = 0;
    tick started = 0;
    std::uint64_t preempted = 0;
    void put(tick now, worker_id, placement const& to, item const&, cause why) override {
      if (arrived == 0 && why == cause::resumed && to == placement{.worker = worker_id{1}, .lane = lane::mailbox})
        arrived = now;
      preempted += why == cause::preempted ? 1U : 0U;
    }
    void began(tick now, worker_id who, item const& what) override {
      if (arrived != 0 && started == 0 && who == worker_id{1} && what.content == item::kind::frame) started = now;
    }
  } watch;
  run_result const result = checked_run("adws:no-steal", program, 3, strict(1), watch);
  EXPECT_GT(watch.arrived, 1000U);
  EXPECT_GE(watch.started, watch.arrived);
  EXPECT_LE(watch.started, watch.arrived + 60) << "a leaf takes 50";
  EXPECT_GE(watch.preempted, 2U) << "the long task, and what it had offered";
  EXPECT_GT(result.makespan, 10'000U) << "it went on, afterwards";
}

// ---- the theorems --------------------------------------------------------------------------------------------------

/// Which workers may migrate to which: the part of its group's range that a worker has not placed yet.
/// [adws-sc19 4.2.3, Lemma 1]
struct privileges : observer {
  struct search {
    tree_node_id group;
    range rest;
  };
  std::map<std::uint32_t, search> of;  ///< by worker, while it places children
  task_tree const& program;
  std::uint64_t checked = 0;

  explicit privileges(task_tree const& p) : program(p) {}
  void met(worker_id by, tree_node_id group, task_tag const& t) override {
    if (tag_fields::read(t).range.spans()) of[index(by)] = {group, tag_fields::read(t).range};
  }
  void put(tick, worker_id from, placement const& to, item const& what, cause why) override {
    if (why != cause::forked) return;
    auto const mine = of.find(index(from));
    if (to.worker == from) {
      if (mine != of.end()) of.erase(mine);
      return;
    }
    ASSERT_TRUE(mine != of.end() && program[what.node].parent == mine->second.group);
    if (to.lane == lane::migrated) {
      for (auto const& [other, its] : of) {
        if (other == index(from)) continue;
        bool const could = its.rest.owner() < index(to.worker) && its.rest.covers(index(to.worker));
        EXPECT_FALSE(could) << "workers " << index(from) << " and " << other << " may both migrate to "
                            << index(to.worker);
      }
      ++checked;
    }
    mine->second.rest.left = tag_fields::read(what.tag).range.right;
  }
  void learned(worker_id who, event const& e) override {
    if (!std::holds_alternative<probed>(e)) of.erase(index(who));  // the last child stayed: the worker's search is over
  }
};

TEST(adws_theorems, without_stealing_one_worker_at_a_time_may_migrate_to_a_worker) {
  std::uint64_t checked = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    random_run const g(seed);
    for (std::uint32_t const workers : {2U, 3U, 7U, 16U, 48U}) {
      rules by = g.by;
      by.fork_ticks = 1 + seed % 9;  // searches take time, so they overlap
      privileges watch(g.program);
      checked_run("adws:no-steal", g.program, workers, by, watch);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << workers << " workers";
      checked += watch.checked;
    }
  }
  EXPECT_GT(checked, 1500U);
}

TEST(adws_theorems, at_most_one_entry_lies_in_a_mailbox_with_stealing_and_without) {
  // The rules make an occupied mailbox a fault.
  std::uint64_t sent = 0;
  for (std::uint64_t seed = 301; seed <= 350; ++seed) {
    random_run const g(seed);
    for (std::uint32_t const workers : {2U, 3U, 7U, 16U, 48U, 64U}) {
      for (char const* name : {"adws", "adws:no-steal"}) {
        run_result const result = checked_run(name, g.program, workers, g.by);
        for (worker_counters const& t : result.workers) sent += t.sent;
      }
    }
  }
  EXPECT_GT(sent, 5'000U);
}

}}}}  // namespace skua::v0::sim
