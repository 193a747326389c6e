// SPDX-License-Identifier: MIT
#include "apps/cilksort/problem.hpp"

#include <numeric>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::cilksort {

template <sort_key Key>
void merging<Key>::run_leaf() const noexcept {
  Key const* x = a.data();
  Key const* y = b.data();
  Key const* const x_end = x + a.size();
  Key const* const y_end = y + b.size();
  Key* to = out.data();
  // The comparison is a coin toss, so it must not be a branch.
  while (x != x_end && y != y_end) {
    Key const from_x = *x;
    Key const from_y = *y;
    bool const take_y = from_y < from_x;
    *to++ = take_y ? from_y : from_x;
    x += static_cast<std::ptrdiff_t>(!take_y);
    y += static_cast<std::ptrdiff_t>(take_y);
  }
  std::copy(y, y_end, std::copy(x, x_end, to));
}

template <sort_key Key>
auto merging<Key>::halves() const noexcept -> std::pair<merging, merging> {
  if (a.size() < b.size()) return merging{b, a, out}.halves();
  std::size_t const in_a = a.size() / 2;
  auto const in_b = static_cast<std::size_t>(std::lower_bound(b.begin(), b.end(), a[in_a]) - b.begin());
  return {merging{a.first(in_a), b.first(in_b), out.first(in_a + in_b)},
          merging{a.subspan(in_a), b.subspan(in_b), out.subspan(in_a + in_b)}};
}

template <sort_key Key>
auto sorting<Key>::quarters() const noexcept -> std::array<sorting, 4> {
  auto const cut = quarters_of(data.size());
  auto const part = [&](std::size_t i) {
    std::size_t const size = cut[i + 1] - cut[i];
    return sorting{data.subspan(cut[i], size), scratch.subspan(cut[i], size)};
  };
  return {part(0), part(1), part(2), part(3)};
}

template <sort_key Key>
merging<Key> sorting<Key>::first_half() const noexcept {
  std::size_t const q = data.size() / 4;
  return {data.first(q), data.subspan(q, q), scratch.first(2 * q)};
}

template <sort_key Key>
merging<Key> sorting<Key>::second_half() const noexcept {
  std::size_t const q = data.size() / 4;
  return {data.subspan(2 * q, q), data.subspan(3 * q), scratch.subspan(2 * q)};
}

template <sort_key Key>
merging<Key> sorting<Key>::back() const noexcept {
  std::size_t const q = data.size() / 4;
  return {scratch.first(2 * q), scratch.subspan(2 * q), data};
}

std::vector<memory::share> owners(std::size_t n, place_range const& at) {
  if (at.count <= 1 || n <= sort_leaf_keys) return {{.place = place_id{at.first}, .first = 0, .count = n}};
  std::vector<memory::share> all;
  auto const cut = quarters_of(n);
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (memory::share part : owners(cut[i + 1] - cut[i], at.quarter(i))) {
      part.first += cut[i];
      all.push_back(part);
    }
  }
  return all;
}

template <sort_key Key>
std::vector<Key> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<Key> keys(n);
  std::iota(keys.begin(), keys.end(), Key{0});
  runtime::dice rolled{seed};
  for (std::size_t left = n; left > 1; --left) {
    std::swap(keys[left - 1], keys[rolled.below(static_cast<std::uint32_t>(left))]);
  }
  return keys;
}

template <sort_key Key>
std::string wrong(std::span<Key const> sorted) {
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<Key>(i)) {
      return "cilksort: position " + std::to_string(i) + " holds " + std::to_string(sorted[i]) + "; right is " +
             std::to_string(i);
    }
  }
  return {};
}

template struct merging<std::int32_t>;
template struct merging<std::int64_t>;
template struct sorting<std::int32_t>;
template struct sorting<std::int64_t>;
template std::vector<std::int32_t> shuffled(std::size_t, std::uint64_t);
template std::vector<std::int64_t> shuffled(std::size_t, std::uint64_t);
template std::string wrong(std::span<std::int32_t const>);
template std::string wrong(std::span<std::int64_t const>);

}  // namespace skua::apps::cilksort
