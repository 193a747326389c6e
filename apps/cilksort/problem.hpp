// SPDX-License-Identifier: MIT
// Cilk's sort: sorts quarters in parallel, then merges them in parallel. (Cilk 5.4's cilksort; Akl and Santoro 1987 for
// the merge.) The work and its cuts are values, so that every runtime cuts alike and has the same leaves.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/owned_array.hpp"
#include "apps/place_range.hpp"
#include "apps/tbb_workers.hpp"
#include "skua/program/fork_join.hpp"

namespace skua::apps::cilksort {

/// 32 or 64 bits wide.
template <class Key>
concept sort_key = std::same_as<Key, std::int32_t> || std::same_as<Key, std::int64_t>;

inline constexpr std::int64_t most_n = std::int64_t{1} << 30;
inline constexpr std::size_t sort_leaf_keys = 2048;   ///< std::sort sorts up to this many
inline constexpr std::size_t merge_leaf_keys = 4096;  ///< one loop merges up to this many

/// Merges two sorted runs into `out`, which has room for exactly both.
template <sort_key Key>
struct merging {
  std::span<Key const> a;
  std::span<Key const> b;
  std::span<Key> out;

  [[nodiscard]] bool is_leaf() const noexcept { return out.size() <= merge_leaf_keys; }
  void run_leaf() const noexcept;
  /// Two merges of disjoint keys: cuts the longer run in the middle, and the other where the middle key belongs.
  [[nodiscard]] std::pair<merging, merging> halves() const noexcept;
};

/// Where the quarters of n keys begin and end: 0, ..., n.
constexpr std::array<std::size_t, 5> quarters_of(std::size_t n) noexcept { return {0, n / 4, n / 4 * 2, n / 4 * 3, n}; }

/// Sorts `data`; `scratch` has the same size.
template <sort_key Key>
struct sorting {
  std::span<Key> data;
  std::span<Key> scratch;

  [[nodiscard]] bool is_leaf() const noexcept { return data.size() <= sort_leaf_keys; }
  void run_leaf() const noexcept { std::sort(data.begin(), data.end()); }
  [[nodiscard]] std::array<sorting, 4> quarters() const noexcept;
  /// The merges that remain when the quarters are sorted: the first two and the last two into scratch; then both back.
  [[nodiscard]] merging<Key> first_half() const noexcept;
  [[nodiscard]] merging<Key> second_half() const noexcept;
  [[nodiscard]] merging<Key> back() const noexcept;
};

/// The hints of a part: its keys as work, and its place if one is given; else the place is inherited.
inline hint known(std::size_t keys, std::optional<place_id> at) noexcept {
  return {.work = static_cast<double>(keys), .place = at};
}

/// Work O(n), span O(log^2 n) for n keys in both runs.
template <fork_join Here, sort_key Key>
void merge(Here& here, merging<Key> const& m) {
  if (m.is_leaf()) {
    here.leaf(reads{m.a.data(), m.a.size_bytes()}, reads{m.b.data(), m.b.size_bytes()},
              writes{m.out.data(), m.out.size_bytes()}, [&] { m.run_leaf(); });
    return;
  }
  auto const halves = m.halves();
  here.join(
      known(halves.first.out.size(), {}), [&halves](Here& h) { merge(h, halves.first); },
      known(halves.second.out.size(), {}), [&halves](Here& h) { merge(h, halves.second); });
}

/// Work O(n log n), span O(log^3 n). Not stable. Each quarter belongs to a share of the places, and so does the quarter
/// that it is merged with first; the last merge has no place. [adws-sc19 4.1; numa-ws-2018 Fig. 4]
template <fork_join Here, sort_key Key>
void sort(Here& here, sorting<Key> const& s, place_range const& at = {}) {
  if (s.is_leaf()) {
    here.leaf(writes{s.data.data(), s.data.size_bytes()}, [&] { s.run_leaf(); });
    return;
  }
  auto const q = s.quarters();
  auto const home = [&at](std::uint32_t i) {
    return at.count > 1 ? std::optional<place_id>(place_id{at.quarter(i).first}) : std::nullopt;
  };
  auto const quarter = [&](std::uint32_t i) { return [&, i](Here& h) { sort(h, q[i], at.quarter(i)); }; };
  auto const size = [&q](std::uint32_t i) { return q[i].data.size(); };
  here.join(known(size(0), home(0)), quarter(0), known(size(1), home(1)), quarter(1), known(size(2), home(2)),
            quarter(2), known(size(3), home(3)), quarter(3));
  here.join(
      known(size(0) + size(1), home(0)), [&](Here& h) { merge(h, s.first_half()); }, known(size(2) + size(3), home(2)),
      [&](Here& h) { merge(h, s.second_half()); });
  merge(here, s.back());
}

/// Which place owns which of n keys, in `data` and `scratch` alike, by the hints of sort().
std::vector<memory::share> owners(std::size_t n, place_range const& at);

/// The numbers 0 .. n-1 in an order that depends on the seed alone.
template <sort_key Key>
std::vector<Key> shuffled(std::size_t n, std::uint64_t seed);

/// Empty if this is 0 .. n-1 in order, hence sorted and a permutation of the input; else one line that says where not.
template <sort_key Key>
std::string wrong(std::span<Key const> sorted);

template <sort_key Key>
void with_openmp(unsigned workers, sorting<Key> const& s);
template <sort_key Key>
void with_tbb(tbb_workers& workers, unsigned count, sorting<Key> const& s);

}  // namespace skua::apps::cilksort
