// SPDX-License-Identifier: MIT
// How the algorithms divide n elements: where they split a range, and how small a leaf may become.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "skua/parts/base/ranges.hpp"
#include "skua/program/cancel.hpp"
#include "skua/program/fork_join.hpp"
#include "skua/program/pieces.hpp"

namespace skua { inline namespace v0 { namespace runtime {

/// The largest number of elements of a leaf. 0, the default: the algorithm chooses.
struct grain {
  std::size_t elements = 0;
};
inline constexpr grain automatic{};  ///< the algorithm chooses

constexpr std::size_t divide_up(std::size_t n, std::size_t by) noexcept { return n / by + (n % by != 0 ? 1 : 0); }

/// The leaf size if the result does not depend on it: `wanted`, or a size for which halving makes 8 to 16 leaves per
/// worker. These are enough to balance leaves of unequal cost; forks are cheap, so fewer leaves would save nothing.
template <fork_join Here>
constexpr std::size_t leaf_size(Here const& here, grain wanted, std::size_t n) noexcept {
  if (wanted.elements != 0) return wanted.elements;
  return std::max<std::size_t>(1, divide_up(n, std::size_t{8} * std::max<std::uint32_t>(1, here.num_workers())));
}

/// The leaf size if the result may depend on it (floating-point sums): `wanted`, or a size that makes 256 to 512 leaves
/// for any number of workers.
constexpr std::size_t leaf_size(grain wanted, std::size_t n) noexcept {
  if (wanted.elements != 0) return wanted.elements;
  return std::max<std::size_t>(1, divide_up(n, 256));
}

/// Where every algorithm splits a range: in the middle, the shorter half first.
constexpr std::size_t middle(std::size_t begin, std::size_t end) noexcept { return begin + (end - begin) / 2; }

/// Calls leaf(here, begin, end) once for each piece of [0, n), in any order; makes no call if n is 0. `most`: halves
/// pieces until none has more elements; automatic: as auto_partitioner (run_usual_pieces). After a stop, throws
/// `cancelled` at the next piece. Work O(n / most) and span O(log(n / most)), plus the leaves.
template <fork_join Here, class Leaf>
void for_pieces(Here& here, std::size_t n, grain most, Leaf const& leaf) {
  piece_body<Here> const body{[](void const* self, Here& h, std::size_t from, std::size_t to) {
                                (*static_cast<Leaf const*>(self))(h, from, to);
                              },
                              &leaf};
  if (most.elements == 0) {
    run_usual_pieces(here, n, 1, body);
  } else {
    run_pieces(here, 0, n, {most.elements}, body);
  }
}

/// [first, last) as a range.
template <std::random_access_iterator It>
class between {
 public:
  constexpr between(It first, It last) : first_(first), last_(last) {}
  [[nodiscard]] constexpr It begin() const { return first_; }
  [[nodiscard]] constexpr It end() const { return last_; }

 private:
  It first_;
  It last_;
};

/// The iterator `n` after `first`, where the difference type may be any integer-like type.
template <std::random_access_iterator It>
constexpr It after(It first, std::size_t n) {
  return first + static_cast<std::iter_difference_t<It>>(n);
}

template <divisible_range Range>
constexpr std::size_t length(Range&& range) {
  return static_cast<std::size_t>(std::ranges::size(range));
}

}}}  // namespace skua::v0::runtime

namespace skua { inline namespace v0 {

using runtime::automatic;
using runtime::grain;

}}  // namespace skua::v0
