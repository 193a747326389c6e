// SPDX-License-Identifier: MIT
// quicksort: each task partitions its part sequentially, leaves the larger half to others and goes on with the smaller one.
// No input makes it quadratic: the pivot is a median of random keys, keys that equal it are set aside where a partition is
// lopsided, and std::sort takes over from parts that were split too often. The twins split alike. [strategies-2013 4]
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/tbb_workers.hpp"
#include "skua/program/strategy/finish.hpp"

namespace skua::apps::quicksort {

using key = std::int32_t;
inline constexpr std::int64_t most_n = std::int64_t{1} << 30;

/// How tasks are spawned.
enum class choice : std::uint8_t {
  by_size,  ///< with the strategy below
  lifo,     ///< without a strategy: the newest first, thieves take the oldest
};

/// Keys that are still to be sorted.
struct part {
  std::span<key> keys;
  std::uint32_t splits_left = 0;  ///< then std::sort takes over, whose work is never quadratic

  /// All keys, with twice the splits that halving takes.
  [[nodiscard]] static part whole(std::span<key> keys) noexcept;
  [[nodiscard]] bool is_leaf(std::size_t cutoff) const noexcept { return keys.size() <= cutoff || splits_left == 0; }
  void sort_leaf() const noexcept;
  [[nodiscard]] writes in_place() const noexcept { return {keys.data(), keys.size_bytes()}; }
};

struct halves {
  part smaller;
  part larger;
};

/// Partitions p. No key of the left half is greater than one of the right half; keys between them, if any, are in their
/// final position. p has at least 2 keys and a split left. Work O(keys), sequential.
halves split(part const& p) noexcept;

/// The smaller part first, which is depth-first here; thieves take the largest.
struct by_size {
  double keys;
  double weight;

  /// Weight n log n, where n counts the pieces of `cutoff` keys: a part of two of them is two tasks.
  by_size(std::size_t n, std::size_t cutoff) noexcept : keys(static_cast<double>(n)) {
    double const pieces = keys / static_cast<double>(cutoff);
    weight = pieces * std::log2(pieces);
  }
  [[nodiscard]] double key(strategies::requester const& by) const noexcept { return by.steals ? -keys : keys; }
  [[nodiscard]] double transitive_weight() const noexcept { return weight; }
  [[nodiscard]] static constexpr bool allow_call_conversion() noexcept { return true; }
};
static_assert(strategy<by_size>);

struct options {
  std::size_t cutoff = 256;  ///< std::sort sorts at most this many keys
  choice how = choice::by_size;
};

template <class Region>
void sort_leaf(Region& f, part const& p) {
  auto const n = static_cast<double>(p.keys.size());
  f.here().leaf(p.in_place(), flops{n * std::log2(n + 1)}, [&] { p.sort_leaf(); });
}

template <class Region>
void sort(Region& f, part p, options const& with) {
  while (!p.is_leaf(with.cutoff)) {
    auto const [smaller, larger] =
        f.here().leaf(p.in_place(), flops{static_cast<double>(p.keys.size())}, [&] { return split(p); });
    auto const task = [larger, with](auto& inner) { sort(inner, larger, with); };
    if (larger.is_leaf(with.cutoff)) {
      sort_leaf(f, larger);
    } else if (with.how == choice::lifo) {
      f.spawn(task);
    } else {
      f.spawn(by_size{larger.keys.size(), with.cutoff}, task);
    }
    p = smaller;
  }
  sort_leaf(f, p);
}

/// Sorts the keys. Work O(n log n); span O(n), expected, because the first partition is sequential.
template <has_finish Here>
void program(Here& here, std::span<key> keys, options const& with) {
  here.finish([&](auto& f) { sort(f, part::whole(keys), with); });
}

/// Inputs on which simple pivots fail, and random keys.
inline constexpr std::array<std::string_view, 6> inputs{"random", "sorted", "reversed", "organ-pipe", "equal", "few"};
std::vector<key> made_input(std::string_view which, std::size_t n, std::uint64_t seed);

/// A sum over all keys that their order does not change, and that another set of keys hardly ever has.
std::uint64_t fingerprint(std::span<key const> keys) noexcept;

/// Empty if these are sorted and have the fingerprint; else one line.
std::string wrong(std::span<key const> sorted, std::uint64_t right);

void with_openmp(unsigned workers, std::span<key> keys, std::size_t cutoff);
void with_tbb(tbb_workers& workers, unsigned count, std::span<key> keys, std::size_t cutoff);

}  // namespace skua::apps::quicksort
