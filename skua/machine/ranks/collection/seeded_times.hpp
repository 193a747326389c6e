// SPDX-License-Identifier: MIT
// How much the times of a rank's tasks have changed since the iteration before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace skua { inline namespace v0 { namespace ranks {

/// A rank runs the tasks that it was seeded with in the order of their last record, and takes tasks of others only after the last
/// of them; thieves take from the end. So the tasks of its record are, up to the first one that came from another rank, a prefix of the
/// seeded ones. Known for ranks with one worker; a task that returns null,
/// and tasks of a rank that died, shift those behind them: the change is then overestimated once.
class seeded_times {
 public:
  /// restore(): the last times of the tasks, in the order in which they will run.
  void seed(std::span<std::uint64_t const> times_ns) { times_.assign(times_ns.begin(), times_ns.end()); }
  /// process() begins with so many tasks. If there are others than those seeded, no time is known.
  void begin(std::uint64_t tasks) noexcept {
    if (tasks != times_.size()) times_.clear();
    own_ = times_.size();
    is_open_ = true;
  }
  /// A task has come from another rank, and so many have been recorded. Only the first call of an iteration counts.
  void tasks_arrived(std::uint64_t recorded) noexcept {
    if (is_open_) own_ = std::min<std::uint64_t>(own_, recorded);
    is_open_ = false;
  }

  struct sums {
    std::uint64_t differs_ns = 0;  ///< of |now - then|
    std::uint64_t then_ns = 0;     ///< 0: no time is known
  };
  /// `now`: the record of the process() that ended.
  [[nodiscard]] sums compare(std::span<std::uint64_t const> now) const noexcept {
    sums s;
    for (std::size_t i = 0; i < std::min<std::size_t>(own_, now.size()); ++i) {
      s.differs_ns += std::max(now[i], times_[i]) - std::min(now[i], times_[i]);
      s.then_ns += times_[i];
    }
    return s;
  }

 private:
  std::vector<std::uint64_t> times_;
  std::uint64_t own_ = 0;
  bool is_open_ = false;
};

}}}  // namespace skua::v0::ranks
