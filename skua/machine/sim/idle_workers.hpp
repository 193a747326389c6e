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
  explicit idle_workers(std::uint32_t workers) : of_(workers) {}

  /// The worker ran out of work at `now`, or was woken, and searches.
  void search(worker_id w, tick now) {
    state& s = of_[index(w)];
    if (s.what == activity::sleeping) --asleep_;
    if (s.what != activity::searching) ++searching_;
    s = {activity::searching, now};
  }
  /// The worker has found work.
  void found(worker_id w) {
    if (of_[index(w)].what == activity::searching) --searching_;
    of_[index(w)].what = activity::running;
  }
  void sleep(worker_id w) {
    found(w);
    of_[index(w)].what = activity::sleeping;
    ++asleep_;
  }

  [[nodiscard]] bool searches(worker_id w) const { return of_[index(w)].what == activity::searching; }
  [[nodiscard]] bool sleeps(worker_id w) const { return of_[index(w)].what == activity::sleeping; }
  [[nodiscard]] tick since(worker_id w) const { return of_[index(w)].since; }
  [[nodiscard]] std::uint32_t searching() const noexcept { return searching_; }
  [[nodiscard]] std::uint32_t asleep() const noexcept { return asleep_; }

  /// The sleeper with the lowest number: with little to do, the region shrinks to its first workers.
  [[nodiscard]] std::optional<worker_id> first_sleeper() const {
    if (asleep_ == 0) return {};
    for (std::uint32_t w = 0; w < of_.size(); ++w) {
      if (of_[w].what == activity::sleeping) return worker_id{w};
    }
    return {};
  }

 private:
  enum class activity : std::uint8_t { running, searching, sleeping };
  struct state {
    activity what = activity::running;
    tick since = 0;
  };

  std::vector<state> of_;
  std::uint32_t searching_ = 0;
  std::uint32_t asleep_ = 0;
};

}}}  // namespace skua::v0::sim
