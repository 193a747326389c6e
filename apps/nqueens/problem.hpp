// SPDX-License-Identifier: MIT
// Counts the ways to place n queens on an n x n board. Every placed queen is a task, down to the last row, and carries
// its own copy of the board, as in Cilk's program (Frigo, Leiserson, Randall 1998) and in BOTS.
#pragma once

#include <array>
#include <cstdint>

#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::nqueens {

/// The published counts for n = 1 .. 18 (OEIS A000170).
inline constexpr std::array<std::uint64_t, 18> answers{1,      0,       0,         2,          10,         4,
                                                       40,     92,      352,       724,        2'680,      14'200,
                                                       73'712, 365'596, 2'279'184, 14'772'512, 95'815'104, 666'090'624};
inline constexpr std::int64_t most_n = answers.size();

/// The rows above `row` hold one queen each, and none attacks another.
struct board {
  std::int32_t n;
  std::int32_t row = 0;
  std::array<std::int8_t, answers.size()> column{};  ///< of the queen in each row above `row`

  [[nodiscard]] bool full() const noexcept { return row == n; }
  [[nodiscard]] bool is_free(std::int32_t c) const noexcept {
    for (std::int32_t r = 0; r < row; ++r) {
      std::int32_t const taken = column[static_cast<std::size_t>(r)];
      if (taken == c || taken - c == row - r || c - taken == row - r) return false;
    }
    return true;
  }
  [[nodiscard]] board with(std::int8_t c) const noexcept {
    board next = *this;
    next.column[static_cast<std::size_t>(row)] = c;
    ++next.row;
    return next;
  }
};

/// The columns of the next row that no queen attacks.
class choices {
 public:
  explicit choices(board const& b) noexcept {
    for (std::int32_t c = 0; c < b.n; ++c) {
      if (b.is_free(c)) column_[size_++] = static_cast<std::int8_t>(c);
    }
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  [[nodiscard]] std::int8_t operator[](std::uint32_t i) const noexcept { return column_[i]; }

 private:
  std::uint32_t size_ = 0;
  std::array<std::int8_t, answers.size()> column_;  // only the first size_ are set
};

template <fork_join Here>
std::uint64_t tried(Here& here, board const& b, choices const& free, std::uint32_t first, std::uint32_t last);

/// The number of ways to fill the board. Work O(n!) at most, span O(n^2 log n).
template <fork_join Here>
std::uint64_t program(Here& here, board const& b) {
  if (b.full()) return 1;
  choices const free(b);
  return free.size() == 0 ? 0 : tried(here, b, free, 0, free.size());
}

/// The number of ways with one of the choices [first, last), first < last: halves the range until one choice is left.
template <fork_join Here>
std::uint64_t tried(Here& here, board const& b, choices const& free, std::uint32_t first, std::uint32_t last) {
  if (last - first == 1) return program(here, b.with(free[first]));
  std::uint32_t const middle = first + (last - first) / 2;
  auto const [x, y] = here.join([&, first, middle](Here& h) { return tried(h, b, free, first, middle); },
                                [&, middle, last](Here& h) { return tried(h, b, free, middle, last); });
  return x + y;
}

std::uint64_t with_openmp(unsigned workers, int n);
std::uint64_t with_tbb(tbb_workers& workers, unsigned count, int n);

}  // namespace skua::apps::nqueens
