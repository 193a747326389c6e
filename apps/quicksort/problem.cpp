// SPDX-License-Identifier: MIT
#include "apps/quicksort/problem.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::quicksort {
namespace {

/// Moves the keys that belong to the left to the front; returns how many there are. (N. Lomuto's partition.) Which keys do
/// is a coin toss, so the answer must not be a branch.
template <class BelongsLeft>
std::size_t partition(std::span<key> keys, BelongsLeft&& belongs_left) noexcept {
  key* const begin = keys.data();
  std::size_t left = 0;
  for (std::size_t at = 0; at < keys.size(); ++at) {
    key const k = begin[at];
    begin[at] = begin[left];
    begin[left] = k;
    left += static_cast<std::size_t>(belongs_left(k));
  }
  return left;
}

/// The median of keys at random positions: no order of the input has a bad pivot more often than another.
key median_of_some(std::span<key const> keys) noexcept {
  runtime::dice rolled{keys.size()};
  std::array<key, 9> some{};
  for (key& k : some) k = keys[rolled.below(static_cast<std::uint32_t>(keys.size()))];
  std::ranges::nth_element(some, some.begin() + some.size() / 2);
  return some[some.size() / 2];
}

}  // namespace

part part::whole(std::span<key> keys) noexcept {
  return {keys, 2 * static_cast<std::uint32_t>(std::bit_width(keys.size()))};
}

void part::sort_leaf() const noexcept { std::ranges::sort(keys); }

halves split(part const& p) noexcept {
  key const pivot = median_of_some(p.keys);
  std::size_t const in_left = partition(p.keys, [pivot](key k) { return k < pivot; });
  std::span<key> left = p.keys.first(in_left);
  std::span<key> right = p.keys.subspan(in_left);
  // Lopsided: the pivot may be one of many equal keys, all of which are on the right.
  if (left.size() <= p.keys.size() / 8) {
    right = right.subspan(partition(right, [pivot](key k) { return k <= pivot; }));
  }
  if (right.size() < left.size()) std::swap(left, right);
  return {{left, p.splits_left - 1}, {right, p.splits_left - 1}};
}

std::vector<key> made_input(std::string_view which, std::size_t n, std::uint64_t seed) {
  std::vector<key> keys(n);
  runtime::dice rolled{seed};
  for (std::size_t i = 0; i < n; ++i) {
    if (which == "random") keys[i] = static_cast<key>(rolled.next());
    if (which == "sorted") keys[i] = static_cast<key>(i);
    if (which == "reversed") keys[i] = static_cast<key>(n - i);
    if (which == "organ-pipe") keys[i] = static_cast<key>(std::min(i, n - i));
    if (which == "equal") keys[i] = 1;
    if (which == "few") keys[i] = static_cast<key>(rolled.below(3));
  }
  return keys;
}

std::uint64_t fingerprint(std::span<key const> keys) noexcept {
  std::uint64_t sum = 0;
  for (key const k : keys) sum += runtime::dice{static_cast<std::uint32_t>(k)}.next();
  return sum;
}

std::string wrong(std::span<key const> sorted, std::uint64_t right) {
  if (auto const at = std::ranges::is_sorted_until(sorted); at != sorted.end()) {
    return "quicksort: position " + std::to_string(at - sorted.begin()) + " holds " + std::to_string(*at) +
           " after a larger key";
  }
  if (fingerprint(sorted) != right) return "quicksort: these are not the keys of the input";
  return {};
}

}  // namespace skua::apps::quicksort
