// SPDX-License-Identifier: MIT
// oneTBB's tick_count: moments, and the time between two of them in seconds. std::chrono::steady_clock says the same.
#pragma once

#include <chrono>

namespace skua { inline namespace v0 { namespace tbb {

class tick_count {
  using clock = std::chrono::steady_clock;

 public:
  /// A time, perhaps negative.
  class interval_t {
   public:
    interval_t() = default;
    explicit interval_t(double seconds)
        : time_(std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds))) {}
    [[nodiscard]] double seconds() const noexcept { return std::chrono::duration<double>(time_).count(); }
    interval_t& operator+=(interval_t other) noexcept {
      time_ += other.time_;
      return *this;
    }
    interval_t& operator-=(interval_t other) noexcept {
      time_ -= other.time_;
      return *this;
    }
    friend interval_t operator+(interval_t a, interval_t b) noexcept { return a += b; }
    friend interval_t operator-(interval_t a, interval_t b) noexcept { return a -= b; }

   private:
    friend class tick_count;
    explicit interval_t(clock::duration time) noexcept : time_(time) {}
    clock::duration time_{};
  };

  /// Some moment in the past.
  tick_count() = default;
  [[nodiscard]] static tick_count now() noexcept { return tick_count(clock::now()); }
  /// The clock's step, in seconds.
  [[nodiscard]] static double resolution() noexcept {
    return static_cast<double>(clock::period::num) / static_cast<double>(clock::period::den);
  }
  friend interval_t operator-(tick_count later, tick_count earlier) noexcept { return later.since(earlier); }

 private:
  [[nodiscard]] interval_t since(tick_count earlier) const noexcept { return interval_t(at_ - earlier.at_); }
  explicit tick_count(clock::time_point at) noexcept : at_(at) {}
  clock::time_point at_{};
};

}}}  // namespace skua::v0::tbb
