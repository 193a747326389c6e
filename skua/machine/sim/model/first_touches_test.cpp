// SPDX-License-Identifier: MIT
// When the model says that memory is touched for the first time.
#include <gtest/gtest.h>

#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uintptr_t somewhere = 0x7f00'0000'0000;
constexpr std::uint64_t bytes = 1 << 20;
constexpr worker_id w0{0};  // node 0
constexpr worker_id w4{4};  // node 1

struct first_touches_in_the_model : testing::Test {
  first_touches_in_the_model() : bare(tree.add(0, tree_node_kind::leaf)), reader(tree.add(0, tree_node_kind::leaf)) {
    tree[bare].flops = 4000;
    tree.add_touch(reader, {.address = somewhere, .bytes = bytes});
  }
  model_costs make(page_placement const& pages) { return {model, model.numbers(), where, {.pages = pages}}; }

  machine_model model = round_model();
  layout where = model.layout_of({});
  task_tree tree;
  tree_node_id bare;
  tree_node_id reader;
};

TEST_F(first_touches_in_the_model, last_as_long_as_the_leaf_that_makes_them) {
  for (page_placement const pages : {page_placement{}, page_placement{.mode = page_placement::kind::interleave}}) {
    model_costs c = make(pages);
    c.run(5, w0, tree, bare);
    EXPECT_EQ(c.first_touches_until(), 0U) << "it touches nothing";
    tick const took = c.run(1000, w0, tree, reader);
    EXPECT_EQ(c.first_touches_until(), 1000 + took);
    c.run(1'000'000'000, w4, tree, reader);
    EXPECT_EQ(c.first_touches_until(), 1000 + took) << "the pages are there";
  }
}

TEST_F(first_touches_in_the_model, are_none_where_pages_were_bound) {
  model_costs c = make({});
  c.bind_pages(reinterpret_cast<void const*>(somewhere), bytes, 1);
  c.run(0, w0, tree, reader);
  EXPECT_EQ(c.first_touches_until(), 0U);
}

}}}}  // namespace skua::v0::sim
