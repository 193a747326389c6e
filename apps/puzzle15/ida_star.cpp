// SPDX-License-Identifier: MIT
#include "apps/puzzle15/ida_star.hpp"

#include <array>
#include <optional>

namespace skua::apps::puzzle15 {
namespace {

constexpr std::uint32_t distance(std::uint32_t from, std::uint32_t to) noexcept {
  auto const apart = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
  return apart(from / 4, to / 4) + apart(from % 4, to % 4);
}

constexpr auto distances = [] {
  std::array<std::array<std::uint8_t, squares>, squares> all{};
  for (std::uint32_t a = 0; a < squares; ++a) {
    for (std::uint32_t b = 0; b < squares; ++b) all[a][b] = static_cast<std::uint8_t>(distance(a, b));
  }
  return all;
}();

class deepening {
 public:
  explicit deepening(board b) : start_(b) {}

  deepening_result run() {
    std::uint32_t manhattan = 0;
    for (std::uint32_t s = 0; s < squares; ++s) {
      if (tile_at(start_, s) != 0) manhattan += distances[tile_at(start_, s)][s];
    }
    // All ways between two positions have the same parity.
    for (limit_ = manhattan; !visit(start_, blank_of(start_), manhattan, 0, std::nullopt); limit_ += 2) {}
    return {{moves_.begin(), moves_.begin() + limit_}, visited_};
  }

 private:
  bool visit(board b, std::uint32_t blank, std::uint32_t manhattan, std::uint32_t depth,
             std::optional<direction> back) {
    ++visited_;
    if (manhattan == 0) return true;  // then depth is the limit: the previous iterations have failed
    for (direction const d : directions) {
      if (d == back || !can_move(blank, d)) continue;
      board const next = moved(b, blank, d);
      std::uint32_t const next_blank = blank_of(next);
      std::uint32_t const tile = tile_at(next, blank);
      std::uint32_t const left = manhattan - distances[tile][next_blank] + distances[tile][blank];
      if (depth + 1 + left > limit_) continue;
      moves_[depth] = d;
      if (visit(next, next_blank, left, depth + 1, opposite(d))) return true;
    }
    return false;
  }

  board const start_;
  std::uint32_t limit_ = 0;
  std::uint64_t visited_ = 0;
  std::array<direction, most_moves + 1> moves_{};
};

}  // namespace

deepening_result ida_star(board b) { return deepening(b).run(); }

}  // namespace skua::apps::puzzle15
