// SPDX-License-Identifier: MIT
// A task of a task_group keeps its hinted place when the thread that waits for the group runs it by itself.
#include <gtest/gtest.h>

#include <optional>

#include "skua/machine/threads/face/executor.hpp"
#include "skua/machine/threads/fork/group/stop_node.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace {

std::optional<place_id> place_here() {
  return runtime::stop_node::inherited(fiber_of(*runtime::executor::running()).watching()).place;
}

TEST(places_in_groups, hold_where_the_waiter_runs_the_task) {
  pool(1).run([](auto&) {
    std::optional<place_id> hinted;
    std::optional<place_id> plain;
    task_group group;
    group.run([&] { plain = place_here(); });
    group.run(at{place_id{0}}, [&] { hinted = place_here(); });
    group.wait();
    EXPECT_EQ(hinted, place_id{0});
    EXPECT_FALSE(plain.has_value());
  });
}

}}}  // namespace skua::v0
