// SPDX-License-Identifier: MIT
// Makes a record of many small steals coarser and more even, with the measured times of its pieces. Beyond the papers;
// rules: refinement.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "skua/parts/base/sync.hpp"
#include "skua/policy/replay/facts.hpp"
#include "skua/policy/replay/pieces.hpp"
#include "skua/policy/replay/rehearsal.hpp"

namespace skua { inline namespace v0 { namespace policies { namespace replay {

/// A group that a task met in a measured iteration.
struct met_group {
  std::uint64_t path = 0;
  std::uint64_t task = 0;        ///< the path of the task that met it
  std::uint64_t outer_path = 0;  ///< the path of the group of which that task is a child; 1: it is the root
  std::uint32_t task_index = 0;  ///< which child of that group
  std::uint32_t last = 0;        ///< children before this one may have entries in the record
  std::uint32_t met_by = 0;      ///< the worker
  std::uint64_t log_index = 0;   ///< position in the log; the refinement sorts by it
};

/// A child that went through a lane in a measured iteration.
struct sent_child {
  std::uint64_t path = 0;
  std::uint64_t group_path = 0;  ///< the path of its group
  std::uint32_t index = 0;       ///< in its group
  std::uint64_t ns = 0;          ///< its own stack's time, without the children that it sent
};

/// What the workers of a region note in measured iterations, in memory that is allocated once.
template <class Entry>
class shared_log {
 public:
  explicit shared_log(std::size_t capacity) : entries_(capacity) {}  ///< Throws std::bad_alloc.

  /// Any worker may note. An entry is lost if the log is full.
  void note(Entry const& e) noexcept {
    std::size_t const at =
        next_.fetch_add(1, std::memory_order_relaxed);  // relaxed: the iteration's end publishes the entry
    if (at < entries_.size()) entries_[at] = e;
  }
  /// Only for the worker that runs the root, between iterations; so are the functions below.
  [[nodiscard]] bool is_whole() const noexcept { return size() <= entries_.size(); }
  [[nodiscard]] std::span<Entry> all() noexcept { return std::span(entries_).first(is_whole() ? size() : 0); }
  void clear() noexcept { next_.store(0, std::memory_order_relaxed); }  // relaxed: no worker notes

 private:
  [[nodiscard]] std::size_t size() const noexcept { return next_.load(std::memory_order_relaxed); }  // relaxed: ditto
  std::vector<Entry> entries_;
  runtime::real_sync::atomic<std::size_t> next_{0};
};

/// Measures, and rewrites the record. Nothing is allocated after construction.
class refinement {
 public:
  /// The number of measured iterations. The shortest time of a piece in any of them counts.
  static constexpr std::uint32_t iterations = 3;
  /// This many strict iterations come before: each worker's caches then hold its part of the data.
  static constexpr std::uint32_t first = 5;
  /// After this many iterations the record is refined once more, with caches in their steady state.
  static constexpr std::uint32_t period = 32;

  /// With no entries it never refines. Throws std::bad_alloc.
  refinement(std::uint32_t workers, std::size_t entries);

  shared_log<met_group> groups;
  shared_log<sent_child> children;

  /// Rewrites `r` from the notes, and clears them. Called by the worker that runs the root, between iterations. Returns
  /// the number of pieces; `pieces` if the record stays as it is.
  /// Cost: O(n * depth + n * log(workers) * log(n)) for n noted events.
  std::uint64_t refine(record& r, std::uint64_t pieces) noexcept;
  /// True if the last `refine` found no division whose rehearsed time comes near (8/7) to an equal share of the work
  /// per worker.
  [[nodiscard]] bool is_uneven() const noexcept { return is_uneven_; }
  void forget() noexcept {
    groups.clear();
    children.clear();
  }

 private:
  [[nodiscard]] bool build(record const& r) noexcept;
  [[nodiscard]] bool find_owners(record const& r, met_group const& met, piece_group const& group) noexcept;
  [[nodiscard]] met_group const* met_at(std::uint64_t path) const noexcept;
  [[nodiscard]] std::uint32_t enclosing(met_group const& g) const noexcept;
  [[nodiscard]] std::uint32_t outer_group(piece_group const& g) const noexcept;
  [[nodiscard]] bool weigh() noexcept;

  void divide(std::uint32_t opened, bool evenly) noexcept;
  [[nodiscard]] bool can_open() const noexcept;
  void becomes_whole(std::uint32_t p) noexcept;
  void open_first() noexcept;
  void even_out() noexcept;
  [[nodiscard]] std::uint64_t write(record& r) const noexcept;

  std::span<met_group> met_;          ///< by path, each once
  std::vector<piece> pieces_;         ///< by group and index
  std::vector<piece_group> tree_;     ///< by parent and time
  std::uint32_t root_groups_ = 0;     ///< the first ones of them
  std::vector<std::uint32_t> order_;  ///< of pieces: those below a piece follow it
  std::vector<std::uint32_t> size_;   ///< by piece: it, and those below it
  std::vector<std::uint32_t> whole_;  ///< a heap: the piece with the most misplaced work first
  std::vector<std::uint64_t> loads_;  ///< ns, by worker
  rehearsal rehearse_;
  bool is_uneven_ = false;
};

}}}}  // namespace skua::v0::policies::replay
