// SPDX-License-Identifier: MIT
// For tests of what a machine tells its policy: random stealing with ears, and with answers that a test chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "skua/policy/random.hpp"
#include "skua/skua.hpp"

namespace skua { inline namespace v0 { namespace testing {

/// What a test hears and answers; whatever is unset is as under random stealing. Any worker calls them.
struct ears {
  policies::policy_needs needs{};
  bool sees_forks = false;
  std::function<void(worker_id, policies::event const&)> heard = [](worker_id, policies::event const&) {};
  std::function<void(worker_id, runtime::hint const&)> marked = [](worker_id, runtime::hint const&) {};
  std::function<std::optional<policies::placement>(worker_id, policies::task_tag&, policies::cause)> placed =
      [](worker_id, policies::task_tag&, policies::cause) { return std::nullopt; };
  std::function<void(worker_id, policies::task_tag const&)> met = [](worker_id, policies::task_tag const&) {};
};

/// Each tag that it writes has a number of its own in the second word.
class listening_worker final : public policies::worker_policy {
 public:
  listening_worker(policies::worker_policy& thief, worker_id self, ears const& of)
      : thief_(thief), self_(self), of_(of) {
    for (policies::lane const l : {policies::lane::mailbox, policies::lane::local, policies::lane::migrated}) {
      if (of.needs.lanes.has(l)) own_.push_back(l);
    }
  }

  policies::task_tag mark(policies::task_tag& parent, runtime::hint const& hinted) noexcept override {
    of_.marked(self_, hinted);
    policies::task_tag child = thief_.mark(parent, hinted);
    child.words[1] = ++marks_ * 1000 + index(self_);
    return child;
  }
  policies::task_tag meet(policies::task_tag& task, double total_work, std::uint64_t n) noexcept override {
    of_.met(self_, task);
    policies::task_tag group = thief_.meet(task, total_work, n);
    group.words[1] = ++marks_ * 1000 + index(self_);
    return group;
  }
  policies::placement place(policies::task_tag& task, policies::cause why) noexcept override {
    if (auto const chosen = of_.placed(self_, task, why)) return *chosen;
    return thief_.place(task, why);
  }
  /// Its own lanes first.
  policies::probe next_probe() noexcept override {
    if (next_ < own_.size()) return {.kind = policies::action::pop, .lane = own_[next_++], .victim = self_};
    policies::probe const theirs = thief_.next_probe();
    if (theirs.kind == policies::action::rest) next_ = 0;
    return theirs;
  }
  void learn(policies::event const& seen) noexcept override {
    of_.heard(self_, seen);
    auto const* const p = std::get_if<policies::probed>(&seen);
    if (p != nullptr && p->outcome == runtime::outcome::got) next_ = 0;
    if (p == nullptr || !is_own(p->probe.lane)) thief_.learn(seen);
  }
  [[nodiscard]] bool sees_forks() const noexcept override { return of_.sees_forks; }

 private:
  [[nodiscard]] bool is_own(policies::lane where) const noexcept {
    return !policies::is_built_always(where) && of_.needs.lanes.has(where);
  }

  policies::worker_policy& thief_;
  worker_id const self_;
  ears const& of_;
  std::vector<policies::lane> own_;
  std::size_t next_ = 0;
  std::uint64_t marks_ = 0;
};

class listening final : public policies::policy {
 public:
  /// `of` outlives this.
  listening(runtime::layout const& where, std::uint64_t seed, ears const& of) : of_(of), thieves_(where, seed) {
    for (std::uint32_t w = 0; w < where.workers(); ++w)
      workers_.emplace_back(thieves_.of_worker(worker_id{w}), worker_id{w}, of);
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "listening"; }
  [[nodiscard]] policies::policy_needs needs() const noexcept override { return of_.needs; }
  policies::worker_policy& of_worker(worker_id w) noexcept override { return workers_[index(w)]; }

 private:
  ears const& of_;
  policies::random_stealing thieves_;
  std::deque<listening_worker> workers_;
};

/// A region of the whole pool under such a policy.
inline auto open_listening(skua::pool& in, ears const& of) {
  return in.open_region([&of](policies::policy_setup const& from) -> std::unique_ptr<policies::policy> {
    return std::make_unique<listening>(from.layout, from.seed, of);
  });
}

}}}  // namespace skua::v0::testing
