// SPDX-License-Identifier: MIT
// What a searcher pays for looking: its own lanes nothing but a pop, a victim's lanes a line each unless it has them.
#include "skua/machine/sim/cached_lines.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "skua/machine/sim/groups_for_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr worker_id w0{0};
constexpr worker_id w1{1};
constexpr worker_id w2{2};

TEST(cached_lines, a_line_is_there_until_it_changes) {
  cached_lines all(3);
  EXPECT_FALSE(all.look(w0, w1, lane::forks, 0)) << "never seen";
  EXPECT_TRUE(all.look(w0, w1, lane::forks, 0));
  EXPECT_FALSE(all.look(w2, w1, lane::forks, 0)) << "another worker's cache";
  EXPECT_FALSE(all.look(w0, w1, lane::forks, 1)) << "changed";
  EXPECT_TRUE(all.look(w0, w1, lane::forks, 1));
  EXPECT_FALSE(all.look(w0, w1, lane::local, 0)) << "another line";
  EXPECT_TRUE(all.look(w0, w1, lane::migrated, 0)) << "the same as that of local";
  EXPECT_FALSE(all.look(w0, w2, lane::forks, 0)) << "another victim";
}

/// Prices of the rules, counted.
class counted_costs final : public costs {
 public:
  explicit counted_costs(rules const& by) : flat_(by) {}
  tick run(tick now, worker_id w, task_tree const& program, tree_node_id id) override {
    return flat_.run(now, w, program, id);
  }
  tick price(tick now, operation what, worker_id w, worker_id whom) override {
    if (what == operation::miss) {
      EXPECT_NE(w, whom) << "a worker's own lanes are no miss";
      ++misses;
    }
    return flat_.price(now, what, w, whom);
  }
  std::uint64_t misses = 0;

 private:
  flat_costs flat_;
};

TEST(cached_lines, an_attempt_that_loses_a_race_costs_a_miss_however_often_it_is_made_again) {
  task_tree const program = record([](auto& h) { four_way(h, 1, 4, 100); });
  for (char const* name : {"random", "hierarchical"}) {
    rules by = strict(5);
    by.lost_per_mille = 900;
    layout const where = layout::flat(8);
    auto const scheduler = policies::make_policy(name, where, by.seed);
    counted_costs prices(by);
    observer nobody;
    run_result const result = run(program, *scheduler, where, by, prices, nobody);
    ASSERT_TRUE(result.finished) << name;
    std::uint64_t lost = 0;
    for (worker_counters const& w : result.workers) lost += w.lost + w.barred;
    EXPECT_GT(lost, 0U) << name;
    EXPECT_GE(prices.misses, lost) << name;
  }
}

}}}}  // namespace skua::v0::sim
