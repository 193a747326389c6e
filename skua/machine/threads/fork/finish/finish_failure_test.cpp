// SPDX-License-Identifier: MIT
// Tasks of a finish region that lie ready when something around the region fails: none of them begins any more.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using skua::testing::this_thread_number;
using skua::testing::wait_until;

constexpr int tasks = 20;

/// What the two workers say to each other.
struct meeting {
  std::atomic<bool> second_runs{false};
  std::atomic<bool> may_fail{false};
  std::atomic<bool> has_failed{false};  ///< all that the failure does has been done
  std::atomic<int> ended{0};            ///< tasks, begun or dropped
  std::atomic<int> begun_late{0};

  /// For the worker whose task has failed: it turns to other tasks only once the failure is noted. This one keeps it until
  /// the region's owner has run or dropped the others.
  void keep_the_other_worker(int others) {
    has_failed = true;
    wait_until("the other tasks have ended", [&] { return ended >= others; });
  }
};

/// Counts an end when a task's closure is destroyed, whether the task has run or not.
class counted_end {
 public:
  explicit counted_end(std::atomic<int>& to) noexcept : to_(&to, [](std::atomic<int>* all) { ++*all; }) {}

 private:
  std::shared_ptr<std::atomic<int>> to_;
};

/// join(a finish region, something that fails when the region's tasks lie ready and its body has only to end).
void fail_beside_a_region(skua::pool& pool, auto& here, meeting& m) {
  here.join(
      [&](auto& h) {
        wait_until("the second child runs elsewhere", [&] { return m.second_runs.load(); });
        auto const mine = this_thread_number();
        h.finish([&](auto& f) {
          for (int i = 0; i < tasks; ++i) {
            f.spawn([&m, mine, end = counted_end(m.ended)](auto&) {
              if (this_thread_number() != mine) return m.keep_the_other_worker(tasks - 1);
              if (m.has_failed) ++m.begun_late;
            });
          }
          // Tasks of the region may keep the other worker, so that this one does not run.
          pool.enqueue([&m] { m.keep_the_other_worker(tasks); });
          m.may_fail = true;
          wait_until("the failure is noted", [&] { return m.has_failed.load(); });
        });
      },
      [&](auto&) {
        m.second_runs = true;
        wait_until("the region's tasks lie ready", [&] { return m.may_fail.load(); });
        throw std::runtime_error("beside the region");
      });
}

class finish_failure : public skua::testing::under_every_policy {};

/// Replay without a record allows no steals, so that the second child would not run while the first one does.
std::vector<std::string> policies_with_thieves() {
  std::vector<std::string> names = skua::testing::checked_policies();
  std::erase(names, "checked:only:replay");
  return names;
}

}  // namespace

TEST_P(finish_failure, around_the_region_drops_the_owners_own_tasks) {
  skua::pool pool(workers(2));
  for (int round = 0; round < 20; ++round) {
    auto const m = std::make_shared<meeting>();  // the enqueued task may come last
    skua::one_shot<> over;
    // Not by pool.run: the owner would be tied to its thread and leave its tasks to others (finish.md, "Waiting").
    pool.enqueue([&](auto& here) {
      EXPECT_THROW(fail_beside_a_region(pool, here, *m), std::runtime_error);
      over.set_value();
    });
    over.wait();
    pool.drain();
    EXPECT_EQ(m->begun_late, 0) << "of " << tasks << ", round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(policies, finish_failure, ::testing::ValuesIn(policies_with_thieves()),
                         skua::testing::policy_in_a_name);
