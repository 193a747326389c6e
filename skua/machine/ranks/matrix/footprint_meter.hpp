// SPDX-License-Identifier: MIT
// Whose data the tasks of a rank use: bytes per owner, counted while a task runs. skua/policy/balance/locality.md says what counts as what.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "skua/machine/ranks/transport/transport.hpp"
#include "skua/parts/context/current.hpp"
#include "skua/policy/balance/locality.hpp"

namespace skua { inline namespace v0 { namespace ranks {

using policies::balance::owner_footprint;

/// Of one worker, for the task that it runs. **One writer**: the flow that runs the task. So what forks of the task transfer, in flows of their own, is not
/// counted.
class alignas(64) task_meter {
 public:
  // --- its worker

  /// A new process() begins.
  void restart() noexcept { needed_ = needed_remotely_ = 0; }
  /// A task begins in the calling flow on this rank.
  void begin(rank_number rank) noexcept {
    shares_.clear();
    rank_ = rank;
    own_ = rest_ = 0;
    flow_.store(key_of_this_flow(), std::memory_order_relaxed);  // relaxed: as in is_of
  }
  /// The task has ended.
  void end() noexcept {
    flow_.store(none, std::memory_order_relaxed);  // relaxed: as in is_of
    std::uint64_t remote = rest_;
    for (auto const& s : shares_) remote += s.bytes;
    needed_ += own_ + remote;
    needed_remotely_ += remote;
  }
  /// Of the task that has ended, once. Throws std::bad_alloc.
  [[nodiscard]] owner_footprint footprint() {
    if (own_ > 0) shares_.push_back({own_, rank_});
    owner_footprint all = policies::balance::footprint_of(shares_);
    all.bytes = policies::balance::plus(all.bytes, rest_);
    return all;
  }
  /// By all tasks since restart(): bytes.
  [[nodiscard]] std::uint64_t needed() const noexcept { return needed_; }
  [[nodiscard]] std::uint64_t needed_remotely() const noexcept { return needed_remotely_; }

  // --- the flow that runs the task

  /// Throws std::bad_alloc.
  void add(rank_number owner, std::uint64_t bytes) {
    if (owner == rank_) {
      own_ += bytes;
      return;
    }
    auto const at = std::ranges::find(shares_, owner, &owner_footprint::share::owner);
    if (at != shares_.end()) {
      at->bytes += bytes;
    } else if (shares_.size() < most_counted) {
      shares_.push_back({bytes, owner});
    } else {
      rest_ += bytes;
    }
  }

  // --- any thread

  /// A flow looks for itself only: it has written its own key, or cleared it, before it goes on. Another worker's key is another one at any time.
  [[nodiscard]] bool is_of(std::uintptr_t flow) const noexcept {
    return flow_.load(std::memory_order_relaxed) == flow;  // relaxed: see above
  }
  /// A flow, or a thread without flows: an odd number.
  [[nodiscard]] static std::uintptr_t key_of_this_flow() noexcept {
    if (void* const flow = runtime::current_flow()) return reinterpret_cast<std::uintptr_t>(flow);
    return 2 * static_cast<std::uintptr_t>(runtime::thread_number()) + 1;
  }

 private:
  static constexpr std::uintptr_t none = 0;
  /// Owners whose bytes are told apart, besides the own rank: a search through them is as long as a short transfer.
  static constexpr std::size_t most_counted = 64;

  std::atomic<std::uintptr_t> flow_{none};
  std::vector<owner_footprint::share> shares_;  ///< of other ranks
  rank_number rank_ = 0;
  std::uint64_t own_ = 0;   ///< bytes on this rank
  std::uint64_t rest_ = 0;  ///< bytes of owners beyond most_counted
  std::uint64_t needed_ = 0;
  std::uint64_t needed_remotely_ = 0;
};

/// Of all workers of a rank, for one collection.
class footprint_meter {
 public:
  explicit footprint_meter(std::uint32_t workers) : of_(std::make_unique<task_meter[]>(workers)), workers_(workers) {}

  [[nodiscard]] task_meter& of(std::uint32_t worker) noexcept { return of_[worker]; }
  /// The meter of the task that calls; null: the caller is no task of this collection. O(workers).
  [[nodiscard]] task_meter* of_this_flow() noexcept {
    std::uintptr_t const flow = task_meter::key_of_this_flow();
    for (std::uint32_t w = 0; w < workers_; ++w) {
      if (of_[w].is_of(flow)) return &of_[w];
    }
    return nullptr;
  }
  [[nodiscard]] std::uint64_t needed() const noexcept { return sum(&task_meter::needed); }
  [[nodiscard]] std::uint64_t needed_remotely() const noexcept { return sum(&task_meter::needed_remotely); }

 private:
  [[nodiscard]] std::uint64_t sum(std::uint64_t (task_meter::*of)() const noexcept) const noexcept {
    std::uint64_t all = 0;
    for (std::uint32_t w = 0; w < workers_; ++w) all += (of_[w].*of)();
    return all;
  }

  std::unique_ptr<task_meter[]> of_;
  std::uint32_t workers_;
};

}}}  // namespace skua::v0::ranks
