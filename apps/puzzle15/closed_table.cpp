// SPDX-License-Identifier: MIT
#include "apps/puzzle15/closed_table.hpp"

#include <string>

#include "skua/parts/base/dice.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::puzzle15 {

std::uint64_t closed_table::hash(board b) noexcept { return runtime::dice{b}.next(); }

std::size_t closed_table::slot_of(slot_arrays const& slots, board b) noexcept {
  std::size_t const mask = slots.boards.size() - 1;
  std::size_t at = hash(b) >> 8 & mask;  // the lowest 8 bits chose the shard
  while (slots.boards[at] != 0 && slots.boards[at] != b) at = (at + 1) & mask;
  return at;
}

void closed_table::grow(shard& s) {
  std::size_t const before = s.slots.boards.size();
  std::size_t const after = before == 0 ? 16 : 2 * before;
  std::uint64_t const more = (after - before) * slot_bytes;
  if (bytes_.fetch_add(more, std::memory_order_relaxed) + more > most_bytes_) {
    bytes_.fetch_sub(more, std::memory_order_relaxed);
    throw resource_error("puzzle15: the table of reached positions is full; a larger --table-mib may help");
  }
  slot_arrays larger{std::vector<board>(after), std::vector<std::uint16_t>(after), std::vector<direction>(after)};
  for (std::size_t i = 0; i < before; ++i) {
    if (s.slots.boards[i] == 0) continue;
    std::size_t const at = slot_of(larger, s.slots.boards[i]);
    larger.boards[at] = s.slots.boards[i];
    larger.lengths[at] = s.slots.lengths[i];
    larger.last[at] = s.slots.last[i];
  }
  s.slots = std::move(larger);
}

closed_table::answer closed_table::reach(board b, way w) {
  shard& s = shard_of(b);
  std::lock_guard const held(s.lock);
  if (4 * (s.used + 1) > 3 * s.slots.boards.size()) grow(s);
  std::size_t const at = slot_of(s.slots, b);
  bool const is_new = s.slots.boards[at] == 0;
  auto& length = s.slots.lengths[at];
  if (!is_new && (length & ~expanded) <= w.length) return answer::known;
  s.used += is_new ? 1 : 0;
  s.slots.boards[at] = b;
  length = static_cast<std::uint16_t>((length & expanded) | w.length);
  s.slots.last[at] = w.last;
  return is_new ? answer::is_new : answer::shorter;
}

closed_table::expansion closed_table::begin_expansion(board b, std::uint16_t length) {
  shard& s = shard_of(b);
  std::lock_guard const held(s.lock);
  auto& known = s.slots.lengths[slot_of(s.slots, b)];
  if ((known & ~expanded) < length) return expansion::stale;
  bool const is_again = (known & expanded) != 0;
  known |= expanded;
  return is_again ? expansion::again : expansion::first;
}

std::optional<closed_table::way> closed_table::find(board b) {
  shard& s = shard_of(b);
  std::lock_guard const held(s.lock);
  if (s.used == 0) return {};
  std::size_t const at = slot_of(s.slots, b);
  if (s.slots.boards[at] == 0) return {};
  return way{static_cast<std::uint16_t>(s.slots.lengths[at] & ~expanded), s.slots.last[at]};
}

std::uint64_t closed_table::size() {
  std::uint64_t sum = 0;
  for (shard& s : shards_) {
    std::lock_guard const held(s.lock);
    sum += s.used;
  }
  return sum;
}

}  // namespace skua::apps::puzzle15
