// SPDX-License-Identifier: MIT
// A worker on which another fiber begins to run, which has other joins, beside a thread that falls asleep: every schedule. (fork_lane.md)
#include "skua/machine/threads/lane/fork_lane.hpp"

#include <gtest/gtest.h>

#include "skua/parts/queue/attention_seeker_for_test.hpp"
#include "skua/parts/queue/deque_mutants_for_test.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::attention, skua::runtime::fork_deque, skua::runtime::fork_lane;

enum class fault : std::uint8_t {
  none,
  no_request,  ///< the first push of the next fiber does not ask for attention
};

/// The owner forks in the joins of one fiber, and then in those of another. The sleeper is woken by the first fork that it does not see.
template <class Sync, fault Fault = fault::none>
struct changing_fiber {
  static constexpr int threads = 2;
  static fork_deque<Sync>& joins() {
    return immortal<fork_deque<Sync>>(
        skua::runtime::deque_options{.capacity = 16, .kind = Sync::kind(), .memory = &memory()});
  }
  fork_deque<Sync>& first = joins();
  fork_deque<Sync>& second = joins();
  fork_lane<Sync> lane{first};
  skua::runtime::attention_seeker<Sync> other;

  void run(int me) {
    if (me == 1)
      return other.fall_asleep([this] { lane.request_fork_attention(); },
                               [this] { return lane.forks_outside().looks_empty(); });
    fork();
    join();
    lane.enter(second);
    if (Fault == fault::no_request) static_cast<void>(second.poll());
    fork();
    join();
    fork();
  }
  void join() { static_cast<void>(lane.forks().pop(*(&lane.forks().first_free() - 1))); }
  void fork() {
    auto& d = lane.forks();
    if (d.push(d.first_free(), this) && d.poll() == attention::requested) wake();
  }
  void wake() {
    if (other.has_announced()) other.wake();  // else it was the owner's own request
  }
  void finish() {}
};

/// The requester does not fence before it looks which deque to ask.
struct hasty_requester : model_sync {
  static void full_fence() noexcept {
    if (current_world()->thread() == 0) model_sync::full_fence();
  }
};

constexpr options pso{.model = memory_model::pso};

}  // namespace

TEST(fork_lane_model, a_sleeper_misses_no_fork_of_the_next_fiber) {
  holds<changing_fiber<model_sync>>();
  holds<changing_fiber<model_sync>>(pso);
  holds<changing_fiber<full_model_sync>>(pso);
  holds<changing_fiber<model_sync>>(weak);
  holds<changing_fiber<full_model_sync>>(weak);
}

TEST(fork_lane_mutant, an_owner_without_its_fence_is_caught) {
  fails<changing_fiber<skua::runtime::deque_mutants::forgetful_owner<model_sync>>>("deadlock", weak);
}
TEST(fork_lane_mutant, a_requester_without_its_fence_is_caught) {
  fails<changing_fiber<hasty_requester>>("deadlock", pso);
}
TEST(fork_lane_mutant, a_change_without_a_request_is_caught) {
  fails<changing_fiber<model_sync, fault::no_request>>("deadlock", pso);
}
