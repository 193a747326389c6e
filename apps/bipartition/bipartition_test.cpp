// SPDX-License-Identifier: MIT
// Branch and bound finds what trying all partitions finds, in either order; bound and estimate enclose the best
// completion.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "apps/bipartition/problem.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"
#include "skua/policy/registry.hpp"
#include "skua/program/serial.hpp"

namespace skua::apps::bipartition { namespace {

constexpr std::array both_choices{choice::by_bound, choice::lifo};

/// A graph of 1 to `most` vertices: every fourth unweighted, densities from 0 to 1 with both ends.
graph some_graph(std::uint64_t seed, std::uint32_t most) {
  runtime::dice rolled{seed};
  std::uint32_t const n = 1 + rolled.below(most);
  cost const heaviest = std::array{1, 5, 1000, most_weight}[seed % 4];
  double const density = rolled.below(11) / 10.0;
  return random_graph(n, density, heaviest, rolled.next());
}

/// The least cut of all completions, by trying them.
cost least_completion(graph const& g, vertex_set a, vertex_set b) {
  cost least = std::numeric_limits<cost>::max();
  for (vertex_set s = 0; s <= g.all(); ++s) {
    if (size(s) == g.size_of_a() && (s & a) == a && (s & b) == 0) least = std::min(least, g.cut(s));
  }
  return least;
}

/// A random partial assignment that has a completion.
subproblem some_subproblem(graph const& g, runtime::dice& rolled) {
  vertex_set a = 0;
  vertex_set b = 0;
  for (std::uint32_t v = 0; v < g.vertices(); ++v) {
    auto const where = rolled.below(3);
    if (where == 0 && size(a) < g.size_of_a()) a |= only(v);
    if (where == 1 && size(b) < g.size_of_b()) b |= only(v);
  }
  return bounded(g, a, b);
}

/// Calls visit(child, parent) for the subproblems on a random way from s to a solved one.
template <class Visit>
void descend(graph const& g, subproblem s, runtime::dice& rolled, Visit&& visit) {
  while (!s.solved()) {
    subproblem const child = with_next(g, s, rolled.below(2) == 0 ? side::a : side::b);
    visit(child, s);
    s = child;
  }
}

/// Of its first edges that `inner` has passed, those that lead to open vertices, and their weight.
struct passed_edges {
  int open = 0;
  cost weight = 0;
};
passed_edges passed(graph const& g, subproblem const& s, open_vertex const& v, side where) {
  passed_edges all;
  for (auto const& [weight, u] : g.lightest_first(v.vertex).first(v.passed[where])) {
    if (contains(s.a | s.b, u)) continue;
    ++all.open;
    all.weight += weight;
  }
  return all;
}

TEST(bipartition, the_optimum_is_that_of_all_partitions) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    graph const g = some_graph(seed, 16);
    cost const right = least_cut(g);
    for (choice const how : both_choices) {
      serial here;
      result const got = program(here, g, how);
      EXPECT_EQ(got.cut, right) << "seed " << seed << ", choice " << static_cast<int>(how);
      EXPECT_EQ(wrong(g, got), "") << "seed " << seed;
      EXPECT_LE(got.optimum_expanded, got.expanded) << "seed " << seed;
    }
  }
}

TEST(bipartition, both_choices_agree_on_graphs_too_large_to_try_all) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    graph const g = random_graph(20 + static_cast<std::uint32_t>(seed % 3), 0.5 + 0.1 * static_cast<double>(seed % 5),
                                 seed % 2 == 0 ? 1 : 1000, seed);
    serial here;
    result const ordered = program(here, g, choice::by_bound);
    result const newest_first = program(here, g, choice::lifo);
    EXPECT_EQ(ordered.cut, newest_first.cut) << "seed " << seed;
    EXPECT_EQ(wrong(g, ordered) + wrong(g, newest_first), "") << "seed " << seed;
  }
}

TEST(bipartition, bound_and_estimate_enclose_the_best_completion) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    graph const g = some_graph(seed, 11);
    runtime::dice rolled{seed};
    subproblem const s = some_subproblem(g, rolled);
    cost const least = least_completion(g, s.a, s.b);
    EXPECT_LE(s.lower, least) << "seed " << seed;
    EXPECT_GE(s.lower, s.cut) << "seed " << seed;
    if (s.solved()) {
      EXPECT_EQ(s.lower, least) << "seed " << seed;
      EXPECT_EQ(g.cut(s.solution(g)), least) << "seed " << seed;
    } else {
      EXPECT_GE(estimate(g, s), least) << "seed " << seed;
      EXPECT_LT(s.next, s.opens) << "seed " << seed;
    }
  }
}

TEST(bipartition, no_child_s_bound_exceeds_its_best_completion) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    graph const g = some_graph(seed, 11);
    runtime::dice rolled{seed};
    descend(g, whole(g), rolled, [&](subproblem const& child, subproblem const&) {
      cost const least = least_completion(g, child.a, child.b);
      EXPECT_LE(child.lower, least) << "seed " << seed << ", open " << child.opens;
      if (!child.solved()) {
        EXPECT_GE(estimate(g, child), least) << "seed " << seed << ", open " << child.opens;
        return;
      }
      EXPECT_EQ(child.lower, least) << "seed " << seed;
      EXPECT_EQ(g.cut(child.solution(g)), least) << "seed " << seed;
    });
  }
}

TEST(bipartition, a_child_carries_what_is_computed_anew) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    graph const g = some_graph(seed, 64);
    runtime::dice rolled{seed};
    descend(g, seed % 2 == 0 ? whole(g) : some_subproblem(g, rolled), rolled,
            [&](subproblem const& child, subproblem const& parent) {
              EXPECT_EQ(size(child.a | child.b), size(parent.a | parent.b) + 1);
              subproblem const anew = bounded(g, child.a, child.b);
              EXPECT_EQ(child.cut, anew.cut);
              EXPECT_EQ(child.lower, anew.lower);
              EXPECT_EQ(child.room, anew.room);
              ASSERT_EQ(child.opens, anew.opens);
              EXPECT_EQ(child.next, anew.next);
              for (std::uint32_t i = 0; i < child.opens; ++i) {
                open_vertex const& v = child.open_vertices[i];
                open_vertex const& right = anew.open_vertices[i];
                EXPECT_EQ(v.vertex, right.vertex);
                EXPECT_EQ(v.into, right.into);
                EXPECT_EQ(v.inner, right.inner);
                EXPECT_EQ(v.excess, right.excess);
                EXPECT_EQ(v.edges, right.edges);
                for (side const where : {side::a, side::b}) {
                  passed_edges const seen = passed(g, child, v, where);
                  EXPECT_EQ(seen.open, std::max<int>(v.excess[where], 0));
                  EXPECT_EQ(seen.weight, v.inner[where]);
                }
              }
            });
  }
}

TEST(bipartition, a_copy_has_all_open_vertices) {
  graph const g = random_graph(64, 0.5, 1000, 1);
  subproblem const s = with_next(g, whole(g), side::b);
  subproblem copy = s;
  EXPECT_EQ(copy.lower, s.lower);
  subproblem const one = with_next(g, s, side::a);
  subproblem const other = with_next(g, copy, side::a);
  EXPECT_EQ(one.lower, other.lower);
  EXPECT_EQ(one.next, other.next);
  copy = one;
  EXPECT_EQ(with_next(g, copy, side::b).lower, with_next(g, one, side::b).lower);
}

TEST(bipartition, heaviest_graph_does_not_overflow) {
  std::vector<edge> edges;
  for (std::uint32_t v = 0; v < 64; ++v) {
    for (std::uint32_t u = 0; u < v; ++u) edges.push_back({u, v, most_weight});
  }
  graph const g(64, edges);
  EXPECT_EQ(g.total_weight(), 2016 * most_weight);
  serial here;
  result const got = program(here, g, choice::by_bound);
  EXPECT_EQ(got.cut, 32 * 32 * most_weight);
  EXPECT_EQ(wrong(g, got), "");
}

TEST(bipartition, random_graph_has_its_density_and_weights) {
  EXPECT_EQ(random_graph(40, 0, 1000, 1).total_weight(), 0);
  EXPECT_EQ(random_graph(40, 1, 1, 1).total_weight(), 780);
  EXPECT_NEAR(random_graph(64, 0.5, 1, 1).total_weight(), 1008, 150);  // 7 standard deviations
  graph const g = random_graph(64, 0.9, 3, 7);
  std::array<int, 4> seen{};
  for (std::uint32_t v = 0; v < 64; ++v) {
    for (auto const& [weight, u] : g.lightest_first(v)) {
      ASSERT_TRUE(weight >= 1 && weight <= 3);
      ASSERT_EQ(g.weight(u, v), weight);
      ++seen[static_cast<std::size_t>(weight)];
    }
  }
  EXPECT_TRUE(seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
}

TEST(bipartition, impossible_graphs_are_refused) {
  EXPECT_THROW(random_graph(0, 0.5, 1, 1), usage_error);
  EXPECT_THROW(random_graph(65, 0.5, 1, 1), usage_error);
  EXPECT_THROW(random_graph(10, 1.5, 1, 1), usage_error);
  EXPECT_THROW(random_graph(10, 0.5, 0, 1), usage_error);
  EXPECT_THROW(graph(3, std::array{edge{0, 3, 1}}), usage_error);
  EXPECT_THROW(graph(3, std::array{edge{1, 1, 1}}), usage_error);
  EXPECT_THROW((graph(3, std::array{edge{0, 1, 1}, edge{1, 0, 2}})), usage_error);
  EXPECT_THROW(graph(3, std::array{edge{0, 1, most_weight + 1}}), usage_error);
  EXPECT_THROW(least_cut(random_graph(25, 0.5, 1, 1)), usage_error);
}

/// Every task takes this long, and the scheduler nothing.
class same_cost final : public sim::costs {
 public:
  sim::tick run(sim::tick, worker_id, task_tree const&, tree_node_id) override { return 1000; }
  sim::tick price(sim::tick, sim::operation, worker_id, worker_id) override { return 1; }
};

TEST(bipartition, the_simulator_dates_the_optimum_in_virtual_time) {
  graph const g = random_graph(20, 0.5, 1, 3);
  layout const where = layout::flat(3);
  std::array<std::uint64_t, 2> optimum_ns{};
  for (std::uint64_t& ns : optimum_ns) {
    auto const scheduler = policies::make_policy("strategies", where, 1);
    same_cost prices;
    sim::observer nobody;
    result got;
    sim::simulation const run = sim::simulate([&](sim::here& here) { got = program(here, g, choice::by_bound); },
                                              *scheduler, where, {.seed = 1, .ticks_per_ns = 10}, prices, nobody);
    EXPECT_GT(got.optimum_expanded, 0u);
    EXPECT_GE(got.optimum_ns, (got.optimum_expanded / 3) * 100);  // three workers, 100 ns a task
    EXPECT_LE(got.optimum_ns, run.result.turns[0].end / 10);
    ns = got.optimum_ns;
  }
  EXPECT_EQ(optimum_ns[0], optimum_ns[1]);
}

TEST(bipartition, damaged_answers_are_noticed) {
  graph const g = random_graph(12, 0.5, 1000, 3);
  serial here;
  result const got = program(here, g, choice::by_bound);
  result wrong_cut = got;
  ++wrong_cut.cut;
  EXPECT_NE(wrong(g, wrong_cut), "");
  result wrong_size = got;
  wrong_size.side_a &= wrong_size.side_a - 1;
  EXPECT_NE(wrong(g, wrong_size), "");
}

TEST(by_bound, owners_take_the_smallest_estimate_and_thieves_the_most_uncertain) {
  std::atomic<cost> best = 100;
  by_bound const promising{&best, 50, 60, 10, 5};
  by_bound const uncertain{&best, 40, 90, 10, 5};
  EXPECT_TRUE(promising.prioritize(uncertain, {.steals = false}));
  EXPECT_FALSE(uncertain.prioritize(promising, {.steals = false}));
  EXPECT_TRUE(uncertain.prioritize(promising, {.steals = true}));
  EXPECT_FALSE(promising.prioritize(uncertain, {.steals = true}));
}

TEST(by_bound, weight_falls_as_the_bound_meets_the_best_cut) {
  std::atomic<cost> best = 100;
  EXPECT_EQ((by_bound{&best, 70, 90, 10, 5}.transitive_weight()), 7);  // three vertices of ten cut the missing 30
  EXPECT_EQ((by_bound{&best, 0, 90, 10, 5}.transitive_weight()), 31);  // no more than are open
  EXPECT_EQ((by_bound{&best, 100, 100, 10, 5}.transitive_weight()), 1);
  EXPECT_TRUE((by_bound{&best, 100, 100, 10, 5}.is_dead()));
  EXPECT_FALSE((by_bound{&best, 99, 100, 10, 5}.is_dead()));
}

}}  // namespace skua::apps::bipartition
