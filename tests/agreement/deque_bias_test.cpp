// SPDX-License-Identifier: MIT
// The simulator's deques have the bias exactly when those of the threads machine do: random owners and thieves, one
// step at a time, against both.
#include <gtest/gtest.h>

#include <functional>

#include "skua/machine/sim/deque_bias.hpp"
#include "skua/parts/base/dice.hpp"
#include "skua/parts/queue/deque.hpp"
#include "tests/programs/random_runs.hpp"

namespace skua { inline namespace v0 { namespace {

using runtime::outcome;
using state = sim::deque_bias::state;

/// The real world, but a thief's wait for the owner's answer lets the owner act.
struct stepping_sync : runtime::real_sync {
  static inline std::function<void()> meanwhile;

  static runtime::fences kind() noexcept { return runtime::fences::asymmetric; }
  static void heavy_fence() noexcept { runtime::full_fence(); }
  template <class T>
  static bool await_briefly(std::atomic<T> const& word, T seen) {
    if (meanwhile) meanwhile();
    return word.load(std::memory_order_relaxed) != seen;
  }
};

class pair_of_deques {
 public:
  explicit pair_of_deques(runtime::bias_rule rule) : real_({.capacity = 2, .bias_after = rule}), simulated_(rule) {}

  void push() {
    if (real_.push(this)) static_cast<void>(real_.poll());
    ++entries_;
  }

  void pop() {
    if (simulated_.now() == state::revoking) simulated_.answer();
    bool const got = entries_ > 0;
    ASSERT_EQ(real_.pop(), got);
    if (!got) return;
    --entries_;
    if (simulated_.is_open()) simulated_.popped();
  }

  /// The owner pops so often while the thief waits, if it must wait.
  void steal(std::uint32_t pops) {
    runtime::revocation_count expected;
    stepping_sync::meanwhile = [this, pops] {
      for (std::uint32_t i = 0; i < pops; ++i) pop();
    };
    if (entries_ > 0 && simulated_.now() == state::owner) {
      simulated_.revoke(worker_id{1});
      ++expected.revocations;
      expected.heavy_fences += pops == 0 ? 1 : 0;
    }
    runtime::revocation_count spent;
    runtime::entry oldest;
    outcome const how = real_.outside().steal(oldest, spent);
    stepping_sync::meanwhile = nullptr;
    if (expected.revocations > 0) simulated_.end_revocation();
    ASSERT_EQ(how, entries_ > 0 ? outcome::got : outcome::empty);
    if (how == outcome::got) {
      --entries_;
      simulated_.taken_from_top();
    }
    ASSERT_EQ(spent.revocations, expected.revocations);
    ASSERT_EQ(spent.heavy_fences, expected.heavy_fences);
    revocations_ += spent.revocations;
  }

  void offer_oldest() {
    runtime::entry oldest;
    ASSERT_EQ(real_.pop_oldest(oldest), entries_ > 0);
    if (entries_ == 0) return;
    --entries_;
    simulated_.taken_from_top();
  }

  [[nodiscard]] std::uint64_t revocations() const noexcept { return revocations_; }

 private:
  runtime::deque<stepping_sync> real_;
  sim::deque_bias simulated_;
  std::uint64_t entries_ = 0;
  std::uint64_t revocations_ = 0;
};

TEST(deque_bias_agreement, a_thief_revokes_and_the_owner_takes_back_alike) {
  constexpr std::uint32_t unused[] = {1};
  std::uint64_t revocations = 0;
  testing::each_random_run(200, unused, [&](std::uint64_t seed, std::uint32_t) {
    runtime::dice roll(seed);
    pair_of_deques both({.least = static_cast<std::uint16_t>(1 + roll.below(4)), .most = 24});
    std::uint32_t const calm = 2 + roll.below(60);  // steps between steals, on average
    for (int i = 0; i < 2000 && !::testing::Test::HasFatalFailure(); ++i) {
      std::uint32_t const what = roll.below(2 * calm);
      if (what == 0) {
        both.steal(roll.below(3));
      } else if (what == 1 && roll.below(4) == 0) {
        both.offer_oldest();
      } else if (what % 2 == 0) {
        both.push();
      } else {
        both.pop();
      }
    }
    revocations += both.revocations();
  });
  EXPECT_GT(revocations, 1000U);
}

}}}  // namespace skua::v0
