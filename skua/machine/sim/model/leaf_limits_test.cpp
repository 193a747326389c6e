// SPDX-License-Identifier: MIT
// What a leaf may take, and what it may touch.
#include <gtest/gtest.h>

#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"
#include "skua/parts/base/error.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

struct leaf_limits : testing::Test {
  machine_model const model = round_model();
  layout const where = model.layout_of({});
  model_costs costs{model, model.numbers(), where, {}};
  task_tree tree;

  tick ticks_of(double flops, std::uint64_t ns = 0, touch const& what = {}) {
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree.add_flops(id, flops);
    tree[id].ns = ns;
    tree.add_touch(id, what);
    return costs.run(0, worker_id{0}, tree, id);
  }
};

TEST_F(leaf_limits, a_leaf_that_would_take_hours_is_refused_and_does_not_turn_time_back) {
  EXPECT_EQ(ticks_of(3.6e13), 9'000'000'000'000'000U);
  for (double const flops : {4e13, 1e20, 1e300}) EXPECT_THROW(ticks_of(flops), usage_error) << flops;
  EXPECT_THROW(ticks_of(0, ~0ULL), usage_error);
}

TEST_F(leaf_limits, no_rows_are_no_bytes) {
  EXPECT_EQ(ticks_of(4000, 0, {.address = 0, .bytes = 8, .rows = 0, .stride = 8}), 1'000'000U);
}

}}}}  // namespace skua::v0::sim
