// SPDX-License-Identifier: MIT
// Two teams that share two workers enter their inboxes under every schedule: in the same order, so that workers whose members wait in place
// for the other one's come to an end (team.md, "one order"). The mutant has no lock.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "skua/machine/threads/engine/team/enter_inboxes.hpp"
#include "skua/parts/base/brief_lock.hpp"
#include "skua/parts/queue/injector.hpp"
#include "tests/explorer/expect.hpp"
#include "tests/explorer/explorer.hpp"
#include "tests/explorer/model_sync.hpp"

namespace {

using namespace skua::explorer;
using skua::runtime::brief_lock, skua::runtime::enter_inboxes, skua::runtime::injectable, skua::runtime::injector;
using std::memory_order_acq_rel, std::memory_order_acquire;

constexpr int workers = 2;

struct no_lock {
  void lock() {}
  void unlock() {}
};

/// Each worker forms a team of both, and then runs what it finds in its inbox. Without a stack, a member waits in place.
template <class Lock>
struct two_teams {
  static constexpr int threads = workers;
  struct member : injectable {
    int team = 0;
  };
  struct team {
    std::array<member, workers> members;
    model_atomic<int> there{0};
  };

  Lock lock;
  std::array<injector<model_sync>*, workers> inboxes{};
  std::array<team, workers> teams;
  int ended = 0;

  two_teams() {
    for (int w = 0; w < workers; ++w) {
      inboxes[static_cast<std::size_t>(w)] = &immortal<injector<model_sync>>();
      for (member& m : teams[static_cast<std::size_t>(w)].members) m.team = w;
    }
  }
  void run(int me) {
    auto const mine = static_cast<std::size_t>(me);
    enter_inboxes(
        lock, workers, [this](std::uint32_t m) -> auto& { return *inboxes[m]; },
        [this, mine](std::uint32_t m) -> auto& { return teams[mine].members[m]; });
    for (int members = 0; members < workers;) {
      auto* const next = static_cast<member*>(inboxes[mine]->pop());
      if (next == nullptr) {
        current_world()->step([this, mine] { return !inboxes[mine]->looks_empty(); });
        continue;
      }
      wait_for_all(teams[static_cast<std::size_t>(next->team)]);
      ++members;
    }
  }
  void wait_for_all(team& of) {
    if (of.there.fetch_add(1, memory_order_acq_rel) + 1 == workers) {
      ++ended;
      return of.there.notify_all();
    }
    of.there.wait(1, memory_order_acquire);
  }
  void finish() { require(ended == workers, "both teams end"); }
};

}  // namespace

TEST(team_order_model, teams_that_share_workers_end) {
  holds<two_teams<brief_lock<model_sync>>>({.model = memory_model::pso});
  holds<two_teams<brief_lock<model_sync>>>(weak);
}
TEST(team_order_mutant, teams_that_enter_without_a_lock_are_caught) { fails<two_teams<no_lock>>("deadlock"); }
