// SPDX-License-Identifier: MIT
// What leaves gain from a first-level cache: the round machine with one of 16 KiB.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "skua/machine/sim/model/model_costs.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uintptr_t somewhere = 0x7f00'0000'0000;
constexpr worker_id w0{0};  // node 0
constexpr worker_id w4{4};  // node 1
constexpr std::uint64_t fits = 16384;

std::string machine_text() {
  return round_machine_with("[private_cache]",
                            "[first_level_cache]\nbytes = 16384\nbytes_per_ns = 128\nlatency_ns = 0.5\n\n"
                            "[private_cache]");
}

class a_first_level_cache : public testing::Test {
 protected:
  tree_node_id leaf(std::uint64_t offset, std::uint64_t bytes, bool written = false, double flops = 0) {
    tree_node_id const id = tree.add(0, tree_node_kind::leaf);
    tree[id].flops = flops;
    tree.add_touch(id, {.address = somewhere + offset, .bytes = bytes, .written = written});
    return id;
  }
  [[nodiscard]] machine_numbers hiding(double share) const {
    machine_numbers n = model.numbers();
    n.hidden_share = share;
    return n;
  }

  machine_model model = machine_model::parse(machine_text(), "near.toml");
  layout where = model.layout_of({});
  task_tree tree;
};

TEST_F(a_first_level_cache, serves_at_its_rate_what_was_used_last) {
  model_costs c(model, model.numbers(), where);
  tree_node_id const id = leaf(0, fits);
  tick const cold = c.run(0, w0, tree, id);
  EXPECT_EQ(cold, 2'058'000U);                     // 16384 / 8 ns and 100 ns / 10
  EXPECT_EQ(c.run(cold, w0, tree, id), 128'050U);  // 16384 / 128 ns and 0.5 ns / 10
  static_cast<void>(c.run(10'000'000, w0, tree, leaf(fits, fits)));
  EXPECT_EQ(c.run(20'000'000, w0, tree, id), 256'100U);  // 16384 / 64 ns and 1 ns / 10
  EXPECT_EQ(c.account(w0).first_level_bytes, fits);
  EXPECT_EQ(c.account(w0).private_bytes, fits);
  EXPECT_EQ(c.total().first_level_bytes, fits);
}

TEST_F(a_first_level_cache, is_a_cores_own) {
  model_costs c(model, model.numbers(), where);
  tree_node_id const reads = leaf(0, 1024);
  tree_node_id const writes = leaf(0, 1024, true);
  static_cast<void>(c.run(0, w0, tree, reads));
  EXPECT_EQ(c.run(1'000'000, w0, tree, reads), 8'050U);
  static_cast<void>(c.run(2'000'000, w4, tree, writes));
  EXPECT_EQ(c.run(3'000'000, w0, tree, reads), 512'000U + 11'000U);  // 1024 / 2 ns over the link, (50 + 60) / 10 ns
}

/// The rate of arithmetic is that of a leaf whose data are here, so nothing is added for fetching them.
TEST_F(a_first_level_cache, costs_nothing_beside_arithmetic_however_little_a_core_hides) {
  for (double const hidden : {0.0, 0.5, 1.0}) {
    model_costs c(model, hiding(hidden), where);
    tree_node_id const id = leaf(0, fits, false, 4'000);
    static_cast<void>(c.run(0, w0, tree, id));
    EXPECT_EQ(c.run(10'000'000, w0, tree, id), 1'000'000U) << hidden;
  }
}

/// Half of the leaf's data are in the first-level cache, half in the rest of the private one. It touches the former first;
/// the other way round each block would drop the next one that it needs.
TEST_F(a_first_level_cache, hides_its_own_part_and_the_rest_as_the_core_does) {
  constexpr double near = 8192.0 / 128 * 1e3 + 50;
  constexpr double beyond = 8192.0 / 64 * 1e3 + 100;
  for (double const flops : {100.0, 400.0, 4'000.0}) {
    double const computing = flops / 4 * 1e3;
    for (double const hidden : {0.0, 0.25, 1.0}) {
      model_costs c(model, hiding(hidden), where);
      static_cast<void>(c.run(0, w0, tree, leaf(0, fits)));
      static_cast<void>(c.run(10'000'000, w0, tree, leaf(65536, 8192)));  // drops the first half
      tree_node_id const id = leaf(8192, 8192, false, flops);
      tree.add_touch(id, {.address = somewhere, .bytes = 8192});
      tick const took = c.run(20'000'000, w0, tree, id);
      double const all = std::max(computing, near + beyond);
      double const nothing = std::max(computing, near) + beyond;
      EXPECT_NEAR(static_cast<double>(took), hidden * all + (1 - hidden) * nothing, 1) << flops << ", " << hidden;
    }
  }
}

/// Two of four workers that share a task of twice the first-level cache gain more than its halves.
TEST_F(a_first_level_cache, makes_two_cores_more_than_twice_as_fast_where_one_half_fits) {
  model_costs c(model, model.numbers(), where);
  tree_node_id const whole = leaf(0, 2 * fits);
  tree_node_id const left = leaf(0, fits);
  tree_node_id const right = leaf(fits, fits);
  static_cast<void>(c.run(0, w0, tree, whole));
  tick const alone = c.run(10'000'000, w0, tree, whole);
  static_cast<void>(c.run(20'000'000, w0, tree, left));
  static_cast<void>(c.run(20'000'000, w4, tree, right));
  tick const together = std::max(c.run(40'000'000, w0, tree, left), c.run(40'000'000, w4, tree, right));
  EXPECT_GT(static_cast<double>(alone), 3.9 * static_cast<double>(together));
}

TEST_F(a_first_level_cache, without_its_rate_is_refused) {
  machine_numbers n = round_model().numbers();
  n.first_level_bytes = 16384;
  try {
    model_costs const c(model, n, where);
    ADD_FAILURE();
  } catch (usage_error const& fault) {
    EXPECT_NE(std::string(fault.what()).find("first_level_cache.bytes is given without"), std::string::npos);
  }
}

}}}}  // namespace skua::v0::sim
