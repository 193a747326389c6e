// SPDX-License-Identifier: MIT
#include "apps/prefix_sum/problem.hpp"

#include <functional>
#include <numeric>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::prefix_sum {

// accumulate, not reduce: GCC 12 makes vectors of this one only
element sum_of(std::span<element const> blocks) noexcept {
  return std::accumulate(blocks.begin(), blocks.end(), element{0});
}

void scan(std::span<element> blocks, element before) noexcept {
  std::inclusive_scan(blocks.begin(), blocks.end(), blocks.begin(), std::plus<>{}, before);
}

one_array::one_array(blocked_array const& of, choice how, std::size_t number, std::size_t arrays)
    : of_(of), how_(how), offset_(number * of.blocks()), all_(arrays * of.blocks()),
      sums_(std::make_unique_for_overwrite<element[]>(of.blocks())) {}

bool one_array::is_next(block_range r) const noexcept {
  // acquire: the end of the block before. Pairs with: the release in first_pass.
  return how_ != choice::none && in_order_.load(std::memory_order_acquire) == r.first;
}

void one_array::add_up_sums(std::size_t first) noexcept {
  auto const sums = std::span(sums_.get(), of_.blocks()).subspan(first);
  std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), of_.before(first));
}

element input(std::uint64_t seed, std::uint64_t i) noexcept {
  return static_cast<element>(runtime::dice{(seed << 32) + i}.next() >> 32);
}

void fill(std::span<element> arrays, std::uint64_t seed) noexcept {
  for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i] = input(seed, i);
}

std::string wrong(std::span<element const> arrays, std::size_t n, std::uint64_t seed) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    element const before = i % n == 0 ? 0 : arrays[i - 1];
    element const right = input(seed, i);
    if (arrays[i] - before == right) continue;
    return "prefix-sum: array " + std::to_string(i / n) + ", element " + std::to_string(i % n) + ": " +
           std::to_string(arrays[i] - before) + " more than the one before; right is " + std::to_string(right);
  }
  return {};
}

}  // namespace skua::apps::prefix_sum
