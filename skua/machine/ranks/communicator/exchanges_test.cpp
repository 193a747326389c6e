// SPDX-License-Identifier: MIT
// gather, allgather, broadcast and scatter: every rank computes what every other one sends, from a seed, and compares.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "skua/machine/ranks/communicator/communicator.hpp"
#include "skua/machine/ranks/transport/ranks_for_test.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua { inline namespace v0 { namespace ranks { namespace {

class exchanges : public on_each_number_of_ranks {};

struct particle {
  std::array<double, 3> at{};
  std::int32_t kind = 0;
  friend bool operator==(particle const&, particle const&) = default;
};

/// Owns memory, and travels by its `serialize`.
struct molecule {
  std::string name;
  std::vector<particle> atoms;
  std::map<std::string, std::vector<int>> bonds;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, atoms, bonds);
  }
  friend bool operator==(molecule const&, molecule const&) = default;
};

// A value of each kind from dice: the same on every rank that throws the same ones.
template <class T>
T drawn(runtime::dice& dice);
template <>
double drawn(runtime::dice& dice) {
  return static_cast<double>(dice.next()) * 0.37;
}
template <>
std::uint8_t drawn(runtime::dice& dice) {
  return static_cast<std::uint8_t>(dice.next());
}
template <>
particle drawn(runtime::dice& dice) {
  return {.at = {drawn<double>(dice), drawn<double>(dice), 0}, .kind = static_cast<std::int32_t>(dice.below(100))};
}
template <>
std::string drawn(runtime::dice& dice) {
  std::string text(dice.below(40), 'a');
  for (char& c : text) c = static_cast<char>('a' + dice.below(26));
  return text;
}
template <class T>
std::vector<T> drawn_row(runtime::dice& dice, std::size_t length) {
  std::vector<T> row;
  while (row.size() < length) row.push_back(drawn<T>(dice));
  return row;
}
template <>
std::vector<bool> drawn(runtime::dice& dice) {
  std::vector<bool> bits(dice.below(70));
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = dice.below(2) == 1;
  return bits;
}
template <>
std::vector<double> drawn(runtime::dice& dice) {
  return drawn_row<double>(dice, dice.below(50));
}
template <>
molecule drawn(runtime::dice& dice) {
  molecule m{.name = drawn<std::string>(dice), .atoms = drawn_row<particle>(dice, dice.below(5)), .bonds = {}};
  for (auto n = dice.below(4); n > 0; --n) m.bonds[drawn<std::string>(dice)].push_back(static_cast<int>(dice.below(9)));
  return m;
}

/// One round: every call with values of type T.
template <class T>
void exchange_values(communicator& world, std::uint64_t seed, std::uint32_t root) {
  std::vector<T> all;
  for (std::uint32_t r = 0; r < world.size(); ++r) {
    runtime::dice dice(seed + r);
    all.push_back(drawn<T>(dice));
  }
  T const own = all[world.rank()];
  EXPECT_EQ(world.gather(own, root), world.rank() == root ? all : std::vector<T>());
  EXPECT_EQ(world.allgather(own), all);
  EXPECT_EQ(world.broadcast(own, root), static_cast<T>(all[root]));
  EXPECT_EQ(world.scatter(world.rank() == root ? all : std::vector<T>(), root), own);
}

/// One round: every call with spans, of unequal lengths where that is allowed.
template <class T>
void exchange_spans(communicator& world, std::uint64_t seed, std::uint32_t root, std::uint32_t longest) {
  std::vector<std::vector<T>> all;
  for (std::uint32_t r = 0; r < world.size(); ++r) {
    runtime::dice dice(seed + r);
    all.push_back(drawn_row<T>(dice, dice.below(longest + 1)));
  }
  std::vector<T> const own = all[world.rank()];
  bool const is_root = world.rank() == root;
  EXPECT_EQ(world.gather(std::span(own), root), is_root ? all : std::vector<std::vector<T>>());
  EXPECT_EQ(world.allgather(std::span(own)), all);
  EXPECT_EQ(world.scatter(is_root ? all : std::vector<std::vector<T>>(), root), own);
  std::vector<T> copy(all[root].size());
  if (is_root) copy = own;
  world.broadcast(std::span(copy), root);
  EXPECT_EQ(copy, all[root]);
  runtime::dice dice(seed);
  std::size_t const length = dice.below(longest + 1);
  std::vector<T> const rows = drawn_row<T>(dice, length * world.size());
  std::vector<T> row(length);
  world.scatter(is_root ? std::span(rows) : std::span<T const>(), std::span(row), root);
  auto const first = rows.begin() + static_cast<std::ptrdiff_t>(length * world.rank());
  EXPECT_EQ(row, std::vector<T>(first, first + static_cast<std::ptrdiff_t>(length)));
}

TEST_P(exchanges, bring_every_rank_the_values_of_the_ranks_that_it_asks_for) {
  constexpr std::uint64_t seed = 20261130;
  on_ranks(GetParam(), [&](communicator& world) {
    runtime::dice draws(seed);  // the same on every rank
    for (int round = 0; round < 30; ++round) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
      std::uint32_t const root = draws.below(world.size());
      std::uint64_t const values = draws.next();
      switch (draws.below(8)) {
        case 0: exchange_values<double>(world, values, root); break;
        case 1: exchange_values<std::uint8_t>(world, values, root); break;
        case 2: exchange_values<particle>(world, values, root); break;
        case 3: exchange_values<std::string>(world, values, root); break;
        case 4: exchange_values<molecule>(world, values, root); break;
        case 5: exchange_values<std::vector<bool>>(world, values, root); break;
        case 6: exchange_spans<particle>(world, values, root, 20); break;
        default: exchange_spans<std::uint8_t>(world, values, root, 9); break;
      }
    }
  });
}

TEST_P(exchanges, carry_long_spans_and_empty_ones) {
  on_ranks(GetParam(), [&](communicator& world) {
    exchange_spans<double>(world, 5, world.size() - 1, 200'000);
    exchange_spans<double>(world, 6, 0, 0);
    exchange_values<std::vector<double>>(world, 7, world.size() / 2);
  });
}

/// Each element reduced by itself, at its rank's own place in the vector.
template <class T>
void reduce_spans(communicator& world, T least, T most) {
  std::uint32_t const n = world.size();
  std::vector<T> sum(n + 1, T{2});
  std::vector<T> largest(n + 1, least);
  std::vector<T> smallest(n + 1, most);
  sum[world.rank()] = static_cast<T>(most - 2);
  largest[world.rank()] = static_cast<T>(least + 1);
  smallest[world.rank()] = static_cast<T>(most - 1);
  world.sum(std::span(sum));
  world.max(std::span(largest));
  world.min(std::span(smallest));
  EXPECT_EQ(sum[n], static_cast<T>(2 * n));
  EXPECT_EQ(largest[n], least);
  EXPECT_EQ(smallest[n], most);
  for (std::uint32_t r = 0; r < n; ++r) {
    EXPECT_EQ(static_cast<std::uint64_t>(sum[r]), static_cast<std::uint64_t>(most) - 2 + 2 * (n - 1)) << "wraps around";
    EXPECT_EQ(largest[r], static_cast<T>(least + 1));
    EXPECT_EQ(smallest[r], static_cast<T>(most - 1));
  }
}

TEST_P(exchanges, reduce_spans_of_integers_exactly_and_element_by_element) {
  on_ranks(GetParam(), [&](communicator& world) {
    reduce_spans<std::uint64_t>(world, 0, std::numeric_limits<std::uint64_t>::max());
    reduce_spans<std::int64_t>(world, std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max());
    std::array<double, 2> most{static_cast<double>(world.rank()), -1};
    std::array<double, 2> least = most;
    world.max(most);
    world.min(least);
    EXPECT_EQ(most, (std::array<double, 2>{world.size() - 1.0, -1}));
    EXPECT_EQ(least, (std::array<double, 2>{0, -1}));
  });
}

INSTANTIATE_TEST_SUITE_P(of_ranks, exchanges, ::testing::ValuesIn(numbers_of_ranks()));

}}}}  // namespace skua::v0::ranks
