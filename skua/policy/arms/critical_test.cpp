// SPDX-License-Identifier: MIT
// Critical tasks under arms:critical=on: where they go when they are released. [the authors' code]
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "skua/policy/arms/arms.hpp"
#include "skua/policy/arms/example_test.hpp"
#include "skua/policy/arms/runs_for_test.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace {

using namespace arms_runs;

TEST(arms, a_critical_task_is_sent_to_the_globally_best_partition_when_it_is_released) {
  constexpr task_type critical{.number = moldable.number, .moldable = 1 | runtime::on_critical_path};
  adaptive_moldable p(figure_4(), 1, {.critical = true});
  worker_policy& m = p.of_worker(worker_id{5});
  auto const released = [&](worker_policy& by, task_type type, cause why) {
    task_tag t = tag_of(address::of(0, 8) | type);
    placement const to = by.place(t, why);
    EXPECT_EQ(tag_fields::read(t).chosen.has_value(), to.width > 1);
    return to;
  };
  EXPECT_EQ(released(m, critical, cause::released), queued(0)) << "nothing is known";
  for (std::uint64_t const ns : {4000U, 2500U}) runs(p, 0, tag_of(address::of(0, 8) | moldable), ns);
  EXPECT_EQ(released(m, critical, cause::released), queued(0)) << "width 4 is not";
  runs(p, 0, tag_of(address::of(0, 8) | critical), 2600);
  EXPECT_EQ(released(m, critical, cause::released), team(0, 2));
  EXPECT_EQ(released(p.of_worker(worker_id{1}), critical, cause::unblocked), team(0, 2));
  EXPECT_EQ(released(m, moldable, cause::released), queued(0)) << "not critical";
  std::uint32_t sent = 0;
  for (int i = 0; i < 160; ++i) sent += released(m, critical, cause::unblocked) == team(0, 2) ? 1 : 0;
  EXPECT_EQ(sent, 150U) << "one of 16 is chosen as others are, and may measure another width";
  EXPECT_TRUE(p.needs().critical);
  adaptive_moldable by_default(figure_4(), 1);
  EXPECT_FALSE(by_default.needs().critical);
  for (std::uint64_t const ns : {4000U, 2500U, 2600U}) runs(by_default, 0, tag_of(address::of(0, 8) | critical), ns);
  EXPECT_EQ(released(by_default.of_worker(worker_id{5}), critical, cause::released), queued(0));
}

TEST(arms, a_critical_task_that_is_best_alone_is_first_on_its_worker) {
  constexpr task_type critical{.number = single.number, .moldable = runtime::on_critical_path};
  adaptive_moldable p(figure_4(), 1, {.critical = true});
  worker_policy& m = p.of_worker(worker_id{6});
  task_tag const t = tag_of(address::of(0, 8) | critical);
  runs(p, 0, t, 4000);
  task_tag stolen = t;  // worker 6 has taken one, and was faster
  ASSERT_EQ(m.place(stolen, cause::stolen), here(6));
  m.learn(ended{.task = stolen, .duration_ns = 1000});
  task_tag sent = t;
  EXPECT_EQ(p.of_worker(worker_id{0}).place(sent, cause::released),
            (placement{.worker = worker_id{6}, .lane = lane::mailbox}));
  m.learn(begun{.task = sent});  // as it was sent: a machine does not ask again for what was in a mailbox
  m.learn(ended{.task = sent, .duration_ns = 6000});
  EXPECT_EQ(p.time_ns(single.number, address::of(0, 8), arms::partition_id{6}), 2000U) << "it teaches its time";
  sent = t;
  EXPECT_EQ(p.of_worker(worker_id{0}).place(sent, cause::released).lane, lane::mailbox);
  EXPECT_EQ(p.of_worker(worker_id{0}).place(sent, cause::refused), queued(6)) << "the mailbox is occupied";
  EXPECT_EQ(tag_fields::read(sent).chosen, std::nullopt) << "its worker, or a thief, chooses";
}

TEST(arms, a_critical_task_comes_before_the_next_one_and_before_the_queue) {
  constexpr task_type critical{.number = single.number, .moldable = runtime::on_critical_path};
  adaptive_moldable p(figure_4(), 1, {.critical = true});
  worker_policy& m = p.of_worker(worker_id{0});
  runs(p, 0, tag_of(address::of(0, 8) | critical), 4000);
  placement const next{.worker = worker_id{0}, .lane = lane::local};
  task_tag plain = tag_of(address::of(0, 8) | single);
  EXPECT_EQ(m.place(plain, cause::unblocked), next);
  task_tag first = tag_of(address::of(0, 8) | critical);
  EXPECT_EQ(m.place(first, cause::unblocked), next) << "the owner takes the newest";
  EXPECT_EQ(m.place(plain, cause::unblocked), queued(0));
  std::vector<lane> own;
  for (probe const& q : fruitless_round(m)) {
    if (q.kind == action::steal) break;
    own.push_back(q.lane);
  }
  EXPECT_EQ(own, (std::vector{lane::inbox, lane::mailbox, lane::local, lane::spawned, lane::migrated}));
  EXPECT_EQ(victims_of(fruitless_round(m), lane::mailbox), (std::vector<std::uint32_t>{1, 2, 3})) << "it may be stolen";
  EXPECT_FALSE(adaptive_moldable(figure_4(), 1).needs().lanes.has(lane::mailbox));
}

}}}}  // namespace skua::v0::policies
