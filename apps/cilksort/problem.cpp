// SPDX-License-Identifier: MIT
#include "apps/cilksort/problem.hpp"

#include <numeric>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::cilksort {

void merging::run_leaf() const noexcept {
  key const* x = a.data();
  key const* y = b.data();
  key const* const x_end = x + a.size();
  key const* const y_end = y + b.size();
  key* to = out.data();
  // The comparison is a coin toss, so it must not be a branch.
  while (x != x_end && y != y_end) {
    key const from_x = *x;
    key const from_y = *y;
    bool const take_y = from_y < from_x;
    *to++ = take_y ? from_y : from_x;
    x += static_cast<std::ptrdiff_t>(!take_y);
    y += static_cast<std::ptrdiff_t>(take_y);
  }
  std::copy(y, y_end, std::copy(x, x_end, to));
}

std::pair<merging, merging> merging::halves() const noexcept {
  if (a.size() < b.size()) return merging{b, a, out}.halves();
  std::size_t const in_a = a.size() / 2;
  auto const in_b = static_cast<std::size_t>(std::lower_bound(b.begin(), b.end(), a[in_a]) - b.begin());
  return {merging{a.first(in_a), b.first(in_b), out.first(in_a + in_b)},
          merging{a.subspan(in_a), b.subspan(in_b), out.subspan(in_a + in_b)}};
}

std::array<sorting, 4> sorting::quarters() const noexcept {
  std::size_t const q = data.size() / 4;
  return {sorting{data.first(q), scratch.first(q)}, sorting{data.subspan(q, q), scratch.subspan(q, q)},
          sorting{data.subspan(2 * q, q), scratch.subspan(2 * q, q)},
          sorting{data.subspan(3 * q), scratch.subspan(3 * q)}};
}

merging sorting::first_half() const noexcept {
  std::size_t const q = data.size() / 4;
  return {data.first(q), data.subspan(q, q), scratch.first(2 * q)};
}

merging sorting::second_half() const noexcept {
  std::size_t const q = data.size() / 4;
  return {data.subspan(2 * q, q), data.subspan(3 * q), scratch.subspan(2 * q)};
}

merging sorting::back() const noexcept {
  std::size_t const q = data.size() / 4;
  return {scratch.first(2 * q), scratch.subspan(2 * q), data};
}

std::vector<key> shuffled(std::size_t n, std::uint64_t seed) {
  std::vector<key> keys(n);
  std::iota(keys.begin(), keys.end(), 0);
  runtime::dice rolled{seed};
  for (std::size_t left = n; left > 1; --left) {
    std::swap(keys[left - 1], keys[rolled.below(static_cast<std::uint32_t>(left))]);
  }
  return keys;
}

std::string wrong(std::span<key const> sorted) {
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<key>(i)) {
      return "cilksort: position " + std::to_string(i) + " holds " + std::to_string(sorted[i]) + "; right is " +
             std::to_string(i);
    }
  }
  return {};
}

}  // namespace skua::apps::cilksort
