// SPDX-License-Identifier: MIT
#include "skua/machine/sim/model/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace skua { inline namespace v0 { namespace sim {

void traffic::clear() noexcept {
  first_level = own = shared = neighbour = {};
  std::ranges::fill(memory, stream{});
  std::ranges::fill(transfers, stream{});
  std::ranges::fill(write_back, 0);
}

memory_system::memory_system(machine_numbers const& machine, memory_shape shape, page_placement where)
    : shape_(std::move(shape)), filling_(machine.shared_filling),
      line_shift_(static_cast<std::uint32_t>(std::countr_zero(machine.line_bytes))),
      block_shift_(static_cast<std::uint32_t>(std::countr_zero(machine.block_bytes))),
      homes_(where, shape_.nodes, machine.block_bytes, machine.page_bytes),
      holders_(static_cast<std::uint32_t>(shape_.place_of_core.size()),
               static_cast<std::uint32_t>(shape_.node_of_place.size())),
      has_first_level_(machine.first_level_bytes > 0), moved_(shape_.nodes) {
  std::uint64_t const lines_per_block = machine.block_bytes / machine.line_bytes;
  whole_ = lines_per_block == 64 ? ~line_set{0} : (line_set{1} << lines_per_block) - 1;
  auto const lines = [&](double bytes) {
    return std::max(static_cast<std::uint64_t>(bytes) >> line_shift_, 2 * lines_per_block + 64);
  };
  auto const nearest = [&](double bytes) {
    return has_first_level_ ? std::max(static_cast<std::uint64_t>(bytes) >> line_shift_, lines_per_block) : 0;
  };
  own_caches const usual{.first_level_bytes = machine.first_level_bytes, .private_bytes = machine.private_bytes};
  for (std::size_t core = 0; core < shape_.place_of_core.size(); ++core) {
    own_caches const& own = shape_.caches_of_core.empty() ? usual : shape_.caches_of_core[core];
    private_.emplace_back(lines(own.private_bytes), nearest(own.first_level_bytes));
  }
  shared_.assign(shape_.node_of_place.size(), cache(lines(machine.shared_bytes)));
}

void memory_system::touch(std::uint32_t core, skua::touch const& what) {
  if (what.bytes == 0 || what.rows == 0) return;
  bool const gapless = what.rows == 1 || what.stride == what.bytes;
  std::uint64_t const rows = gapless ? 1 : what.rows;
  std::uint64_t const bytes = gapless ? what.bytes * what.rows : what.bytes;
  for (std::uint64_t row = 0; row < rows; ++row)
    touch_range(core, what.address + row * what.stride, bytes, what.written);
}

void memory_system::touch_range(std::uint32_t core, std::uint64_t address, std::uint64_t bytes, bool written) {
  std::uint32_t const lines_shift = block_shift_ - line_shift_;
  std::uint64_t const first = address >> line_shift_;
  std::uint64_t const last = (address + bytes - 1) >> line_shift_;
  std::uint64_t const last_block = last >> lines_shift;
  for (std::uint64_t block = first >> lines_shift; block <= last_block; ++block) {
    std::uint64_t const start = block << lines_shift;
    line_set lines = whole_;
    if (first > start) lines &= whole_ << (first - start);
    if (block == last_block) lines &= ~line_set{0} >> (63 - (last - start));
    block_id const id = homes_.block_of(block);
    if (id >= directory_blocks_) [[unlikely]] {
      directory_blocks_ = homes_.blocks();
      holders_.grow(directory_blocks_);
    }
    access(core, {id, block}, lines & whole_, written);
  }
}

void memory_system::access(std::uint32_t core, block_at b, line_set lines, bool written) {
  cache& mine = private_[core];
  cache::entry* e = mine.find(b.id);
  line_set const here = e == nullptr ? 0 : e->present & lines;
  line_set const near = e == nullptr ? 0 : mine.near(*e) & lines;
  // Nearly always all lines come from one source.
  std::uint32_t const all = count_lines(lines);
  auto const count = [&](line_set part) { return part == lines ? all : count_lines(part); };
  if (here != 0) {
    mine.refresh(*e);
    if (near != 0) add(moved_.first_level, b.number, count(near));
    if (near != here) add(moved_.own, b.number, count(here & ~near));
  }
  if (line_set const needed = lines & ~here; needed != 0) {
    line_set const came_dirty = fetch(core, b, needed, written);  // which takes nothing of this block from `mine`
    e = &mine.add(b.id, e, needed, came_dirty, count(needed));
    holders_.holders(b.id).set(core);
  }
  if (has_first_level_ && near != lines) mine.bring_near(lines & ~near, count(lines & ~near));
  if (written && (lines & ~e->dirty) != 0) {
    make_exclusive(core, b, lines & ~e->dirty);
    e->dirty |= lines;
    holders_.dirty(b.id) |= lines;
  }
  if (mine.over()) evict(core);
}

/// Fetches the lines, from the newest copy first. Returns those that are newer than memory when they arrive.
line_set memory_system::fetch(std::uint32_t core, block_at b, line_set needed, bool written) {
  line_set came_dirty = 0;
  line_set left = needed;
  if ((holders_.dirty(b.id) & left) != 0) left &= ~from_dirty_neighbours(core, b, left, written);
  if (left != 0) left &= ~from_shared(core, b, left, came_dirty);
  if (left == 0) return came_dirty;
  if (!inclusive()) left &= ~from_clean_neighbours(core, b, left);
  line_set const outside = left;
  if ((holders_.dirty(b.id) & left) != 0) left &= ~from_other_places(core, b, left, written);
  if (left != 0) add(moved_.memory[homes_.home(b.id, node_of_core(core))], b.number, count_lines(left));
  if (inclusive() && outside != 0) into_shared(shape_.place_of_core[core], b.id, outside, 0);
  return came_dirty;
}

/// Dirty lines come from the neighbour that wrote them. After a read the place's shared cache holds them dirty; after a
/// write make_exclusive takes them away from all others.
line_set memory_system::from_dirty_neighbours(std::uint32_t core, block_at b, line_set needed, bool written) {
  line_set got = 0;
  std::uint32_t const place = shape_.place_of_core[core];
  holders_.holders(b.id).each([&](std::uint32_t other) {
    if (other == core || shape_.place_of_core[other] != place) return;
    cache::entry& e = *private_[other].find(b.id);
    line_set const found = e.dirty & needed;
    if (found == 0) return;
    got |= found;
    if (!written) e.dirty &= ~found;
  });
  if (got == 0) return 0;
  add(moved_.neighbour, b.number, count_lines(got));
  if (!written) into_shared(place, b.id, got, got);
  return got;
}

line_set memory_system::from_shared(std::uint32_t core, block_at b, line_set needed, line_set& came_dirty) {
  std::uint32_t const place = shape_.place_of_core[core];
  bits places = holders_.places(b.id);
  if (!places.has(place)) return 0;
  cache& level = shared_[place];
  cache::entry& e = *level.find(b.id);
  line_set const got = e.present & needed;
  if (got == 0) return 0;
  add(moved_.shared, b.number, count_lines(got));
  if (inclusive() || holders_.holders(b.id).others(core)) {
    level.refresh(e);
    return got;
  }
  came_dirty |= e.dirty & got;
  if (level.remove(e, got)) places.clear(place);
  return got;
}

line_set memory_system::from_clean_neighbours(std::uint32_t core, block_at b, line_set needed) {
  line_set got = 0;
  std::uint32_t const place = shape_.place_of_core[core];
  holders_.holders(b.id).each([&](std::uint32_t other) {
    if (other != core && shape_.place_of_core[other] == place) got |= private_[other].find(b.id)->present & needed;
  });
  if (got != 0) add(moved_.neighbour, b.number, count_lines(got));
  return got;
}

/// Lines that are newer than memory come from caches of other places; a read makes those caches write them back.
line_set memory_system::from_other_places(std::uint32_t core, block_at b, line_set needed, bool written) {
  line_set got = 0;
  std::uint32_t const place = shape_.place_of_core[core];
  auto const take = [&](cache::entry& e, std::uint32_t node) {
    line_set const found = e.dirty & needed & ~got;
    if (found == 0) return;
    got |= found;
    add(moved_.transfers[node], b.number, count_lines(found));
    if (!written) e.dirty &= ~found;
  };
  holders_.holders(b.id).each([&](std::uint32_t other) {
    if (shape_.place_of_core[other] != place) take(*private_[other].find(b.id), node_of_core(other));
  });
  holders_.places(b.id).each([&](std::uint32_t other) {
    if (other != place) take(*shared_[other].find(b.id), shape_.node_of_place[other]);
  });
  if (got != 0 && !written) write_back(b.id, got);
  return got;
}

/// Takes these lines away from all others. Each request to others is a run without lines: it pays a latency.
void memory_system::make_exclusive(std::uint32_t core, block_at b, line_set lines) {
  std::uint32_t const place = shape_.place_of_core[core];
  bits holders = holders_.holders(b.id);
  if (holders.others(core)) {
    holders.each([&](std::uint32_t other) {
      if (other == core) return;
      cache::entry& e = *private_[other].find(b.id);
      if ((e.present & lines) == 0) return;
      std::uint32_t const theirs = shape_.place_of_core[other];
      add(theirs == place ? moved_.neighbour : moved_.transfers[shape_.node_of_place[theirs]], b.number, 0);
      if (private_[other].remove(e, lines)) holders.clear(other);
    });
  }
  bits places = holders_.places(b.id);
  places.each([&](std::uint32_t other) {
    cache::entry& e = *shared_[other].find(b.id);
    if (other == place && inclusive()) {
      e.dirty &= ~lines;
    } else if ((e.present & lines) != 0) {
      if (other != place) add(moved_.transfers[shape_.node_of_place[other]], b.number, 0);
      if (shared_[other].remove(e, lines)) places.clear(other);
    }
  });
}

void memory_system::evict(std::uint32_t core) {
  std::uint32_t const place = shape_.place_of_core[core];
  while (private_[core].over()) {
    cache::entry const gone = private_[core].take_oldest();
    holders_.holders(gone.block).clear(core);
    if (!inclusive()) {
      into_shared(place, gone.block, gone.present, gone.dirty);
    } else if (gone.dirty != 0) {
      shared_[place].find(gone.block)->dirty |= gone.dirty;
    }
  }
}

void memory_system::into_shared(std::uint32_t place, block_id b, line_set lines, line_set dirty) {
  shared_[place].add(b, lines, dirty);
  holders_.places(b).set(place);
  if (shared_[place].over()) evict_shared(place);
}

void memory_system::evict_shared(std::uint32_t place) {
  while (shared_[place].over()) {
    cache::entry gone = shared_[place].take_oldest();
    holders_.places(gone.block).clear(place);
    if (inclusive()) {
      bits holders = holders_.holders(gone.block);
      holders.each([&](std::uint32_t core) {
        if (shape_.place_of_core[core] != place) return;
        cache::entry& e = *private_[core].find(gone.block);
        gone.dirty |= e.dirty;
        if (private_[core].remove(e, gone.present)) holders.clear(core);
      });
    }
    if (gone.dirty != 0) write_back(gone.block, gone.dirty);
  }
}

void memory_system::write_back(block_id b, line_set lines) {
  moved_.write_back[homes_.home(b, 0)] += count_lines(lines);
  holders_.dirty(b) &= ~lines;
}

std::string memory_system::broken_invariant() {
  std::string found;
  auto const must = [&](bool holds, char const* name) {
    if (!holds && found.empty()) found = name;
  };
  struct seen {
    line_set dirty = 0;
    line_set written_here = 0;  // dirty in a private cache
    line_set once = 0;          // in some private cache
    line_set twice = 0;         // in several
    line_set below = 0;         // in some shared cache
  };
  std::vector<seen> of(directory_blocks_);
  std::size_t held = 0;
  for (std::uint32_t p = 0; p < shared_.size(); ++p) {
    shared_[p].each([&](cache::entry const& e) {
      ++held;
      seen& s = of[e.block];
      must(holders_.places(e.block).has(p), "known: the directory names every holder");
      must((s.dirty & e.dirty) == 0, "one writer: a line is dirty in at most one cache");
      s.dirty |= e.dirty;
      s.below |= e.present;
    });
  }
  for (std::uint32_t c = 0; c < private_.size(); ++c) {
    std::uint64_t near_lines = 0;
    private_[c].each([&](cache::entry const& e) {
      ++held;
      seen& s = of[e.block];
      must(holders_.holders(e.block).has(c), "known: the directory names every holder");
      must((s.dirty & e.dirty) == 0, "one writer: a line is dirty in at most one cache");
      s.dirty |= e.dirty;
      s.written_here |= e.dirty;
      s.twice |= s.once & e.present;
      s.once |= e.present;
      cache::entry const* const level = shared_[shape_.place_of_core[c]].find(e.block);
      must(!inclusive() || (level != nullptr && (e.present & ~level->present) == 0),
           "inclusion: a line in a private cache is in the shared cache");
      must((private_[c].near(e) & ~e.present) == 0, "nearest: a line in a first-level cache is in the private cache");
      near_lines += count_lines(private_[c].near(e));
    });
    must(near_lines == private_[c].near_lines() && near_lines <= private_[c].near_capacity(),
         "nearest: a first-level cache holds at most what fits");
  }
  std::size_t known = 0;
  for (block_id b = 0; b < directory_blocks_; ++b) {
    seen const& s = of[b];
    must((s.written_here & s.twice) == 0,
         "exclusive: a line that is dirty in a private cache is in no other private cache");
    must(inclusive() || (s.written_here & s.below) == 0,
         "exclusive: a line that is dirty in a private cache is in no shared cache");
    must(s.dirty == holders_.dirty(b), "dirty: the directory knows the lines that are newer than memory");
    holders_.holders(b).each([&](std::uint32_t) { ++known; });
    holders_.places(b).each([&](std::uint32_t) { ++known; });
  }
  must(known == held, "known: the directory names holders only");
  return found;
}

}}}  // namespace skua::v0::sim
