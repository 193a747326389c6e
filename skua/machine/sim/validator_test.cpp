// SPDX-License-Identifier: MIT
// Results that no correct run can have: faults_of must find the fault that was put into a correct one.
#include "skua/machine/sim/checker.hpp"

#include <gtest/gtest.h>

#include "skua/policy/random.hpp"
#include "tests/programs/random_tree.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

class faulty_results : public testing::Test {
 protected:
  explicit faulty_results(std::uint32_t workers = 4) : where_(layout::flat(workers)) {
    policies::random_stealing scheduler(where_, 1);
    run_ = run(program_, scheduler, where_);
  }
  std::string verdict() const {
    std::vector<std::string> const faults = faults_of(run_, program_, where_);
    return faults.empty() ? "" : faults.front();
  }
  void expect(std::string const& part) const { EXPECT_NE(verdict().find(part), std::string::npos) << verdict(); }

  layout where_;
  task_tree program_ = random_tree::make(8, {.tasks = 300});
  run_result run_;
};

class faulty_results_of_one : public faulty_results {
 protected:
  faulty_results_of_one() : faulty_results(1) {}
};

TEST_F(faulty_results, a_correct_run_has_none) { EXPECT_EQ(verdict(), ""); }

TEST_F(faulty_results, an_unfinished_run_is_faulty) {
  run_.finished = false;
  expect("did not end");
}
TEST_F(faulty_results, a_task_that_did_not_run_is_seen) {
  run_.turns[run_.order[7]].times = 0;
  expect("was begun 0 times");
}
TEST_F(faulty_results, a_task_that_ran_twice) {
  run_.turns[run_.order[7]].times = 2;
  expect("was begun 2 times");
}
TEST_F(faulty_results, a_group_that_ended_before_its_child) {
  run_.turns[run_.order.back()].end = run_.turns[0].end + 1;
  expect("ran outside the time of its task");
}
TEST_F(faulty_results, a_makespan_below_what_is_possible) {
  run_.makespan = 1;
  expect("makespan 1 <");
}
TEST_F(faulty_results, work_that_was_not_done) {
  --run_.workers[0].busy;
  expect("the workers were busy for");
}
TEST_F(faulty_results, a_steal_from_oneself) {
  ++run_.steals_by_distance[0];
  ++run_.workers[0].steals;
  expect("stole from itself");
}
TEST_F(faulty_results, a_steal_that_nobody_counted) {
  ++run_.workers[0].steals;
  expect("differ");
}
TEST_F(faulty_results_of_one, a_correct_run_has_none) { EXPECT_EQ(verdict(), ""); }
TEST_F(faulty_results_of_one, another_order_is_seen) {
  std::swap(run_.order[3], run_.order[4]);
  expect("another order");
}
TEST_F(faulty_results_of_one, lost_time_is_seen) {
  ++run_.makespan;
  expect("one worker took");
}

TEST(order_on_one_worker, a_scopes_tasks_come_after_its_body_the_newest_first) {
  task_tree t;
  tree_node_id const scope = t.add(0, tree_node_kind::scope);
  tree_node_id const first = t.add(scope, tree_node_kind::task);
  tree_node_id const body = t.add(scope, tree_node_kind::leaf);
  tree_node_id const second = t.add(scope, tree_node_kind::task);
  tree_node_id const inner = t.add(second, tree_node_kind::join);
  tree_node_id const left = t.add(inner, tree_node_kind::task);
  tree_node_id const right = t.add(inner, tree_node_kind::task);
  tree_node_id const after = t.add(0, tree_node_kind::leaf);
  EXPECT_EQ(order_on_one_worker(t), (std::vector<tree_node_id>{0, body, second, left, right, first, after}));
}

}}}}  // namespace skua::v0::sim
