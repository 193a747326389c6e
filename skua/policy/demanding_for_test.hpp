// SPDX-License-Identifier: MIT
// A policy that asks its machine for what no shipped policy needs yet: times, a second question for tasks that are
// popped, teams. Otherwise it steals at random.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string_view>
#include <variant>

#include "skua/policy/random.hpp"

namespace skua { inline namespace v0 { namespace policies {

struct demands {
  policy_needs needs{};
  std::uint16_t width = 1;  ///< of every placement but those after a refusal
  bool fits = false;        ///< ... cut to the workers that there are
  bool sends = false;       ///< every other chosen task goes to the next worker
};

/// What all its workers saw. Any thread.
struct seen_demands {
  std::atomic<std::uint64_t> chosen{0};
  std::atomic<std::uint64_t> sent{0};
  std::atomic<std::uint64_t> migrated{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> ended{0};
  std::atomic<std::uint64_t> waits{0};
  std::atomic<std::uint64_t> ran_ns{0};
  std::atomic<std::uint64_t> rests{0};
  std::atomic<std::uint64_t> first_touches{0};
};

class demanding_worker final : public worker_policy {
 public:
  demanding_worker(worker_policy& thief, worker_id self, std::uint32_t workers, demands const& by, seen_demands& seen)
      : thief_(thief), self_(self), workers_(workers), by_(by), seen_(seen) {}

  task_tag mark(task_tag& parent, hint const& hint) noexcept override { return thief_.mark(parent, hint); }
  placement place(task_tag& task, cause why) noexcept override {
    if (why == cause::refused) ++seen_.refused;
    if (why == cause::chosen) ++seen_.chosen;
    if (why == cause::chosen && by_.sends && (is_odd_ = !is_odd_) && workers_ > 1) {
      ++seen_.sent;
      return {.worker = worker_id{(index(self_) + 1) % workers_}, .lane = lane::migrated};
    }
    placement to = why == cause::chosen || why == cause::refused ? placement{.worker = self_, .lane = lane::inbox}
                                                                 : thief_.place(task, why);
    std::uint32_t const most = by_.fits ? workers_ - index(to.worker) : by_.width;
    if (why != cause::refused) to.width = static_cast<std::uint16_t>(std::min<std::uint32_t>(by_.width, most));
    return to;
  }
  probe next_probe() noexcept override {
    looks_home_ = !looks_home_ && by_.needs.lanes.has(lane::migrated);
    if (looks_home_) return {.kind = action::pop, .lane = lane::migrated, .victim = self_};
    return thief_.next_probe();
  }
  void learn(event const& what) noexcept override {
    if (auto const* p = std::get_if<probed>(&what); p != nullptr && p->probe.lane == lane::migrated) {
      if (p->outcome == runtime::outcome::got) ++seen_.migrated;
      return;
    }
    if (auto const* e = std::get_if<ended>(&what)) {
      seen_.ran_ns += e->duration_ns;
      ++seen_.ended;
    }
    if (std::holds_alternative<waiting>(what)) ++seen_.waits;
    if (auto const* r = std::get_if<rested>(&what)) {
      ++seen_.rests;
      if (r->first_touches) ++seen_.first_touches;
    }
    thief_.learn(what);
  }

 private:
  worker_policy& thief_;
  worker_id const self_;
  std::uint32_t const workers_;
  demands const by_;
  seen_demands& seen_;
  bool is_odd_ = false;
  bool looks_home_ = false;
};

class demanding final : public policy {
 public:
  /// `seen` outlives this.
  demanding(layout const& where, std::uint64_t seed, demands const& by, seen_demands& seen)
      : by_(by), thieves_(where, seed) {
    for (std::uint32_t w = 0; w < where.workers(); ++w)
      workers_.emplace_back(thieves_.of_worker(worker_id{w}), worker_id{w}, where.workers(), by, seen);
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "demanding"; }
  [[nodiscard]] policy_needs needs() const noexcept override { return by_.needs; }
  worker_policy& of_worker(worker_id w) noexcept override { return workers_[index(w)]; }

 private:
  demands const by_;
  random_stealing thieves_;
  std::deque<demanding_worker> workers_;
};

}}}  // namespace skua::v0::policies
