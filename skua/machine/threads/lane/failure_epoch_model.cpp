// SPDX-License-Identifier: MIT
// Threads look at a chain of nodes while one of its groups fails, under every schedule: once the failure has been
// raised, every check finds it, whatever was found clean before.
#include "skua/machine/threads/lane/failure_epoch.hpp"

#include <gtest/gtest.h>

#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::any_failed, skua::runtime::clean_mark, skua::runtime::failure_epoch;

enum class steps : std::uint8_t { as_written, epoch_before_flag, no_epoch };

struct node {
  node const* outer;
  model_atomic<bool> failed{false};
  clean_mark<model_sync> clean{};

  [[nodiscard]] bool has_failed(std::uint64_t) const noexcept { return failed.load(std::memory_order_relaxed); }
};

/// Thread 0 lets one of three nested nodes fail; the others look from inside it.
template <int Failing, steps Order = steps::as_written>
struct chain {
  static constexpr int threads = 3;
  failure_epoch<model_sync> failures;
  node outer{nullptr};
  node middle{&outer};
  node inner{&middle};
  node* const nodes[3] = {&outer, &middle, &inner};
  model_atomic<bool> raised{false};

  void run(int me) {
    if (me == 0) {
      if (Order == steps::epoch_before_flag) failures.begin_next();
      nodes[Failing]->failed.exchange(true, std::memory_order_relaxed);
      if (Order == steps::as_written) failures.begin_next();
      raised.store(true, std::memory_order_release);
      return;
    }
    node const& from = me == 1 ? inner : *nodes[Failing];
    for (int look = 0; look < 2; ++look) {
      bool const over = raised.load(std::memory_order_acquire);
      bool const seen = any_failed(&from, failures);
      require(seen || !over, "a failure that has been raised is seen");
    }
  }
  void finish() { require(any_failed(&inner, failures), "a failure is not forgotten"); }
};

template <class Script>
void holds_in_all_models() {
  for (auto const model : {memory_model::tso, memory_model::pso}) holds<Script>({.model = model, .preemptions = 3});
  holds<Script>(weak);
}

}  // namespace

TEST(failure_epoch_model, a_failure_outside_is_seen) { holds_in_all_models<chain<0>>(); }
TEST(failure_epoch_model, a_failure_in_between_is_seen) { holds_in_all_models<chain<1>>(); }
TEST(failure_epoch_model, a_failure_of_the_own_group_is_seen) { holds_in_all_models<chain<2>>(); }

TEST(failure_epoch_mutant, an_epoch_that_begins_before_the_flag_is_caught) {
  fails<chain<0, steps::epoch_before_flag>>("a failure");
}
TEST(failure_epoch_mutant, a_failure_without_an_epoch_is_caught) { fails<chain<0, steps::no_epoch>>("a failure"); }
