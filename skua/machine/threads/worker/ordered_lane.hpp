// SPDX-License-Identifier: MIT
// The lane `ordered` of a worker: its tasks in the order of their strategies, and what it knows of the other workers' tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/ordered/ordered_store.hpp"
#include "skua/parts/topology/layout.hpp"

namespace skua::inline v0::runtime {

class ordered_lane {
 public:
  /// `obeys`: strategies count; else all tasks have the root's order. Throws std::bad_alloc.
  ordered_lane(worker_id self, layout const& map, bool obeys)
      : distances_(distances_from(self, map)), tasks_(requester{self, false, distances_}), self_(self), obeys_(obeys),
        readers_(map.workers()) {}

  // For the owner.
  [[nodiscard]] bool push(offered_task const& t) noexcept {
    return tasks_.push(obeys_ ? t : offered_task{.task = t.task});
  }
  [[nodiscard]] outcome pop(taken_task& out) noexcept { return tasks_.pop(out); }
  /// Takes the task of `victim` that goes first in our order, and moves more to this lane, up to half of the weight.
  [[nodiscard]] outcome steal_half(worker_id number, ordered_lane& victim, taken_task& out) noexcept {
    if (victim.looks_empty()) return outcome::empty;
    auto& reader = readers_[index(number)];
    try {
      if (reader == nullptr) reader = std::make_unique<ordered_store<>::reader>(requester{self_, true, distances_});
    } catch (std::bad_alloc const&) {
      return outcome::lost;
    }
    return victim.tasks_.steal_half(*reader, tasks_, out);
  }

  /// Hints. Any thread.
  [[nodiscard]] std::uint64_t size() const noexcept {
    std::int64_t const n = tasks_.size();
    return n > 0 ? static_cast<std::uint64_t>(n) : 0;
  }
  [[nodiscard]] bool looks_empty() const noexcept { return tasks_.looks_empty(); }

 private:
  static std::vector<std::uint32_t> distances_from(worker_id self, layout const& map) {
    std::vector<std::uint32_t> all(map.workers());
    for (std::uint32_t w = 0; w < map.workers(); ++w) all[w] = map.distance(self, worker_id{w});
    return all;
  }

  std::vector<std::uint32_t> const distances_;
  ordered_store<> tasks_;
  worker_id const self_;
  bool const obeys_;
  std::vector<std::unique_ptr<ordered_store<>::reader>> readers_;  ///< by victim; null: never stolen from
};

}  // namespace skua::inline v0::runtime
