// SPDX-License-Identifier: MIT
// A team: a task that runs on several workers at once. Each of them calls the same function with its own member number.
// The scheduler chooses the number of members, which may be one. [arms-2021 3.2.1]
//
//     graph.add_team(skua::address::of(i, n), [&](auto& team) {
//       auto const [begin, end] = team.share(rows);
//       for (auto row = begin; row < end; ++row) ..
//       team.barrier();
//     });
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "skua/parts/base/platform.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The state that the members of a team share. A machine derives from it.
class team_state {
 public:
  explicit team_state(std::uint32_t members) noexcept : width_(members) {}
  team_state(team_state const&) = delete;
  team_state& operator=(team_state const&) = delete;

  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  /// Returns when every member has arrived or left.
  virtual void barrier(std::uint32_t member) noexcept = 0;
  /// The pointer that a member exposes to the others between two barriers; null once it has left.
  virtual void const*& exposed(std::uint32_t member) noexcept = 0;
  /// The next element of the k-th shared loop.
  [[nodiscard]] std::atomic<std::uint64_t>& next_of(std::uint64_t k) noexcept { return next_[k % 2]; }

 protected:
  ~team_state() = default;

 private:
  std::uint32_t const width_;
  alignas(cache_line_bytes) std::atomic<std::uint64_t> next_[2]{};
};

/// A team of one member.
class lone_team final : public team_state {
 public:
  lone_team() noexcept : team_state(1) {}
  void barrier(std::uint32_t) noexcept override {}
  void const*& exposed(std::uint32_t) noexcept override { return exposed_; }

 private:
  void const* exposed_ = nullptr;
};

/// One member's view of its team, valid only in the call that received it. All members must make the same calls of
/// barrier, reduce and for_shared, in the same order. A member that throws leaves the team, and the others do not wait
/// for it.
template <class Here>
class team {
 public:
  team(Here& here, team_state& all, std::uint32_t member) noexcept : here_(here), all_(all), member_(member) {}
  team(team const&) = delete;
  team& operator=(team const&) = delete;

  /// This member's `here`: it may fork, and its children may run on any worker.
  [[nodiscard]] Here& here() noexcept { return here_; }
  /// The number of this member, 0 .. width() - 1. Member 0 is the leader.
  [[nodiscard]] std::uint32_t member() const noexcept { return member_; }
  [[nodiscard]] std::uint32_t width() const noexcept { return all_.width(); }

  struct range {
    std::uint64_t begin, end;
  };
  /// This member's part [begin, end) of [0, n): contiguous, and the same for the same n and width. [arms-2021 3.2.1]
  [[nodiscard]] range share(std::uint64_t n) const noexcept {
    std::uint64_t const each = n / width();
    std::uint64_t const rest = n % width();
    std::uint64_t const begin = member_ * each + std::min<std::uint64_t>(member_, rest);
    return {begin, begin + each + (member_ < rest ? 1 : 0)};
  }

  /// Waits for the other members: spins for a few microseconds, then waits as in a join.
  void barrier() noexcept { all_.barrier(member_); }

  /// Returns to every member the members' values combined by op(left, right), in member order. Cost: two barriers.
  template <class T, class Op>
  [[nodiscard]] T reduce(T const& value, Op&& op) {
    all_.exposed(member_) = &value;
    barrier();
    T result = value;
    bool is_first = true;
    for (std::uint32_t m = 0; m < width(); ++m) {
      auto const* const other = static_cast<T const*>(all_.exposed(m));
      if (other == nullptr) continue;
      result = std::exchange(is_first, false) ? *other : op(std::move(result), *other);
    }
    barrier();
    return result;
  }

  /// Calls f(begin, end) for pieces of [0, n) of at most `grain` elements. Each member takes the next piece when it is
  /// free; then all wait at a barrier. Cost: one contended atomic addition per piece.
  template <class F>
  void for_shared(std::uint64_t n, std::uint64_t grain, F&& f) {
    std::uint64_t const loop = loops_++;
    // relaxed: barriers separate the loops that use one counter
    all_.next_of(loop + 1).store(0, std::memory_order_relaxed);
    auto& next = all_.next_of(loop);
    grain = std::max<std::uint64_t>(grain, 1);
    for (;;) {
      std::uint64_t const begin = next.fetch_add(grain, std::memory_order_relaxed);  // relaxed: only hands out numbers
      if (begin >= n) break;
      f(begin, std::min(begin + grain, n));
    }
    barrier();
  }

 private:
  Here& here_;
  team_state& all_;
  std::uint32_t const member_;
  std::uint64_t loops_ = 0;
};

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::team;

}}  // namespace skua::v0
