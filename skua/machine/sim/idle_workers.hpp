// SPDX-License-Identifier: MIT
// Which idle workers search, which sleep, and since when. The rules are those of the threads machine
// (machine/threads/engine/sleep/sleep.md), without its races.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class idle_workers {
 public:
  explicit idle_workers(std::uint32_t workers) : states_(workers) {}

  /// The worker ran out of work at `now`, or was woken, and searches.
  void search(worker_id w, tick now) {
    state& s = states_[index(w)];
    if (s.activity == activity::sleeping) --asleep_;
    if (s.activity != activity::searching) ++searching_;
    s = {activity::searching, now};
  }
  /// The sleeping worker is woken, and searches from `at` on.
  void wake(worker_id w, tick at) {
    search(w, at);
    states_[index(w)].was_woken = true;
  }
  /// The worker has found work.
  void found(worker_id w) {
    if (states_[index(w)].activity == activity::searching) --searching_;
    states_[index(w)].activity = activity::running;
  }
  void sleep(worker_id w) {
    found(w);
    states_[index(w)].activity = activity::sleeping;
    ++asleep_;
  }

  [[nodiscard]] bool searches(worker_id w) const { return states_[index(w)].activity == activity::searching; }
  [[nodiscard]] bool sleeps(worker_id w) const { return states_[index(w)].activity == activity::sleeping; }
  /// True if it searches because it was woken, and has not slept since.
  [[nodiscard]] bool was_woken(worker_id w) const { return searches(w) && states_[index(w)].was_woken; }
  [[nodiscard]] tick since(worker_id w) const { return states_[index(w)].since; }
  [[nodiscard]] std::uint32_t searching() const noexcept { return searching_; }
  [[nodiscard]] std::uint32_t asleep() const noexcept { return asleep_; }

  /// The sleeper with the lowest number: with little to do, the region shrinks to its first workers.
  [[nodiscard]] std::optional<worker_id> first_sleeper() const {
    if (asleep_ == 0) return {};
    for (std::uint32_t w = 0; w < states_.size(); ++w) {
      if (states_[w].activity == activity::sleeping) return worker_id{w};
    }
    return {};
  }

 private:
  enum class activity : std::uint8_t { running, searching, sleeping };
  struct state {
    idle_workers::activity activity = idle_workers::activity::running;
    tick since = 0;
    bool was_woken = false;
  };

  std::vector<state> states_;
  std::uint32_t searching_ = 0;
  std::uint32_t asleep_ = 0;
};

}}}  // namespace skua::v0::sim
