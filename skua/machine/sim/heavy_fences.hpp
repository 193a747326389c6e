// SPDX-License-Identifier: MIT
// When heavy fences began, and which of them have yet to interrupt each worker. (heavy_fences.md)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "skua/machine/sim/costs.hpp"
#include "skua/parts/base/ids.hpp"

namespace skua { inline namespace v0 { namespace sim {

class heavy_fences {
 public:
  explicit heavy_fences(std::uint32_t workers) : seen_(workers, 0), runs_from_(workers, 0) {}

  /// `caller` starts a fence at `now`. The kernel executes one at a time. Returns when this one ends.
  tick call(worker_id caller, tick now, tick length) {
    tick const begin = std::max(now, free_);
    free_ = begin + length;
    log_.push_back({begin, caller});
    return free_;
  }

  /// The sleeper `w` has a processor again from `at` on.
  void wakes(worker_id w, tick at) { runs_from_[index(w)] = at; }

  /// How many fences of other workers interrupted `w` since the last call; `w` moves at `now`.
  [[nodiscard]] std::uint64_t interrupting(worker_id w, tick now) {
    return seen_[index(w)] == log_.size() ? 0 : count(w, now);
  }

 private:
  struct fence {
    tick begin;
    worker_id caller;
  };

  std::uint64_t count(worker_id w, tick now) {
    std::size_t& seen = seen_[index(w)];
    std::uint64_t others = 0;
    for (; seen < log_.size() && log_[seen].begin <= now; ++seen)
      others += log_[seen].caller != w && log_[seen].begin >= runs_from_[index(w)] ? 1 : 0;
    return others;
  }

  std::vector<fence> log_;  ///< invariant: their times ascend
  std::vector<std::size_t> seen_;
  std::vector<tick> runs_from_;  ///< when it last woke
  tick free_ = 0;                ///< when the last one ends
};

}}}  // namespace skua::v0::sim
