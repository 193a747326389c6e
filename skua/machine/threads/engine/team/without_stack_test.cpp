// SPDX-License-Identifier: MIT
// A member of a team that waits without a stack: its worker takes no member of another team on top of it (team.md, "Without a stack").
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "skua/machine/threads/engine/loop/no_more_stacks_for_test.hpp"
#include "skua/machine/threads/engine/team/gambling_for_test.hpp"
#include "skua/skua.hpp"
#include "tests/programs/this_thread.hpp"
#include "tests/programs/wait_until.hpp"

namespace {

using namespace skua::testing;
using skua::worker_id;

/// What both workers' policies tell the test.
struct told {
  std::atomic<int> teams{0};                  ///< that have been formed
  std::array<std::atomic<int>, 2> in_vain{};  ///< looks into the worker's inbox, since there are two teams
};

/// Random stealing; each moldable task is a team of both workers.
class wide_worker final : public worker_policy {
 public:
  wide_worker(worker_policy& by, worker_id self, told& to) : inner_(by), self_(self), told_(to) {}
  task_tag mark(task_tag& parent, skua::runtime::hint const& hinted) noexcept override {
    task_tag child = inner_.mark(parent, hinted);
    child.words[0] = hinted.type && hinted.type.value().moldable != 0 ? 1 : 0;
    return child;
  }
  placement place(task_tag& task, cause why) noexcept override {
    if (why == cause::released || why == cause::unblocked) return {self_, lane::migrated};
    bool const may_choose = why == cause::chosen || why == cause::stolen;
    if (!may_choose || std::exchange(task.words[0], 0) == 0) return inner_.place(task, why);
    told_.teams.fetch_add(1);
    return {worker_id{0}, lane::inbox, 2};
  }
  probe next_probe() noexcept override {
    if (!asked_migrated_) return {.kind = action::pop, .lane = lane::migrated, .victim = self_};
    return inner_.next_probe();
  }
  void learn(event const& seen) noexcept override {
    auto const* const p = std::get_if<probed>(&seen);
    if (p != nullptr && p->probe.lane == lane::migrated) {
      asked_migrated_ = p->outcome != skua::runtime::outcome::got;
      return;
    }
    asked_migrated_ = false;
    if (p != nullptr && p->probe.lane == lane::inbox && p->outcome == skua::runtime::outcome::empty &&
        told_.teams.load() == 2)
      told_.in_vain[index(self_)].fetch_add(1);
    inner_.learn(seen);
  }

 private:
  worker_policy& inner_;
  worker_id const self_;
  told& told_;
  bool asked_migrated_ = false;
};

class wide final : public policy {
 public:
  wide(skua::layout const& where, std::uint64_t seed, told& to) : inner_(where, seed) {
    for (std::uint32_t w = 0; w < where.workers(); ++w)
      all_.push_back(std::make_unique<wide_worker>(inner_.of_worker(worker_id{w}), worker_id{w}, to));
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "wide"; }
  [[nodiscard]] policy_needs needs() const noexcept override {
    policy_needs all = inner_.needs();
    all.lanes = {lane::migrated};
    all.times = all.chosen = all.released = skua::policies::which_tasks::all;
    return all;
  }
  worker_policy& of_worker(worker_id w) noexcept override { return *all_[index(w)]; }

 private:
  skua::policies::random_stealing inner_;
  std::vector<std::unique_ptr<wide_worker>> all_;
};

}  // namespace

/// One worker runs the members of two teams, whose other members wait in the inbox of a worker that is busy. The first member waits at
/// its barrier, without a stack, while its worker looks for other work: the second one lies in its inbox, and stays there.
TEST(team_without_stack, takes_no_member_of_another_team_on_top) {
  if (!no_more_stacks::is_possible) GTEST_SKIP() << "the sanitizer lives in the address space";
  told by_policy;
  skua::pool pool({.workers = 2, .stack_bytes = no_more_stacks::bytes});
  auto region = pool.open_region([&](policy_setup const& from) -> std::unique_ptr<policy> {
    return std::make_unique<wide>(from.layout, from.seed, by_policy);
  });
  no_more_stacks const refused;

  std::atomic<bool> is_busy{false};
  std::atomic<long> runs_first{0};  // thread of the worker that forms the teams
  std::atomic<int> on_stack{0};     // members there that have begun and not ended
  std::atomic<bool> overlapped{false};
  std::atomic<int> members{0};
  region.run([&](auto& here) {
    here.join(
        [&](auto& h) {
          wait_until("the other worker is busy", [&] { return is_busy.load(); });
          runs_first = this_thread_number();
          run_teams(h, 2, [&](auto& team, int) {
            EXPECT_EQ(team.width(), 2U);
            members.fetch_add(1);
            bool const is_first = this_thread_number() == runs_first.load();
            if (is_first && on_stack.fetch_add(1) > 0) overlapped = true;
            team.barrier();
            if (is_first) on_stack.fetch_sub(1);
          });
        },
        [&](auto&) {
          is_busy = true;
          wait_until("the first member waits, and its worker has looked into its inbox", [&] {
            int const looks = by_policy.in_vain[0].load() + by_policy.in_vain[1].load();
            return overlapped.load() || (on_stack.load() == 1 && looks > 3);
          });
        });
  });
  EXPECT_FALSE(overlapped.load());
  EXPECT_EQ(members.load(), 4);
  std::uint64_t in_place = 0;
  for (auto const& w : pool.counters()) in_place += w.waited_in_place;
  EXPECT_GE(in_place, 2U) << "the flow and the first member wait without a stack";
}
