// SPDX-License-Identifier: MIT
// The lane `ordered` of a worker: its tasks in the order of their strategies, and its readers of the other workers' tasks.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "skua/parts/base/ids.hpp"
#include "skua/parts/ordered/ordered_store.hpp"
#include "skua/parts/ordered/urgency_board.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// What the lanes of a region share.
using region_urgency = urgency_board<ordered_store<>>;

class ordered_lane {
 public:
  /// `distances`: to each worker, 0 to itself. `obeys`: strategies count; else all tasks have the root's order. Throws
  /// std::bad_alloc.
  ordered_lane(worker_id self, std::vector<std::uint32_t> distances, bool obeys)
      : distances_(std::move(distances)), tasks_(requester{self, false, distances_}), self_(self), obeys_(obeys),
        readers_(distances_.size()) {}

  // For the owner.

  /// From now on this worker exchanges urgent tasks with the others on the board, which outlives the lane. `period`: between two looks,
  /// in the unit of the clock that bring_urgent reads.
  void exchange_urgent(region_urgency& with, std::uint64_t period) noexcept {
    watch_.emplace(with, self_, tasks_, period);
  }
  [[nodiscard]] bool push(offered_task const& t) noexcept {
    bool const pushed = tasks_.push(obeys_ ? t : offered_task{.task = t.task, .group = t.group});
    if (t.kind != nullptr && t.kind->global_key != nullptr && watch_ && pushed) watch_->pushed();
    return pushed;
  }
  /// Before a pop: moves a task of another worker here if it is more urgent than the first one here, and a look is due.
  /// `now()` reads the clock; it is called only if it is needed.
  template <class Now>
  [[nodiscard]] std::optional<brought_task> bring_urgent(Now&& now) noexcept {
    return watch_ ? watch_->look(now) : std::nullopt;
  }
  /// Looks at the other workers' urgency so far.
  [[nodiscard]] std::uint64_t looks() const noexcept { return watch_ ? watch_->looks() : 0; }
  [[nodiscard]] outcome pop(taken_task& out) noexcept { return popped(tasks_.pop(out)); }
  /// The same if that task is of this group; else empty.
  [[nodiscard]] outcome pop_of(void const* group, taken_task& out) noexcept {
    return popped(tasks_.pop_of(group, out));
  }
  /// A dead task that this lane has swept or stolen, which the owner drops before it does other work; null: none is left.
  [[nodiscard]] void* pop_swept() noexcept { return tasks_.pop_swept(); }
  [[nodiscard]] std::size_t swept() const noexcept { return tasks_.swept(); }
  /// True if the first task is of this group. A hint: a thief may have just taken it.
  [[nodiscard]] bool first_is_of(void const* group) noexcept { return tasks_.first_is_of(group); }
  /// Takes the task of `victim`, which is worker `number`, that goes first in our order.
  [[nodiscard]] outcome steal(worker_id number, ordered_lane& victim, taken_task& out) noexcept {
    if (victim.looks_empty()) return outcome::empty;
    auto* const reader = reader_of(number);
    return reader == nullptr ? outcome::lost : victim.tasks_.steal(*reader, out);
  }
  /// As steal; then moves more tasks to this lane, up to half of the weight.
  [[nodiscard]] outcome steal_half(worker_id number, ordered_lane& victim, taken_task& out) noexcept {
    if (victim.looks_empty()) return outcome::empty;
    auto* const reader = reader_of(number);
    return reader == nullptr ? outcome::lost : victim.tasks_.steal_half(*reader, tasks_, out);
  }
  /// For any thread: takes the oldest task of this group.
  [[nodiscard]] outcome take_of(void const* group, taken_task& out) noexcept { return tasks_.take_of(group, out); }
  /// Calls of comparators by the owner so far: for its own tasks, and for those of `victim`.
  [[nodiscard]] std::uint64_t comparisons(worker_id victim) const noexcept {
    auto const& reader = readers_[index(victim)];
    return tasks_.comparisons() + (reader == nullptr ? 0 : reader->comparisons());
  }

  /// Hints. Any thread.
  [[nodiscard]] std::uint64_t size() const noexcept {
    std::int64_t const n = tasks_.size();
    return n > 0 ? static_cast<std::uint64_t>(n) : 0;
  }
  [[nodiscard]] bool looks_empty() const noexcept { return tasks_.looks_empty(); }

 private:
  outcome popped(outcome how) noexcept {
    if (watch_) watch_->popped();
    return how;
  }
  /// Returns null if there is no memory for it.
  ordered_store<>::reader* reader_of(worker_id victim) noexcept {
    auto& reader = readers_[index(victim)];
    try {
      if (reader == nullptr) reader = std::make_unique<ordered_store<>::reader>(requester{self_, true, distances_});
    } catch (std::bad_alloc const&) {}
    return reader.get();
  }
  std::vector<std::uint32_t> const distances_;
  ordered_store<> tasks_;
  worker_id const self_;
  bool const obeys_;
  std::optional<urgency_watch<ordered_store<>>> watch_;            ///< none: the worker runs its own tasks first
  std::vector<std::unique_ptr<ordered_store<>::reader>> readers_;  ///< by victim; null: never stolen from
};

}}}  // namespace skua::v0::runtime
