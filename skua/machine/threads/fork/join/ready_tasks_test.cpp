// SPDX-License-Identifier: MIT
// No worker stays idle beside a ready task: as many tasks as there are workers, anywhere in a random tree of constructs, wait for
// each other, and the program ends. Not under replay, whose strict iterations promise no concurrency (policy/replay/replay.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/skua.hpp"
#include "tests/programs/every_policy.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

/// The leaves of a tree, some of which meet: each waits until all of them run.
class meeting {
 public:
  meeting(std::uint64_t seed, int leaves, int who_meet) : leaves_(leaves), who_meet_(who_meet) {
    std::vector<int> order(static_cast<std::size_t>(leaves));
    std::iota(order.begin(), order.end(), 0);
    skua::runtime::dice roll(seed);
    meets_.resize(order.size());
    for (int i = 0; i < who_meet; ++i) {
      std::size_t const chosen = roll.below(static_cast<std::uint32_t>(order.size()));
      meets_[static_cast<std::size_t>(order[chosen])] = true;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
  }

  void leaf(int number) {
    ++done_;
    if (!meets_[static_cast<std::size_t>(number)]) return;
    ++running_;
    skua::testing::wait_until("all tasks that meet run", [&] { return running_ >= who_meet_; });
  }
  /// Runs the leaves from `first` on, in constructs that the seed chooses.
  void run(auto& h, int first, int n, std::uint64_t seed) {
    if (n == 1) return leaf(first);
    skua::runtime::dice roll(seed);
    int const parts = std::min(n, 2 + static_cast<int>(roll.below(3)));
    std::vector<int> bounds{first};
    for (int p = 1; p <= parts; ++p) bounds.push_back(first + n * p / parts);
    auto const part = [&](auto& g, int p) {
      auto const at = static_cast<std::size_t>(p);
      run(g, bounds[at], bounds[at + 1] - bounds[at], seed * 31 + at + 1);
    };
    std::vector<int> all(static_cast<std::size_t>(parts));
    std::iota(all.begin(), all.end(), 0);
    switch (roll.below(6)) {
      case 0: return h.join_each(all, part);
      case 1:
        return h.join([&](auto& g) { part(g, 0); },
                      [&](auto& g) { g.join_each(std::vector<int>(all.begin() + 1, all.end()), part); });
      case 2:
        return h.scope([&](auto& s) {
          for (int const p : all) s.spawn([&part, p](auto& g) { part(g, p); });
        });
      case 3: {  // the first part runs beside the tasks, before anybody waits for them
        skua::task_group beside;
        for (int p = 1; p < parts; ++p) beside.run([&part, p](skua::runtime::here& g) { part(g, p); });
        part(h, 0);
        beside.wait();
        return;
      }
      case 4:
        return h.finish([&](auto& f) {
          for (int const p : all) f.spawn([&part, p](auto& x) { part(x.here(), p); });
        });
      default: return skua::for_each(h, 0, parts, part, skua::grain{1});
    }
  }
  [[nodiscard]] bool is_done() const { return done_ == leaves_; }

 private:
  int const leaves_;
  int const who_meet_;
  std::vector<bool> meets_;
  std::atomic<int> done_{0};
  std::atomic<int> running_{0};
};

class ready_tasks : public skua::testing::under_every_policy {};

}  // namespace

TEST_P(ready_tasks, that_wait_for_each_other_all_run) {
  auto const first_seed = static_cast<std::uint64_t>(::testing::UnitTest::GetInstance()->random_seed());
  for (std::uint32_t const n : {2U, 3U, 4U}) {
    skua::pool pool(workers(n));
    for (std::uint64_t seed = first_seed; seed < first_seed + 12; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(n) + " workers");
      int const leaves = static_cast<int>(n + seed % 5);
      meeting of(seed, leaves, static_cast<int>(n));
      pool.run([&](auto& h) { of.run(h, 0, leaves, seed); });
      EXPECT_TRUE(of.is_done());
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(policies, ready_tasks, ::testing::ValuesIn(skua::testing::checked_greedy_policies()),
                         skua::testing::policy_in_a_name);
