// SPDX-License-Identifier: MIT
// The tasks that a rank executed, in order, with times: the memory of retentive stealing and the input of the
// balancers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "skua/machine/ranks/queue/task_slot.hpp"
#include "skua/policy/balance/locality.hpp"

namespace skua { inline namespace v0 { namespace ranks {

/// An entry of one rank's record goes to another rank.
struct move_order {
  std::uint32_t entry;
  std::uint32_t receiver;
};

/// A sequence, not a set: equal tasks are different entries. It owns the content of its slots (queue/task_slot.md).
class task_record {
 public:
  explicit task_record(slot_shape shape) noexcept : shape_(shape), slot_bytes_(shape.bytes()) {}
  task_record(task_record&&) = default;
  task_record(task_record const&) = delete;
  task_record& operator=(task_record const&) = delete;
  ~task_record() { clear(); }

  using footprint = policies::balance::owner_footprint;

  void add(std::byte const* slot, std::uint64_t ns) {
    slots_.insert(slots_.end(), slot, slot + slot_bytes_);
    times_.push_back(ns);
  }
  /// The same with a footprint. Entries that were added without have an empty one.
  void add(std::byte const* slot, std::uint64_t ns, footprint const& needs) {
    footprints_.resize(times_.size() + 1);
    add(slot, ns);
    footprints_.back() = needs;
  }
  /// Moves the entries of another record behind its own.
  void append(task_record& other) {
    slots_.insert(slots_.end(), other.slots_.begin(), other.slots_.end());
    if (has_footprints() || other.has_footprints()) {
      footprints_.resize(times_.size());
      other.footprints_.resize(other.times_.size());
      footprints_.insert(footprints_.end(), other.footprints_.begin(), other.footprints_.end());
    }
    times_.insert(times_.end(), other.times_.begin(), other.times_.end());
    other.release();
  }
  void reserve(std::uint64_t entries) {
    slots_.reserve(entries * slot_bytes_);
    times_.reserve(entries);
  }
  void clear() noexcept {
    for (std::uint64_t e = 0; e < size(); ++e) shape_.drop(slot(e));
    release();
  }
  void release_last() noexcept {
    slots_.resize(slots_.size() - slot_bytes_);
    times_.pop_back();
    if (footprints_.size() > times_.size()) footprints_.pop_back();
  }
  /// Forgets its slots: their tasks have been copied to another owner.
  void release() noexcept {
    slots_.clear();
    times_.clear();
    footprints_.clear();
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return times_.size(); }
  [[nodiscard]] slot_shape const& shape() const noexcept { return shape_; }
  [[nodiscard]] std::byte const* slot(std::uint64_t entry) const noexcept {
    return slots_.data() + entry * slot_bytes_;
  }
  void set_origin(std::uint64_t entry, std::uint32_t rank) noexcept {
    slot_mark mark = shape_.mark_of(slot(entry));
    mark.origin = rank;
    shape_.set_mark(slots_.data() + entry * slot_bytes_, mark);
  }
  [[nodiscard]] std::span<std::uint64_t const> times_ns() const noexcept { return times_; }
  [[nodiscard]] bool has_footprints() const noexcept { return !footprints_.empty(); }
  /// Throws std::bad_alloc.
  void set_footprint(std::uint64_t entry, footprint const& needs) {
    if (footprints_.size() <= entry) footprints_.resize(size());
    footprints_[entry] = needs;
  }
  /// What the task needed; empty if that was not measured.
  [[nodiscard]] footprint footprint_of(std::uint64_t entry) const noexcept {
    return entry < footprints_.size() ? footprints_[entry] : footprint{};
  }

  /// Removes the entries that `leaves` marks; the others keep their order.
  void remove(std::vector<bool> const& leaves) {
    std::uint64_t kept = 0;
    for (std::uint64_t e = 0; e < size(); ++e) {
      if (leaves[e]) {
        shape_.drop(slot(e));
        continue;
      }
      if (kept != e) std::memcpy(slots_.data() + kept * slot_bytes_, slot(e), slot_bytes_);
      if (kept < footprints_.size()) footprints_[kept] = footprint_of(e);
      times_[kept++] = times_[e];
    }
    slots_.resize(kept * slot_bytes_);
    times_.resize(kept);
    if (footprints_.size() > kept) footprints_.resize(kept);
  }

 private:
  slot_shape shape_;
  std::size_t slot_bytes_;
  std::vector<std::byte> slots_;
  std::vector<std::uint64_t> times_;
  std::vector<footprint> footprints_;  ///< of the first entries; empty if nobody asked for them
};

}}}  // namespace skua::v0::ranks
