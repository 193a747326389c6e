// SPDX-License-Identifier: MIT
// What a policy learns in virtual time of tasks and teams that fail.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "skua/machine/sim/live_runs_test.hpp"
#include "skua/machine/sim/simulate.hpp"
#include "skua/policy/arms/arms.hpp"
#include "skua/program/flow/flow.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// Tasks on one worker and teams whose members throw, or are dropped because an earlier one threw.
TEST(live_team, what_fails_teaches_no_time) {
  for (bool const wide : {false, true}) {
    layout const where = layout_of(4);
    policies::adaptive_moldable scheduler(where, 1, {.cost = policies::arms::cost::time});
    rules const by{.unit = unit::flops};
    flat_costs prices(by);
    observer nobody;
    auto const throws = [wide](auto& mine) {
      mine.here().leaf(flops{8000. / mine.width()}, [] {});
      if ((mine.width() > 1) == wide) throw std::runtime_error("a member");
    };
    EXPECT_THROW(simulate(
                     [&](here& h) {
                       flow graph(h);
                       runtime::node<void> last = graph.add([](auto&) {});
                       for (int i = 0; i < 4; ++i)
                         last = graph.add_team(after(last), address::of(0, 1), task_type{1}, throws);
                       graph.run(h);
                     },
                     scheduler, where, by, prices, nobody),
                 std::runtime_error);
    std::uint32_t known = 0;
    for (std::uint32_t i = 0; i < scheduler.partitions().all().size(); ++i)
      known += scheduler.time_ns(1, address::of(0, 1), policies::arms::partition_id{i}) != 0 ? 1 : 0;
    EXPECT_EQ(known, wide ? 1U : 0U) << "those that ran alone returned";
  }
}

}}}}  // namespace skua::v0::sim
