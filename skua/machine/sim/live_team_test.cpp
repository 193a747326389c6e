// SPDX-License-Identifier: MIT
// Teams in virtual time: every member runs once, on neighbouring workers; barriers and reductions; what a team gains.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <compare>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/arms/arms.hpp"
#include "skua/policy/combinations_for_test.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/serial.hpp"
#include "tests/programs/random_runs.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

struct how_to_run {
  std::string_view policy = "arms";
  std::uint32_t workers = 8;
  std::uint64_t seed = 1;
  std::uint64_t barrier_spin_ns = 20'000;
};

template <class F>
simulation run_on(F&& f, how_to_run const& how) {
  layout const where = layout_of(how.workers);
  auto const scheduler = policies::make_policy(how.policy, where, how.seed);
  rules by = sleepy(how.seed);
  by.unit = unit::flops;
  by.lost_per_mille = how.seed % 2 == 0 ? 200 : 0;
  by.barrier_spin_ns = how.barrier_spin_ns;
  flat_costs prices(by);
  observer nobody;
  return simulate(f, *scheduler, where, by, prices, nobody);
}

std::uint64_t widest(simulation const& of) {
  std::uint64_t most = 0;
  for (tree_node_id const t : of.result.teams) {
    std::uint64_t members = 0;
    for (tree_node_id m = of.tree[t].first; m != no_tree_node; m = of.tree[m].next) ++members;
    most = std::max(most, members);
  }
  return most;
}

/// The leaves of a member, in order.
std::vector<tree_node_id> leaves_of(task_tree const& tree, tree_node_id member) {
  std::vector<tree_node_id> all;
  for (tree_node_id c = tree[member].first; c != no_tree_node; c = tree[c].next) {
    if (tree[c].kind == tree_node_kind::leaf) all.push_back(c);
  }
  return all;
}

/// A random graph of which two nodes in three are moldable: members share a loop, some of them fork, meet at barriers, and
/// reduce what they found to the node's value.
class random_teams {
 public:
  random_teams(std::uint64_t seed, std::uint32_t nodes) : before_(nodes), value_(nodes), length_(nodes) {
    runtime::dice roll(seed);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      for (std::uint32_t edges = i == 0 ? 0 : roll.below(3); edges > 0; --edges) before_[i].push_back(roll.below(i));
      length_[i] = roll.below(12);
    }
  }

  template <class Here>
  std::uint64_t operator()(Here& here) {
    flow<Here> graph;
    std::vector<runtime::node<void>> nodes;
    for (std::uint32_t i = 0; i < value_.size(); ++i) nodes.push_back(add(graph, i));
    for (std::uint32_t i = 0; i < value_.size(); ++i) {
      for (std::uint32_t const b : before_[i]) graph.edge(nodes[b], nodes[i]);
    }
    graph.run(here, 2);
    std::uint64_t all = 0;
    for (std::uint64_t const v : value_) all = all * 31 + v;
    return all;
  }

 private:
  template <class Here>
  runtime::node<void> add(flow<Here>& graph, std::uint32_t i) {
    hint const hinted =
        i % 4 == 3 ? hint{} : address::of(i, value_.size()) | task_type{static_cast<std::uint16_t>(i % 4)};
    if (i % 3 == 0) {
      return graph.add(hinted,
                       [this, i](auto& h) { h.leaf(flops{50}, [&] { value_[i] = element(i, 0) + value_[i] * 3; }); });
    }
    return graph.add_team(hinted, [this, i](auto& mine) { this->run(mine, i); });
  }
  [[nodiscard]] std::uint64_t element(std::uint32_t i, std::uint64_t k) const {
    std::uint64_t sum = i + k;
    for (std::uint32_t const b : before_[i]) sum += value_[b] * (k + 7);
    return sum;
  }
  void run(auto& mine, std::uint32_t i) {
    std::uint64_t sum = 0;
    auto const [begin, end] = mine.share(length_[i]);
    for (std::uint64_t k = begin; k < end; ++k) mine.here().leaf(flops{40}, [&] { sum += element(i, k); });
    if (i % 2 == 0) {
      std::uint64_t extra = 0;
      mine.here().join([&](auto& h) { h.leaf(flops{90}, [&] { extra = end - begin; }); },
                       [](auto& h) { h.leaf(flops{30}, [] {}); });
      sum += extra;
    }
    std::uint64_t counted = 0;
    mine.for_shared(length_[i], 2, [&](std::uint64_t from, std::uint64_t to) {
      mine.here().leaf(flops{60}, [&] { counted += to - from; });
    });
    std::uint64_t const all = mine.reduce(sum, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    std::uint64_t const pieces = mine.reduce(counted, [](std::uint64_t a, std::uint64_t b) { return a + b; });
    if (mine.member() == 0) value_[i] = all * 5 + pieces + value_[i];
  }

  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<std::uint64_t> value_;
  std::vector<std::uint32_t> length_;
};

std::vector<std::string> all_policies() {
  std::vector<std::string> all = testing::policies_and_combinations();
  all.insert(all.end(), {"only:arms:width=1", "only:arms:cost=time", "only:arms:model=power", "only:arms:critical=on",
                         "arms:width=1", "arms:cost=product", "arms:critical=on"});
  return all;
}

class teams_in_virtual_time : public ::testing::TestWithParam<std::string> {};

/// Barriers of teams that overlap end, whether members spin or park.
TEST_P(teams_in_virtual_time, random_flows_with_teams_have_the_serial_answer) {
  std::uint64_t most = 0;
  testing::each_random_run(10, some_workers, [&](std::uint64_t seed, std::uint32_t workers) {
    serial s;
    std::uint64_t const right = random_teams(seed, 100)(s);
    random_teams program(seed, 100);
    std::uint64_t answer = 0;
    std::uint64_t const spin_ns = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 30 : 20'000;
    simulation const done = run_on([&](here& h) { answer = program(h); }, {GetParam(), workers, seed, spin_ns});
    EXPECT_EQ(answer, right);
    most = std::max(most, widest(done));
  });
  bool const makes_teams = (!GetParam().starts_with("only:") || GetParam().starts_with("only:arms")) &&
                           !GetParam().ends_with("arms:width=1");
  if (testing::number_of("SKUA_TEST_WORKERS") || testing::number_of("SKUA_SEED")) return;
  EXPECT_EQ(most > 4, makes_teams);
}

INSTANTIATE_TEST_SUITE_P(all, teams_in_virtual_time, ::testing::ValuesIn(all_policies()), [](auto const& tested) {
  std::string word = tested.param;
  std::ranges::replace_if(word, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return word;
});

/// One after the other, `n` moldable tasks of this many flops, which their members share.
auto chain_of(int n, double all) {
  return [n, all](here& h) {
    flow graph(h);
    runtime::node<void> last = graph.add([](auto&) {});
    for (int i = 0; i < n; ++i) {
      last = graph.add_team(after(last), address::of(0, 1), task_type{1},
                            [all](auto& mine) { mine.here().leaf(flops{all / mine.width()}, [] {}); });
    }
    graph.run(h);
  };
}

TEST(live_team, a_chain_of_moldable_tasks_is_faster_with_teams) {
  tick const alone = run_on(chain_of(200, 8000), {.policy = "arms:width=1"}).result.makespan;
  simulation const teams = run_on(chain_of(200, 8000), {.policy = "arms:cost=time"});
  EXPECT_GT(alone, 200U * 8000);
  EXPECT_LT(teams.result.makespan, alone / 2);  // packages of four workers, and some trials of other widths
  EXPECT_EQ(widest(teams), 4U);
}

/// Chains of moldable tasks. The validator faults a run in which a worker searches for long while a task waits.
auto chains_of(std::uint32_t chains, std::uint32_t n, double all) {
  return [=](here& h) {
    flow graph(h);
    std::vector<runtime::node<void>> last;
    for (std::uint32_t c = 0; c < chains; ++c) last.push_back(graph.add([](auto&) {}));
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::uint32_t c = 0; c < chains; ++c) {
        last[c] = graph.add_team(after(last[c]), address::of((i + c) % 16, 16), task_type{1},
                                 [all](auto& mine) { mine.here().leaf(flops{all / mine.width()}, [] {}); });
      }
    }
    graph.run(h);
  };
}

/// A worker takes a member from its inbox before the task that it keeps in `local`, which no thief looks into.
TEST(live_team, what_waits_behind_a_long_member_is_for_all) {
  for (std::uint32_t const workers : {4U, 8U, 16U}) {
    for (std::uint32_t const chains : {2U, 3U, 6U, 12U})
      EXPECT_NO_THROW(run_on(chains_of(chains, 30, 1'000'000), {.workers = workers})) << workers << ", " << chains;
  }
}

TEST(live_team, fork_join_calls_teams) {
  std::vector<std::uint32_t> widths;
  std::vector<int> visits(96);
  auto const calls = [&](here& h) {
    for (int i = 0; i < 20; ++i) {
      h.team(address::of(0, 1), task_type{1}, [&](auto& mine) {
        auto const [begin, end] = mine.share(visits.size());
        mine.here().leaf(flops{static_cast<double>(end - begin) * 100}, [] {});
        for (auto r = begin; r < end; ++r) ++visits[r];
        if (mine.member() == 0) widths.push_back(mine.width());
      });
    }
  };
  simulation const done = run_on(calls, {.policy = "arms:cost=time"});
  EXPECT_EQ(visits, std::vector<int>(96, 20));
  EXPECT_EQ(std::ranges::max(widths), 4U);
  EXPECT_EQ(widest(done), 4U);
}

TEST(live_team, policy_learns_the_time_of_a_member_not_of_the_whole_task) {
  layout const where = layout_of(8);
  policies::adaptive_moldable scheduler(where, 1);
  rules const by{.unit = unit::flops};
  flat_costs prices(by);
  observer nobody;
  simulate(chain_of(200, 8000), scheduler, where, by, prices, nobody);
  std::uint32_t learnt = 0;
  for (std::uint32_t i = 0; i < scheduler.partitions().all().size(); ++i) {
    policies::arms::partition_id const p{i};
    std::uint64_t const ns = scheduler.time_ns(1, address::of(0, 1), p);
    if (ns == 0) continue;
    ++learnt;
    EXPECT_GE(ns, 8000U / scheduler.partitions()[p].width);
    EXPECT_LE(ns, 8000U / scheduler.partitions()[p].width + 20);
  }
  EXPECT_GE(learnt, 3U);  // widths 1, 2 and 4
}

TEST(live_team, measured_programs_have_the_serial_answer) {
  serial s;
  std::uint64_t const right = random_teams(3, 60)(s);
  random_teams program(3, 60);
  layout const where = layout_of(8);
  auto const scheduler = policies::make_policy("arms", where, 1);
  rules const by{.seed = 1, .unit = unit::ns, .units_per_tick = 100};
  flat_costs prices(by);
  observer nobody;
  std::uint64_t answer = 0;
  simulate([&](here& h) { answer = program(h); }, *scheduler, where, by, prices, nobody, {.measured = timing::on});
  EXPECT_EQ(answer, right);
}

/// A task that is a leaf, or a team of leaves.
struct costs_of_a_task {
  tick ran = 0;  ///< by all its leaves together
  std::size_t leaves = 0;
  friend auto operator<=>(costs_of_a_task const&, costs_of_a_task const&) = default;
};

/// In the order in which the tasks began. Precondition: the program is a chain of such tasks.
std::vector<costs_of_a_task> costs_of_tasks(simulation const& done) {
  std::vector<costs_of_a_task> all;
  tree_node_id last = no_tree_node;
  for (tree_node_id const id : done.result.order) {
    if (done.tree[id].kind != tree_node_kind::leaf) continue;
    tree_node_id const by = done.tree[id].parent;
    tree_node_id const above = done.tree[by].parent;
    tree_node_id const task = std::ranges::find(done.result.teams, above) == done.result.teams.end() ? by : above;
    if (task != last) all.emplace_back();
    last = task;
    all.back().ran += done.result.turns[id].end - done.result.turns[id].begin;
    ++all.back().leaves;
  }
  return all;
}

struct alignas(4096) page {
  char bytes[4096];
};

/// 200 tasks, one after the other, read the same 4 MB, on a machine whose cores have 1 MB of cache each: the median of the
/// last hundred, among which are a few trials of other widths.
costs_of_a_task reader(std::string_view policy) {
  machine_model const machine = machine_model::load("xeon-6130-2s");
  layout const where = machine.layout_of({.workers = 32});
  model_costs prices(machine, machine.numbers(), where);
  auto const scheduler = policies::make_policy(policy, where, 1);
  rules const by{.spin_ticks = prices.spin(), .ticks_per_ns = 1000};
  std::vector<page> const block(1024);
  observer nobody;
  simulation const done = simulate(
      [&](here& h) {
        flow graph(h);
        runtime::node<void> last = graph.add([](auto&) {});
        for (int i = 0; i < 200; ++i) {
          last = graph.add_team(after(last), address::of(0, 1), task_type{1}, [&](auto& mine) {
            auto const [begin, end] = mine.share(block.size());
            mine.here().leaf(reads{&block[begin], (end - begin) * sizeof(page)}, [] {});
          });
        }
        graph.run(h);
      },
      *scheduler, where, by, prices, nobody);
  auto all = costs_of_tasks(done);
  EXPECT_EQ(all.size(), 200U);
  std::ranges::sort(all.begin() + 100, all.end());
  return all[150];
}

TEST(live_team, partitions_are_counted_by_leader_and_width) {
  simulation const done = run_on(chain_of(200, 8000), {.policy = "arms:cost=time"});
  std::vector<std::uint64_t> widths(done.result.widths.size());
  std::uint64_t tasks = 0;
  for (auto const& [partition, count] : done.result.partitions) {
    auto const& [leader, width] = partition;
    ASSERT_LT(width, widths.size());
    EXPECT_EQ(leader % width, 0U) << "workers are divided into blocks of this width";
    widths[width] += count;
    tasks += count;
  }
  EXPECT_EQ(widths, done.result.widths);
  EXPECT_EQ(tasks, 200U);
}

TEST(live_team, what_a_team_gains_by_its_members_caches_comes_out_of_the_machine_model) {
  costs_of_a_task const alone = reader("arms:width=1");
  costs_of_a_task const together = reader("arms");
  EXPECT_EQ(alone.leaves, 1U);
  EXPECT_GE(together.leaves, 8U);  // 512 KB each
  EXPECT_LT(together.ran, alone.ran / 2) << together.leaves;
}

/// Each member has a leaf before the barrier and one after it.
void expect_barriers(simulation const& done) {
  for (tree_node_id const t : done.result.teams) {
    tick latest_end = 0;
    tick first_begin = ~tick{0};
    for (tree_node_id m = done.tree[t].first; m != no_tree_node; m = done.tree[m].next) {
      auto const leaves = leaves_of(done.tree, m);
      ASSERT_EQ(leaves.size(), 2U);
      latest_end = std::max(latest_end, done.result.turns[leaves[0]].end);
      first_begin = std::min(first_begin, done.result.turns[leaves[1]].begin);
    }
    EXPECT_LE(latest_end, first_begin);
  }
}

TEST(live_team, nobody_passes_a_barrier_before_all_are_there) {
  for (std::uint64_t const spin_ns : {0U, 150U, 20'000U}) {  // members park, some of them, or spin
    simulation const done = run_on(
        [](here& h) {
          flow graph(h);
          for (std::uint32_t i = 0; i < 100; ++i) {
            graph.add_team(address::of(i, 100), [](auto& mine) {
              mine.here().leaf(flops{100.0 * (mine.member() + 1)}, [] {});
              mine.barrier();
              mine.here().leaf(flops{10}, [] {});
            });
          }
          graph.run(h);
        },
        {.policy = "arms:cost=time", .barrier_spin_ns = spin_ns});
    EXPECT_GE(widest(done), 2U);
    expect_barriers(done);
    std::uint64_t parks = 0;
    for (worker_counters const& w : done.result.workers) parks += w.parks;
    EXPECT_EQ(parks > 10, spin_ns < 20'000) << parks;
  }
}

TEST(live_team, others_do_not_wait_for_a_member_that_throws_and_its_successors_do_not_run) {
  int ran = 0;
  bool has_thrown = false;
  EXPECT_THROW(run_on(
                   [&](here& h) {
                     flow graph(h);
                     runtime::node<void> last = graph.add([](auto&) {});
                     for (int i = 0; i < 20; ++i) {
                       last = graph.add_team(after(last), address::of(0, 1), [&](auto& mine) {
                         mine.here().leaf(flops{100}, [] {});
                         if (mine.width() > 1 && mine.member() == 1) {
                           has_thrown = true;
                           throw std::runtime_error("member 1");
                         }
                         mine.barrier();
                         if (has_thrown) ++ran;
                       });
                     }
                     graph.run(h);
                   },
                   {.policy = "arms:cost=time", .barrier_spin_ns = 0}),
               std::runtime_error);
  EXPECT_EQ(ran, 1);  // member 0 of the first team of two, and nothing after it
}

TEST(live_team, a_stop_ends_teams) {
  std::stop_source stop;
  int done = 0;
  auto const program = [&](here& h) {
    flow graph(h);
    for (int i = 0; i < 200; ++i) {
      graph.add_team(address::of(0, 1), [&](auto& mine) {
        mine.here().leaf(flops{100}, [] {});
        mine.barrier();
        if (++done == 50) stop.request_stop();
      });
    }
    h.with_stop(stop.get_token(), [&](here& inner) { graph.run(inner); });
  };
  EXPECT_THROW(run_on(program, {}), cancelled);
  EXPECT_GE(done, 50);
  EXPECT_LT(done, 50 + 20);
}

TEST(live_team, teams_of_a_region_call_done_once_when_all_members_have_ended) {
  for (std::uint32_t const workers : some_workers) {
    SCOPED_TRACE(workers);
    int members = 0;
    int asked = 0;
    int ended = 0;
    run_on(
        [&](here& h) {
          h.finish([&](auto& f) {
            for (int i = 0; i < 100; ++i) {
              auto const left = std::make_shared<std::uint32_t>(0);
              f.spawn_team(
                  as_hint(address::of(static_cast<std::uint64_t>(i), 100)),
                  [&, left](auto& mine) {
                    if (mine.member() == 0) asked += static_cast<int>(mine.width());
                    mine.here().leaf(flops{30}, [&] { ++members; });
                    ++*left;
                  },
                  [&, left](auto& g) {
                    ended += static_cast<int>(*left);
                    g.spawn([](auto& k) { k.here().leaf(flops{5}, [] {}); });
                  });
            }
          });
        },
        {.workers = workers});
    EXPECT_EQ(members, asked);
    EXPECT_EQ(ended, asked);
  }
}

TEST(live_team, the_same_seed_is_the_same_run) {
  auto const program = [](here& h) { random_teams(7, 100)(h); };
  EXPECT_TRUE(run_on(program, {.workers = 16}).result == run_on(program, {.workers = 16}).result);
}

TEST(live_team, checker_finds_members_on_other_workers_and_successors_that_begin_early) {
  simulation const done = run_on(chain_of(50, 1000), {.policy = "arms:cost=time"});
  layout const where = layout_of(8);
  EXPECT_TRUE(broken_laws(done.result, done.tree, where).empty());
  ASSERT_GT(widest(done), 1U);
  tree_node_id team = no_tree_node;
  for (tree_node_id const t : done.result.teams) {
    if (done.tree[t].first != done.tree.last_child(t)) team = std::min(team, t);
  }
  tree_node_id const last = done.tree.last_child(team);
  auto const says = [&](run_result const& spoiled, std::string_view what) {
    auto const faults = broken_laws(spoiled, done.tree, where);
    return std::ranges::any_of(faults, [&](std::string const& f) { return f.find(what) != std::string::npos; });
  };
  run_result moved = done.result;
  moved.turns[last].worker = worker_id{0};
  EXPECT_TRUE(says(moved, "ran on another worker than its team"));
  run_result late = done.result;
  for (tree_node_id m = done.tree[team].first; m != no_tree_node; m = done.tree[m].next)
    late.turns[m].end = late.makespan;
  EXPECT_TRUE(says(late, "before all members of team")) << "it was no chain";
  run_result twice = done.result;
  ++twice.turns[last].times;
  EXPECT_TRUE(says(twice, "was begun 2 times"));
}

}}}}  // namespace skua::v0::sim
