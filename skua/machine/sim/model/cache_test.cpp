// SPDX-License-Identifier: MIT
// A cache behaves like a list that is searched from the front.
#include <gtest/gtest.h>

#include <cstdlib>
#include <list>
#include <string>

#include "skua/machine/sim/model/cache.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace sim { namespace {

/// A reference implementation, simple enough to be right at a glance.
class plain_cache {
 public:
  struct entry {
    block_id block;
    line_set present;
    line_set dirty;
    friend bool operator==(entry const&, entry const&) = default;
  };

  explicit plain_cache(std::uint64_t capacity) : capacity_(capacity) {}

  void use(block_id b, line_set lines, line_set dirty) {
    entry e{b, lines, dirty};
    for (auto i = all_.begin(); i != all_.end(); ++i) {
      if (i->block != b) continue;
      e.present |= i->present;
      e.dirty |= i->dirty;
      all_.erase(i);
      break;
    }
    all_.push_front(e);
  }
  void remove(block_id b, line_set lines) {
    for (auto i = all_.begin(); i != all_.end(); ++i) {
      if (i->block != b) continue;
      i->present &= ~lines;
      i->dirty &= ~lines;
      if (i->present == 0) all_.erase(i);
      return;
    }
  }
  [[nodiscard]] std::uint64_t lines() const {
    std::uint64_t sum = 0;
    for (entry const& e : all_) sum += static_cast<std::uint64_t>(std::popcount(e.present));
    return sum;
  }
  [[nodiscard]] bool over() const { return lines() > capacity_; }
  entry take_oldest() {
    entry const gone = all_.back();
    all_.pop_back();
    return gone;
  }
  [[nodiscard]] std::list<entry> const& all() const { return all_; }

 private:
  std::uint64_t capacity_;
  std::list<entry> all_;
};

/// SKUA_SEED repeats a failed run.
std::uint64_t seed_of_this_run() {
  char const* const given = std::getenv("SKUA_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

std::list<plain_cache::entry> content(cache const& c) {
  std::list<plain_cache::entry> all;
  c.each([&](cache::entry const& e) { all.push_back({e.block, e.present, e.dirty}); });
  return all;
}

/// Blocks in several patterns, so that the index sees streams, columns and random accesses.
block_id some_block(runtime::dice& roll) {
  switch (roll.below(3)) {
    case 0: return roll.below(64);
    case 1: return 4096 * roll.below(64);
    default: return static_cast<block_id>(roll.next());
  }
}

TEST(cache, holds_and_evicts_what_a_searched_list_does) {
  std::uint64_t const seed = seed_of_this_run();
  for (std::uint64_t round = 0; round < 20; ++round) {
    SCOPED_TRACE("SKUA_SEED=" + std::to_string(seed) + ", round " + std::to_string(round));
    runtime::dice roll(seed * 1000 + round);
    std::uint64_t const capacity = 65 + roll.below(2000);
    cache quick(capacity);
    plain_cache plain(capacity);
    for (int step = 0; step < 3000; ++step) {
      block_id const b = some_block(roll);
      line_set const lines = roll.next() & roll.next();
      cache::entry* const e = quick.find(b);
      if (roll.below(4) == 0) {
        if (e != nullptr) quick.remove(*e, lines);
        plain.remove(b, lines);
      } else if (lines != 0) {
        quick.add(b, lines, lines & 0xff);
        plain.use(b, lines, lines & 0xff);
      }
      while (plain.over()) {
        ASSERT_TRUE(quick.over());
        cache::entry const gone = quick.take_oldest();
        ASSERT_EQ((plain_cache::entry{gone.block, gone.present, gone.dirty}), plain.take_oldest());
      }
      ASSERT_FALSE(quick.over());
      ASSERT_EQ(quick.lines(), plain.lines());
    }
    ASSERT_EQ(content(quick), plain.all());
  }
}

/// Of these lines, those that the list has.
line_set present_in(plain_cache const& c, block_id b, line_set lines) {
  for (plain_cache::entry const& e : c.all()) {
    if (e.block == b) return e.present & lines;
  }
  return 0;
}

/// The first-level cache that is kept as masks in the private cache is the one that a list of its own would be.
TEST(cache, has_in_its_first_level_what_a_searched_list_of_that_size_has) {
  std::uint64_t const seed = seed_of_this_run();
  std::uint64_t hits = 0;
  for (std::uint64_t round = 0; round < 20; ++round) {
    SCOPED_TRACE("SKUA_SEED=" + std::to_string(seed) + ", round " + std::to_string(round));
    runtime::dice roll(seed * 1000 + round);
    std::uint64_t const first_level = 64 + roll.below(500);
    std::uint64_t const capacity = first_level + 64 + roll.below(2000);
    cache quick(capacity, first_level);
    plain_cache plain(first_level);
    for (int step = 0; step < 3000; ++step) {
      block_id const b = some_block(roll);
      line_set const lines = roll.next() & roll.next();
      cache::entry* e = quick.find(b);
      line_set const near = e == nullptr ? 0 : quick.near(*e) & lines;
      ASSERT_EQ(near, present_in(plain, b, lines));
      if (roll.below(4) == 0) {
        if (e != nullptr) quick.remove(*e, lines);
        plain.remove(b, lines);
      } else if (lines != 0) {
        hits += count_lines(near);
        quick.add(b, e, lines, 0);
        quick.bring_near(lines & ~near, count_lines(lines & ~near));
        plain.use(b, lines, 0);
      }
      while (plain.over()) plain.take_oldest();
      while (quick.over()) quick.take_oldest();
      ASSERT_EQ(quick.near_lines(), plain.lines());
    }
  }
  EXPECT_GT(hits, 10'000U);
}

TEST(cache, without_a_first_level_has_no_near_lines) {
  cache c(100);
  c.add(1, 0xff, 0);
  EXPECT_EQ(c.near(*c.find(1)), 0U);
  EXPECT_EQ(c.near_lines(), 0U);
  EXPECT_EQ(c.near_capacity(), 0U);
}

TEST(cache, refreshing_counts_as_using) {
  cache c(100);
  c.add(1, 1, 0);
  c.add(2, 1, 0);
  c.refresh(*c.find(1));
  EXPECT_EQ(c.take_oldest().block, 2U);
  EXPECT_EQ(c.take_oldest().block, 1U);
  EXPECT_EQ(c.lines(), 0U);
}

}}}}  // namespace skua::v0::sim
