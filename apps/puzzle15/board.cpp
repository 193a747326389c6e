// SPDX-License-Identifier: MIT
#include "apps/puzzle15/board.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::puzzle15 {
namespace {

/// Where a tile belongs: its line, and its place within the line. Lines are rows or columns.
struct home {
  std::uint32_t line;
  std::uint32_t place;
};
constexpr home home_of(std::uint32_t tile, bool is_row) noexcept {
  return is_row ? home{tile / 4, tile % 4} : home{tile % 4, tile / 4};
}

/// The longest ascending subsequence of at most four numbers: those that may stay.
std::uint32_t longest_ascending(std::vector<std::uint32_t> const& numbers) {
  std::vector<std::uint32_t> ending_here;
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint32_t best = 1;
    for (std::size_t j = 0; j < i; ++j) {
      if (numbers[j] < numbers[i]) best = std::max(best, ending_here[j] + 1);
    }
    ending_here.push_back(best);
    longest = std::max(longest, best);
  }
  return longest;
}

std::uint8_t line_cost(std::uint32_t line, std::uint32_t four, bool is_row) {
  std::uint32_t across = 0;
  std::vector<std::uint32_t> at_home;
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::uint32_t const tile = four >> (4 * i) & 15;
    if (tile == 0) continue;
    home const h = home_of(tile, is_row);
    across += std::max(h.line, line) - std::min(h.line, line);
    if (h.line == line) at_home.push_back(h.place);
  }
  auto const aside = static_cast<std::uint32_t>(at_home.size()) - longest_ascending(at_home);
  return static_cast<std::uint8_t>(across + 2 * aside);
}

}  // namespace

line_costs::line_costs() {
  constexpr std::uint32_t fours = 1U << 16;
  for (std::uint32_t line = 0; line < 4; ++line) {
    rows_[line].resize(fours);
    columns_[line].resize(fours);
    for (std::uint32_t four = 0; four < fours; ++four) {
      rows_[line][four] = line_cost(line, four, true);
      columns_[line][four] = line_cost(line, four, false);
    }
  }
}

line_costs const& costs() {
  static line_costs const made;
  return made;
}

bool is_solvable(board b) noexcept {
  std::uint32_t inversions = 0;
  for (std::uint32_t i = 0; i < squares; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) inversions += tile_at(b, j) > tile_at(b, i) ? 1 : 0;
  }
  std::uint32_t const blank = blank_of(b);
  return (inversions + blank / 4 + blank % 4) % 2 == 0;
}

board parse_board(std::string_view text) {
  constexpr std::string_view rule = "; allowed: korf:1 to korf:100, or the numbers 0 to 15, each once";
  std::istringstream in{std::string(text)};
  board b = 0;
  std::uint32_t seen = 0;
  std::uint32_t count = 0;
  for (std::string word; in >> word; ++count) {
    bool const is_number = word.size() <= 2 && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    auto const tile = is_number ? static_cast<std::uint32_t>(std::stoul(word)) : squares;
    if (tile >= squares || count >= squares || (seen >> tile & 1) != 0) {
      throw usage_error("puzzle15: --instance: '" + word + "' is not a number of a tile that is left" +
                        std::string(rule));
    }
    seen |= 1U << tile;
    b |= board{tile} << (4 * count);
  }
  if (count != squares) {
    throw usage_error("puzzle15: --instance has " + std::to_string(count) + " numbers" + std::string(rule));
  }
  if (!is_solvable(b)) {
    throw usage_error("puzzle15: --instance has the wrong parity: no moves lead from it to 0 1 2 .. 15");
  }
  return b;
}

board random_walk(std::uint32_t moves, std::uint64_t seed) {
  runtime::dice rolled{seed};
  board b = goal;
  std::optional<direction> back;
  for (std::uint32_t i = 0; i < moves;) {
    direction const d = directions[rolled.below(directions.size())];
    std::uint32_t const blank = blank_of(b);
    if (d == back || !can_move(blank, d)) continue;
    b = moved(b, blank, d);
    back = opposite(d);
    ++i;
  }
  return b;
}

}  // namespace skua::apps::puzzle15
