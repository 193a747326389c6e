// SPDX-License-Identifier: MIT
// For tests of teams: a policy that gives every moldable task a random partition, watched by the protocol checker.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "skua/parts/base/dice.hpp"
#include "skua/policy/protocol_checker.hpp"
#include "skua/policy/random.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace testing {

using policies::action, policies::cause, policies::event, policies::lane, policies::placement, policies::policy;
using policies::policy_needs, policies::policy_setup, policies::probe, policies::probed, policies::task_tag;
using policies::worker_policy;

/// Random stealing, but spawned tasks wait in the `migrated` lane of a random worker, and moldable ones run on a random
/// partition, which need not contain the worker that takes them. One that `sends_nothing` leaves spawned tasks where they are.
class gambling_worker final : public worker_policy {
 public:
  gambling_worker(worker_policy& inner, worker_id self, std::uint32_t workers, std::uint64_t seed, bool sends_nothing)
      : inner_(inner), self_(self), workers_(workers), sends_nothing_(sends_nothing), roll_(seed + index(self)) {}

  task_tag mark(task_tag& parent, runtime::hint const& hinted) noexcept override {
    task_tag child = inner_.mark(parent, hinted);
    child.words[0] = hinted.type && hinted.type.value().moldable != 0 ? 1 : 0;
    return child;
  }
  placement place(task_tag& task, cause why) noexcept override {
    if (why == cause::released || why == cause::unblocked)
      return {sends_nothing_ ? self_ : worker_id{roll_.below(workers_)}, lane::migrated};
    bool const may_choose = why == cause::chosen || why == cause::stolen;
    if (!may_choose || task.words[0] == 0) return inner_.place(task, why);
    std::uint32_t const leader = roll_.below(workers_);
    auto const width = static_cast<std::uint16_t>(1 + roll_.below(workers_ - leader));
    task.words[0] = 0;
    return width == 1 ? placement{self_, lane::inbox} : placement{worker_id{leader}, lane::inbox, width};
  }
  probe next_probe() noexcept override {
    if (!asked_migrated_) return {.kind = action::pop, .lane = lane::migrated, .victim = self_};
    return inner_.next_probe();
  }
  void learn(event const& seen) noexcept override {
    if (auto const* p = std::get_if<probed>(&seen); p != nullptr && p->probe.lane == lane::migrated) {
      asked_migrated_ = p->outcome != runtime::outcome::got;
      return;
    }
    asked_migrated_ = false;
    inner_.learn(seen);
  }

 private:
  worker_policy& inner_;
  worker_id const self_;
  std::uint32_t const workers_;
  bool const sends_nothing_;
  runtime::dice roll_;
  bool asked_migrated_ = false;
};

class gambling final : public policy {
 public:
  gambling(layout const& where, std::uint64_t seed, bool sends_nothing) : inner_(where, seed) {
    for (std::uint32_t w = 0; w < where.workers(); ++w)
      all_.push_back(std::make_unique<gambling_worker>(inner_.of_worker(worker_id{w}), worker_id{w}, where.workers(),
                                                       seed, sends_nothing));
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "gambling"; }
  [[nodiscard]] policy_needs needs() const noexcept override {
    policy_needs all = inner_.needs();
    all.lanes = {lane::migrated};
    all.times = all.chosen = all.released = skua::policies::which_tasks::all;
    return all;
  }
  worker_policy& of_worker(worker_id w) noexcept override { return *all_[index(w)]; }

 private:
  policies::random_stealing inner_;
  std::vector<std::unique_ptr<gambling_worker>> all_;
};

inline auto gamble(std::uint64_t seed, bool sends_nothing = false) {
  return [=](policy_setup const& from) -> std::unique_ptr<policy> {
    return std::make_unique<policies::protocol_checker>(std::make_unique<gambling>(from.layout, seed, sends_nothing),
                                                        from.layout.workers());
  };
}

/// body(here) in a region whose policy gambles.
template <class Body>
void with_teams(std::uint32_t workers, std::uint64_t seed, Body&& body) {
  skua::pool pool({.workers = workers});
  auto region = pool.open_region(gamble(seed));
  region.run([&](auto& here) { body(here); });
}

/// Runs `n` teams, independent of each other; each member of each team must come by once.
void run_teams(auto& here, int n, auto&& body) {
  flow graph(here);
  for (int i = 0; i < n; ++i) graph.add_team([&body, i](auto& team) { body(team, i); });
  graph.run(here);
}

}}}  // namespace skua::v0::testing
