// SPDX-License-Identifier: MIT
// A machine and a policy for tests of the protocol checker: each step is right unless the test makes it wrong.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/script_for_test.hpp"

namespace skua { inline namespace v0 { namespace policies {
constexpr placement on(std::uint32_t w, lane where) { return {.worker = worker_id{w}, .lane = where}; }

/// Answers what the test says; every tag that it writes is a new one.
struct obliging final : worker_policy {
  task_tag meet(task_tag&, double, std::uint64_t) noexcept override { return fresh(); }
  task_tag mark(task_tag& parent, hint const&) noexcept override {
    ++parent.words[3];
    return fresh();
  }
  placement place(task_tag&, cause) noexcept override { return to; }
  void leave(task_tag const&, task_tag const&) noexcept override {}
  probe next_probe() noexcept override { return next; }
  void learn(event const&) noexcept override {}
  [[nodiscard]] bool sees_forks() const noexcept override { return sees; }
  [[nodiscard]] bool admits(std::uint64_t) const noexcept override { return true; }
  task_tag fresh() noexcept { return {{++made, 7, 7, 7}}; }

  probe next{.kind = action::pop, .lane = lane::injected, .victim = worker_id{0}};
  placement to = on(0, lane::local);
  bool sees = true;
  std::uint64_t made = 0;
};

/// Worker 0 of four. Each step below is right; a test leaves one out, or adds one.
class protocol : public ::testing::Test {
 protected:
  struct one_obliging final : policy {
    obliging worker;
    [[nodiscard]] std::string_view name() const noexcept override { return "obliging"; }
    [[nodiscard]] policy_needs needs() const noexcept override {
      return {.lanes = {lane::mailbox, lane::local, lane::migrated},
              .times = skua::policies::which_tasks::all,
              .chosen = skua::policies::which_tasks::all,
              .released = skua::policies::which_tasks::all,
              .rests = true};
    }
    worker_policy& of_worker(worker_id) noexcept override { return worker; }
  };

  explicit protocol(std::uint64_t most_refusals = 10)
      : checker_(policy_, 4, {.aborts = false, .most_refusals = most_refusals}), m(checker_.of_worker(worker_id{0})) {}

  void take(probe const& p) {
    says.next = p;
    EXPECT_EQ(m.next_probe(), p);
    EXPECT_TRUE(p.kind == action::pop || m.admits(0));
    m.learn(probed{p, runtime::outcome::got});
  }
  static constexpr probe from_outside{.kind = action::pop, .lane = lane::injected, .victim = worker_id{0}};
  static constexpr probe from_forks{.kind = action::steal, .lane = lane::forks, .victim = worker_id{2}};
  static constexpr probe from_local{.kind = action::steal, .lane = lane::local, .victim = worker_id{2}};

  task_tag root() {
    take(from_outside);
    task_tag t{};
    m.place(t, cause::injected);
    m.learn(begun{t});
    return t;
  }
  /// A group of three: the first child is sent to worker 1, the second is kept.
  struct group {
    task_tag of_task{}, own{}, rest{}, child{};
  };
  group meet(task_tag const& task, std::uint64_t n = 3) {
    group g{.of_task = task};
    g.own = m.meet(g.of_task, 0, n);
    g.rest = g.own;
    return g;
  }
  void mark_and_place(group& g, placement to) {
    g.child = m.mark(g.rest, {});
    says.to = to;
    m.place(g.child, cause::forked);
    says.to = on(0, lane::local);
  }
  group half_done(task_tag const& task) {
    group g = meet(task);
    mark_and_place(g, on(1, lane::migrated));
    mark_and_place(g, on(0, lane::local));
    return g;
  }
  /// A node has ended, and this worker holds the one that waited for it.
  task_tag next_after_the_end() {
    task_tag const node = root();
    task_tag seen = node;
    task_tag next = m.mark(seen, {});
    m.place(next, cause::unblocked);
    m.learn(ended{node});
    return next;
  }
  void come_back(group const& g) { m.learn(returned{g.child}); }
  void leave(group const& g) { m.leave(g.of_task, g.own); }

  std::string verdict() const {
    std::vector<std::string> const all = checker_.breaches();
    return all.empty() ? "" : all.front();
  }

  one_obliging policy_;
  protocol_checker checker_;
  obliging& says = policy_.worker;
  worker_policy& m;
};

}}}  // namespace skua::v0::policies
