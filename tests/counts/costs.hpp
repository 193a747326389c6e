// SPDX-License-Identifier: MIT
// What calls of one operation have cost, added up.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/counts/operations.hpp"

namespace line_counts {

// relaxed, everywhere here: sums, which are read when no thread counts.

/// The lines that one call has met, and their number.
class line_set {
 public:
  void clear() noexcept {
    ++round_;
    size_ = 0;
  }
  void add(std::uint64_t line) noexcept {
    std::size_t at = static_cast<std::size_t>(line * 0x9e3779b97f4a7c15 >> 53);
    for (std::size_t tries = 0; tries < places; ++tries, at = (at + 1) % places) {
      if (all_[at].round != round_) {
        all_[at] = {line, round_};
        ++size_;
        return;
      }
      if (all_[at].line == line) return;
    }
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t places = 2048;  // more are not distinguished
  struct place {
    std::uint64_t line = 0;
    std::uint32_t round = 0;
  };
  std::array<place, places> all_{};
  std::uint32_t round_ = 1;
  std::uint32_t size_ = 0;
};

/// How often each number from 0 to `highest` occurred; a larger one counts as that.
class histogram {
 public:
  static constexpr std::uint32_t highest = 2047;

  void add(std::uint32_t n) noexcept {
    at_[std::min(n, highest)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_.load(std::memory_order_relaxed); }
  /// The least n such that `share` of all are at most n.
  [[nodiscard]] std::uint32_t quantile(double share) const noexcept {
    std::uint64_t all = 0;
    for (auto const& n : at_) all += n.load(std::memory_order_relaxed);
    std::uint64_t below = 0;
    for (std::uint32_t n = 0; n < highest; ++n) {
      below += at_[n].load(std::memory_order_relaxed);
      if (static_cast<double>(below) >= share * static_cast<double>(all)) return n;
    }
    return highest;
  }

 private:
  std::array<std::atomic<std::uint64_t>, highest + 1> at_{};
  std::atomic<std::uint64_t> sum_{0};
};

/// What one call costs; `lines` apart.
struct cost {
  std::uint32_t misses = 0;
  std::uint32_t exchanges = 0;
  std::uint32_t fences = 0;
  std::array<std::uint32_t, system_calls> calls{};
};

class costs {
 public:
  void add(std::uint32_t of_lines, cost const& c) noexcept {
    lines.add(of_lines);
    misses.add(c.misses);
    exchanges.add(c.exchanges);
    count.fetch_add(1, std::memory_order_relaxed);
    fences.fetch_add(c.fences, std::memory_order_relaxed);
    for (unsigned s = 0; s < system_calls; ++s) system[s].fetch_add(c.calls[s], std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> count{0};
  histogram lines, misses, exchanges;
  std::atomic<std::uint64_t> fences{0};
  std::array<std::atomic<std::uint64_t>, system_calls> system{};
};

}  // namespace line_counts
