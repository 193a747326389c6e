// SPDX-License-Identifier: MIT
// Where lines come from; and the invariants of memory_system.md hold after any touches.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "skua/machine/sim/model/memory_system.hpp"
#include "skua/machine/sim/model/round_machine_test.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

constexpr std::uint64_t somewhere = 0x7f00'0000'0000;

/// Nodes 0 and 1, places 0 to 3, cores 0 to 7, all in use.
memory_shape whole_shape() {
  return {.place_of_core = {0, 0, 1, 1, 2, 2, 3, 3}, .node_of_place = {0, 0, 1, 1}, .nodes = 2};
}

memory_system small_memory(filling how = filling::victim, page_placement where = {}, double first_level_bytes = 0) {
  machine_numbers n = round_model().numbers();
  n.shared_filling = how;
  n.first_level_bytes = first_level_bytes;
  return memory_system(n, whole_shape(), where);
}
memory_system with_first_level(filling how = filling::victim) { return small_memory(how, {}, 16384); }

/// The traffic of one touch.
traffic moved_by(memory_system& m, std::uint32_t core, touch const& what) {
  m.clear_moved();
  m.touch(core, what);
  return m.moved();
}

touch read_of(std::uint64_t offset, std::uint64_t bytes) { return {.address = somewhere + offset, .bytes = bytes}; }
touch write_of(std::uint64_t offset, std::uint64_t bytes) {
  return {.address = somewhere + offset, .bytes = bytes, .written = true};
}

TEST(memory_system, what_fits_the_private_cache_comes_from_memory_once) {
  for (filling const how : {filling::victim, filling::inclusive}) {
    memory_system m = small_memory(how);
    traffic const first = moved_by(m, 0, read_of(0, 65536));
    EXPECT_EQ(first.memory[0].lines, 1024U);
    EXPECT_EQ(first.memory[0].runs, 1U);
    EXPECT_EQ(first.own.lines, 0U);
    traffic const second = moved_by(m, 0, read_of(0, 65536));
    EXPECT_EQ(second.own.lines, 1024U);
    EXPECT_EQ(second.memory[0].lines + second.shared.lines, 0U);
  }
}

TEST(memory_system, what_fits_the_first_level_cache_comes_from_there_and_what_does_not_from_the_private_one) {
  for (filling const how : {filling::victim, filling::inclusive}) {
    memory_system m = with_first_level(how);
    m.touch(0, read_of(0, 16384));
    traffic const again = moved_by(m, 0, read_of(0, 16384));
    EXPECT_EQ(again.first_level.lines, 256U);
    EXPECT_EQ(again.first_level.runs, 1U);
    EXPECT_EQ(again.own.lines, 0U);
    m.touch(0, read_of(16384, 16384));
    traffic const replaced = moved_by(m, 0, read_of(0, 16384));
    EXPECT_EQ(replaced.first_level.lines, 0U);
    EXPECT_EQ(replaced.own.lines, 256U);
    EXPECT_EQ(m.broken_invariant(), "");
  }
}

TEST(memory_system, a_sweep_over_a_little_more_than_the_first_level_cache_finds_nothing_there) {
  memory_system m = with_first_level();
  m.touch(0, read_of(0, 17408));
  EXPECT_EQ(moved_by(m, 0, read_of(0, 17408)).first_level.lines, 0U);
  EXPECT_EQ(moved_by(m, 0, read_of(1024, 16384)).first_level.lines, 256U);
}

TEST(memory_system, a_block_that_is_used_in_part_brings_only_that_part_into_the_first_level_cache) {
  memory_system m = with_first_level();
  m.touch(0, read_of(0, 1024));
  m.touch(0, read_of(65536, 16384));  // drops it from the first level
  m.touch(0, read_of(0, 256));
  traffic const whole = moved_by(m, 0, read_of(0, 1024));
  EXPECT_EQ(whole.first_level.lines, 4U);
  EXPECT_EQ(whole.own.lines, 12U);
}

TEST(memory_system, a_write_takes_the_line_from_the_first_level_cache_of_everybody_else) {
  for (filling const how : {filling::victim, filling::inclusive}) {
    memory_system m = with_first_level(how);
    for (std::uint32_t core = 0; core < 8; ++core) m.touch(core, read_of(0, 1024));
    m.touch(7, write_of(0, 512));
    EXPECT_EQ(moved_by(m, 7, read_of(0, 1024)).first_level.lines, 16U);
    for (std::uint32_t core = 0; core < 7; ++core) {
      traffic const t = moved_by(m, core, read_of(0, 1024));
      EXPECT_EQ(t.first_level.lines, 8U) << core;
      EXPECT_EQ(t.own.lines, 0U) << core;
    }
    EXPECT_EQ(m.broken_invariant(), "");
  }
}

TEST(memory_system, what_leaves_an_inclusive_shared_cache_leaves_the_first_level_too) {
  memory_system m = with_first_level(filling::inclusive);
  m.touch(0, read_of(0, 1024));
  m.touch(1, read_of(1 << 20, 262144));  // a neighbour fills the shared cache
  EXPECT_EQ(moved_by(m, 0, read_of(0, 1024)).first_level.lines, 0U);
  EXPECT_EQ(m.broken_invariant(), "");
}

/// It changes which cache a line comes from, not which lines are in the private, shared and other caches.
TEST(memory_system, a_first_level_cache_changes_nothing_beyond_it) {
  runtime::dice roll(5);
  memory_system with = with_first_level();
  memory_system without = small_memory();
  for (int step = 0; step < 3000; ++step) {
    touch const what{.address = somewhere + roll.below(1 << 18),
                     .bytes = 1 + roll.below(3000),
                     .rows = 1 + roll.below(4),
                     .stride = 4096,
                     .written = roll.below(3) == 0};
    std::uint32_t const core = roll.below(8);
    traffic const a = moved_by(with, core, what);
    traffic const b = moved_by(without, core, what);
    ASSERT_EQ(a.first_level.lines + a.own.lines, b.own.lines);
    ASSERT_EQ(a.shared.lines, b.shared.lines);
    ASSERT_EQ(a.neighbour.lines, b.neighbour.lines);
    for (std::uint32_t n = 0; n < 2; ++n) {
      ASSERT_EQ(a.memory[n].lines, b.memory[n].lines);
      ASSERT_EQ(a.transfers[n].runs, b.transfers[n].runs);
      ASSERT_EQ(a.write_back[n], b.write_back[n]);
    }
  }
}

TEST(memory_system, a_victim_cache_adds_to_the_private_one_and_an_inclusive_one_does_not) {
  constexpr std::uint64_t both = 65536 + 262144;
  memory_system victim = small_memory(filling::victim);
  victim.touch(0, read_of(0, both));
  EXPECT_EQ(moved_by(victim, 0, read_of(0, both)).memory[0].lines, 0U);
  memory_system inclusive = small_memory(filling::inclusive);
  inclusive.touch(0, read_of(0, both));
  EXPECT_EQ(moved_by(inclusive, 0, read_of(0, both)).memory[0].lines,
            both / 64);  // LRU, and a loop over more than fits
  EXPECT_EQ(moved_by(inclusive, 0, read_of(both - 262144, 262144)).memory[0].lines, 0U);
}

TEST(memory_system, a_stream_larger_than_all_caches_always_comes_from_memory_and_what_was_written_goes_back) {
  memory_system m = small_memory();
  constexpr std::uint64_t bytes = 4 << 20;
  m.touch(0, write_of(0, bytes));
  traffic const again = moved_by(m, 0, write_of(0, bytes));
  EXPECT_EQ(again.memory[0].lines, bytes / 64);
  EXPECT_EQ(again.write_back[0], bytes / 64);
}

TEST(memory_system, a_write_takes_the_line_from_everybody_else) {
  for (filling const how : {filling::victim, filling::inclusive}) {
    memory_system m = small_memory(how);
    for (std::uint32_t core = 0; core < 8; ++core) m.touch(core, read_of(0, 1024));
    traffic const taken = moved_by(m, 7, write_of(0, 1024));
    EXPECT_EQ(taken.own.lines, 16U);
    EXPECT_EQ(taken.transfers[0].runs, 1U);
    for (std::uint32_t core = 0; core < 6; ++core) EXPECT_EQ(moved_by(m, core, read_of(0, 1024)).own.lines, 0U) << core;
    EXPECT_EQ(m.broken_invariant(), "");
  }
}

TEST(memory_system, what_another_wrote_comes_from_its_cache_and_only_near_it) {
  memory_system m = small_memory();
  m.touch(0, write_of(0, 1024));
  EXPECT_EQ(moved_by(m, 1, read_of(0, 1024)).neighbour.lines, 16U);
  m.touch(0, write_of(0, 1024));
  traffic const other_place = moved_by(m, 2, read_of(0, 1024));
  EXPECT_EQ(other_place.transfers[0].lines, 16U);
  EXPECT_EQ(other_place.write_back[0], 16U);
  traffic const now_clean = moved_by(m, 4, read_of(0, 1024));
  EXPECT_EQ(now_clean.memory[0].lines, 16U);
  EXPECT_EQ(now_clean.transfers[0].lines, 0U);
}

TEST(memory_system, neighbours_in_one_block_do_not_disturb_each_other) {
  memory_system m = small_memory();
  m.touch(0, write_of(0, 512));
  m.touch(4, write_of(512, 512));
  traffic const mine = moved_by(m, 0, write_of(0, 512));
  EXPECT_EQ(mine.own.lines, 8U);
  EXPECT_EQ(mine.transfers[1].runs, 0U);
  EXPECT_EQ(m.broken_invariant(), "");
}

TEST(memory_system, a_line_that_is_shared_in_parts_moves_as_a_whole) {
  memory_system m = small_memory();
  m.touch(0, write_of(0, 8));
  EXPECT_EQ(moved_by(m, 4, write_of(8, 8)).transfers[0].lines, 1U);
  EXPECT_EQ(moved_by(m, 0, write_of(0, 8)).transfers[1].lines, 1U);
}

TEST(memory_system, rows_of_a_matrix_are_only_the_rows) {
  memory_system m = small_memory();
  touch const tile{.address = somewhere + 256, .bytes = 256, .rows = 64, .stride = 16384};
  traffic const t = moved_by(m, 0, tile);
  EXPECT_EQ(t.memory[0].lines, 256U);
  EXPECT_EQ(t.memory[0].runs, 64U);
  touch const next{.address = somewhere + 512, .bytes = 256, .rows = 64, .stride = 16384};
  EXPECT_EQ(moved_by(m, 0, next).memory[0].lines, 256U);
  EXPECT_EQ(moved_by(m, 0, tile).own.lines, 256U);
  touch const row_by_row{.address = somewhere, .bytes = 1024, .rows = 4, .stride = 1024};
  EXPECT_EQ(moved_by(m, 1, row_by_row).memory[0].runs, 1U);
}

TEST(memory_system, pages_lie_where_they_are_touched_first) {
  memory_system m = small_memory();
  m.touch(0, read_of(0, 4096));
  m.touch(4, read_of(4096, 4096));
  EXPECT_EQ(moved_by(m, 6, read_of(0, 8192)).memory[0].lines, 64U);
  EXPECT_EQ(m.homes().pages(), (std::vector<std::uint64_t>{1, 1}));
}

TEST(memory_system, interleaved_pages_are_spread_evenly_and_bound_ones_lie_where_told) {
  memory_system spread = small_memory(filling::victim, {.mode = page_placement::kind::interleave});
  traffic const t = moved_by(spread, 0, read_of(0, 1 << 20));
  EXPECT_EQ(t.memory[0].lines, t.memory[1].lines);
  EXPECT_EQ(spread.homes().pages(), (std::vector<std::uint64_t>{128, 128}));
  memory_system bound = small_memory(filling::victim, {.mode = page_placement::kind::bind, .node = 1});
  EXPECT_EQ(moved_by(bound, 0, read_of(0, 1 << 20)).memory[1].lines, 16384U);
  EXPECT_THROW(small_memory(filling::victim, {.mode = page_placement::kind::bind, .node = 2}), usage_error);
  memory_system distribution = small_memory();
  distribution.homes().bind_pages(somewhere, 8192, 1);
  EXPECT_EQ(moved_by(distribution, 0, read_of(0, 16384)).memory[1].lines, 128U);
}

TEST(memory_system, placements_are_read_as_they_are_written) {
  for (char const* text : {"first-touch", "interleave", "places", "prepared", "bind:0", "bind:17"})
    EXPECT_EQ(page_placement::read("--pages", text).text(), text);
  for (char const* text : {"", "bind", "bind:", "bind:x", "bind:1x", "interleaved"})
    EXPECT_THROW(static_cast<void>(page_placement::read("--pages", text)), usage_error) << text;
}

/// SKUA_SEED repeats a failed run.
std::uint64_t seed_of_this_run() {
  char const* const given = std::getenv("SKUA_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

TEST(memory_system, invariants_hold_whatever_is_touched) {
  std::uint64_t const seed = seed_of_this_run();
  for (std::uint64_t round = 0; round < 40; ++round) {
    SCOPED_TRACE("SKUA_SEED=" + std::to_string(seed) + ", round " + std::to_string(round));
    runtime::dice roll(seed * 1000 + round);
    memory_system m = small_memory(round % 2 == 0 ? filling::victim : filling::inclusive, {}, round % 4 < 2 ? 0 : 8192);
    std::uint32_t const reach = round % 3 == 0 ? 1U << 22 : 1U << 16;
    for (int step = 0; step < 1500; ++step) {
      touch const what{.address = somewhere + roll.below(reach),
                       .bytes = 1 + roll.below(3000),
                       .rows = 1 + roll.below(4),
                       .stride = 4096 + 64 * roll.below(8),
                       .written = roll.below(3) == 0};
      m.touch(roll.below(8), what);
      if (step % 100 == 0) {
        ASSERT_EQ(m.broken_invariant(), "") << "step " << step;
      }
    }
    ASSERT_EQ(m.broken_invariant(), "");
  }
}

}}}}  // namespace skua::v0::sim
