// SPDX-License-Identifier: MIT
// Threads for members of nested teams that nobody begins. Such a member is a fiber's task; if all workers spin in members that wait for it
// (while (!flag) {}), none of them takes it. A watch looks every 20 ms; a member that has not begun between two looks gets a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "skua/openmp/team.hpp"
#include "skua/program/wait_group.hpp"

namespace skua { inline namespace v0 { namespace openmp {

/// The members 1 .. size-1 of a nested team that have not begun. While it lives, the watch sees them. A member runs where its number was claimed.
class waiting_members {
 public:
  /// `unfinished` counts something until all tasks of the members have run; each rescued member is counted there as well. Throws std::bad_alloc.
  waiting_members(team& of, runtime::wait_group& unfinished);
  ~waiting_members();
  waiting_members(waiting_members const&) = delete;
  waiting_members& operator=(waiting_members const&) = delete;

  /// Gives each member that nobody has claimed a thread of its own, as far as there are some.
  void begin_on_threads() noexcept;
  [[nodiscard]] bool is_claimed(std::uint32_t member) const noexcept {
    return is_claimed_[member].load(std::memory_order_relaxed);  // relaxed: claim decides
  }
  /// True for one caller.
  [[nodiscard]] bool claim(std::uint32_t member) noexcept {
    if (is_claimed_[member].exchange(true, std::memory_order_relaxed)) return false;  // relaxed: team::begin came first
    unclaimed_.fetch_sub(1, std::memory_order_relaxed);                               // relaxed: advice
    return true;
  }

 private:
  friend class rescue_watch;
  enum class outcome : std::uint8_t { begun, claimed, no_thread };
  [[nodiscard]] outcome begin_on_thread(std::uint32_t member) noexcept;
  void rescue_one() noexcept;

  team& team_;
  runtime::wait_group& unfinished_;
  std::unique_ptr<std::atomic<bool>[]> const is_claimed_;
  std::atomic<std::uint32_t> unclaimed_;
  std::uint32_t looks_ = 0;  ///< of the watch, while members have not begun. Under its lock, as the links
  waiting_members* next_ = nullptr;
  waiting_members* previous_ = nullptr;
};

}}}  // namespace skua::v0::openmp
