// SPDX-License-Identifier: MIT
// What a policy has measured is known to a later one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "skua/parts/base/error.hpp"
#include "skua/policy/arms/arms.hpp"
#include "skua/policy/registry.hpp"
#include "skua/policy/setup.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using arms::tag_fields;

layout two_by_four() { return layout(topology::synthetic("package:2 numa:1 core:4 pu:1")); }
constexpr task_type moldable{.number = 3, .moldable = 1};

/// A task of type 3 takes this long on every partition around worker 0.
void train(adaptive_moldable& p, std::uint64_t ns) {
  for (int i = 0; i < 7; ++i) {
    task_tag task = tag_fields{.address = address::at(0), .type = moldable}.written();
    placement const to = p.of_worker(worker_id{0}).place(task, cause::chosen);
    std::uint64_t const took = ns / to.width + 10;
    if (to.width > 1) p.of_worker(to.worker).learn(team_ended{.task = task, .duration_ns = took});
    p.of_worker(to.worker).learn(ended{.task = task, .duration_ns = took});
  }
}

TEST(known_times, a_new_policy_knows_what_the_old_one_measured) {
  for (arms_model const model : {arms_model::history, arms_model::power_law}) {
    adaptive_moldable old(two_by_four(), 1, {.cost = arms::cost::product, .model = model});
    train(old, 40'000);
    adaptive_moldable p(two_by_four(), 1, {.cost = arms::cost::product, .model = model});
    std::vector<known_time> const measured = old.known();
    EXPECT_EQ(measured.size(), model == arms_model::history ? 3U : 2U) << "two widths predict the third";
    p.remember({.source = "a.json", .all = measured});
    for (std::uint32_t i = 0; i < p.partitions().all().size(); ++i) {
      arms::partition_id const on{i};
      EXPECT_EQ(p.time_ns(3, address::at(0), on), old.time_ns(3, address::at(0), on)) << i;
    }
    EXPECT_EQ(p.known(), measured);
    task_tag task = tag_fields{.address = address::at(0), .type = moldable}.written();
    EXPECT_EQ(p.of_worker(worker_id{0}).place(task, cause::chosen).width, 1) << "a wider one costs more";
  }
}

TEST(known_times, an_end_without_a_measurement_is_counted_and_teaches_no_time) {
  adaptive_moldable p(two_by_four(), 1);
  task_tag task = tag_fields{.address = address::at(0), .type = task_type{3}}.written();
  worker_policy& m = p.of_worker(worker_id{0});
  ASSERT_EQ(m.place(task, cause::chosen).width, 1);
  m.learn(ended{.task = task, .duration_ns = unmeasured_ns});
  EXPECT_TRUE(p.known().empty());
  m.learn(ended{.task = task, .duration_ns = 500});
  m.learn(ended{.task = task, .duration_ns = unmeasured_ns});
  ASSERT_EQ(p.known().size(), 1U);
  EXPECT_EQ(p.known()[0].ns, 500U);
  EXPECT_EQ(p.ended(3, 1), 3U);
}

TEST(known_times, of_partitions_that_there_are_not_are_refused) {
  for (known_time const& wrong : {known_time{.leader = worker_id{0}, .width = 3, .ns = 5},
                                  known_time{.leader = worker_id{8}, .width = 1, .ns = 5}}) {
    adaptive_moldable p(two_by_four(), 1);
    try {
      p.remember({.source = "a.json", .all = {&wrong, 1}});
      ADD_FAILURE() << "accepted";
    } catch (usage_error const& e) {
      EXPECT_EQ(std::string(e.what()),
                "a.json has times of " + std::to_string(wrong.width) + " workers from worker " +
                    std::to_string(index(wrong.leader)) +
                    " on, which are no partition here; allowed: partitions as in the run that wrote it");
    }
  }
}

TEST(known_times, registry_hands_them_on_and_other_policies_ignore_them) {
  adaptive_moldable old(two_by_four(), 1);
  train(old, 40'000);
  std::vector<known_time> const measured = old.known();
  layout const where = two_by_four();
  policy_setup const from{.layout = where, .seed = 1, .known = {.source = "a.json", .all = measured}};
  EXPECT_EQ(make_policy("arms", from)->known(), measured);
  EXPECT_EQ(make_policy("checked:arms:cost=time", from)->known(), measured);
  EXPECT_TRUE(make_policy("only:random", from)->known().empty());
}

}}}}  // namespace skua::v0::policies
