// SPDX-License-Identifier: MIT
// The 15-puzzle: a position is one word, and the estimate of how far it is from the goal takes eight table lookups.
//
// estimate: the Manhattan distance, and two more moves for each tile that must leave its line and come back because it is
// in the way of another tile of that line (linear conflicts; Hansson, Mayer, Yung 1992). It never exceeds the true
// distance, and one move changes it by one.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace skua::apps::puzzle15 {

/// Four bits per square, the first square in the lowest; 0 is the blank. Squares are numbered by rows.
using board = std::uint64_t;
inline constexpr std::uint32_t squares = 16;
inline constexpr board goal = 0xfedc'ba98'7654'3210;
/// Every solvable position is solved in at most this many moves (Bruengger, Marzetta, Fukuda, Nievergelt 1999).
inline constexpr std::uint32_t most_moves = 80;

/// Where the blank goes.
enum class direction : std::uint8_t { up, down, left, right };
inline constexpr std::array directions{direction::up, direction::down, direction::left, direction::right};
constexpr direction opposite(direction d) noexcept { return static_cast<direction>(static_cast<std::uint8_t>(d) ^ 1U); }

constexpr std::uint32_t tile_at(board b, std::uint32_t square) noexcept {
  return static_cast<std::uint32_t>(b >> (4 * square) & 15);
}
constexpr std::uint32_t blank_of(board b) noexcept {
  constexpr board ones = 0x1111'1111'1111'1111;  // the lowest borrow comes from the only zero
  return static_cast<std::uint32_t>(std::countr_zero((b - ones) & ~b & (ones << 3))) / 4;
}
constexpr bool can_move(std::uint32_t blank, direction d) noexcept {
  switch (d) {
    case direction::up: return blank >= 4;
    case direction::down: return blank < 12;
    case direction::left: return blank % 4 != 0;
    case direction::right: return blank % 4 != 3;
  }
  return false;
}
/// The blank can move there.
constexpr board moved(board b, std::uint32_t blank, direction d) noexcept {
  constexpr std::array<std::uint32_t, 4> steps{squares - 4, 4, squares - 1, 1};  // modulo squares
  std::uint32_t const from = (blank + steps[static_cast<std::size_t>(d)]) % squares;
  board const tile = tile_at(b, from);
  return b ^ (tile << (4 * from)) ^ (tile << (4 * blank));
}

/// The moves that a row, or a column, with these four tiles needs at least: across it for tiles that belong elsewhere, and
/// twice for each tile of this line that must step aside.
class line_costs {
 public:
  line_costs();
  /// No solution is shorter. O(1).
  [[nodiscard]] std::uint32_t estimate(board b) const noexcept {
    std::uint32_t sum = 0;
    for (std::size_t line = 0; line < 4; ++line) {
      board const column = (b >> (4 * line)) & 0x000f'000f'000f'000f;
      sum += rows_[line][b >> (16 * line) & 0xffff];
      sum += columns_[line][(column | column >> 12 | column >> 24 | column >> 36) & 0xffff];
    }
    return sum;
  }

 private:
  using costs_of_four = std::vector<std::uint8_t>;
  std::array<costs_of_four, 4> rows_;
  std::array<costs_of_four, 4> columns_;
};
/// Made when it is first asked for: 512 KiB.
line_costs const& costs();

/// The goal can be reached: the parity of the permutation is that of the blank's distance.
[[nodiscard]] bool is_solvable(board b) noexcept;

/// "14 13 15 ..": each of 0 to 15 once, and solvable. Throws usage_error.
[[nodiscard]] board parse_board(std::string_view text);

/// So many random moves from the goal, none of which takes the previous one back.
[[nodiscard]] board random_walk(std::uint32_t moves, std::uint64_t seed);

}  // namespace skua::apps::puzzle15
