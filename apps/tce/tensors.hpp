// SPDX-License-Identifier: MIT
// The three tensors in one process, by tiles, without their zero tiles. Their numbers are small integers, so that every sum
// is exact, whatever its order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/tce/contraction.hpp"
#include "apps/tce/tile_places.hpp"
#include "skua/parts/base/dice.hpp"

namespace skua::apps::tce {

/// The next element of A or B: a random whole number from -3 to 3.
[[nodiscard]] double random_element(runtime::dice& dice) noexcept;
/// A vector over the pairs (k, l), by which the check multiplies C.
[[nodiscard]] std::vector<double> random_vector(contraction const& on, std::uint64_t seed);
/// Empty if C x and A B x, over the pairs (i, j), are equal for a random x (Freivalds 1977), else one line: a wrong C passes with a probability below
/// 1/2000.
[[nodiscard]] std::string difference(contraction const& on, std::vector<double> const& c_x,
                                     std::vector<double> const& a_b_x);

/// A tensor of four indices.
class tiled_tensor {
 public:
  using spaces = tile_places::spaces;

  tiled_tensor() = default;
  /// Zeros. `over` must outlive it.
  explicit tiled_tensor(spaces const& over) : places_(over), elements_(places_.elements()) {}

  /// The elements of a non-zero tile, the last index fastest.
  [[nodiscard]] double* tile(tile_index const& which) noexcept { return &elements_[places_.at(which)]; }
  [[nodiscard]] double const* tile(tile_index const& which) const noexcept { return &elements_[places_.at(which)]; }
  [[nodiscard]] bool non_zero(tile_index const& which) const noexcept { return places_.non_zero(which); }
  [[nodiscard]] std::size_t tile_size(tile_index const& which) const noexcept { return places_.size(which); }
  [[nodiscard]] std::vector<double>& elements() noexcept { return elements_; }
  [[nodiscard]] std::vector<double> const& elements() const noexcept { return elements_; }

  /// Calls each(indices, element) for the elements of all non-zero tiles.
  void visit(std::function<void(std::array<std::uint32_t, 4> const&, double)> const& each) const;

 private:
  tile_places places_;
  std::vector<double> elements_;
};

/// A, B and C; see tensor_tiles.
class tensors {
 public:
  /// A and B are random whole numbers from -3 to 3, C is 0. `on` must outlive it.
  tensors(contraction const& on, std::uint64_t seed);

  void get_a(tile_index const& which, double* into) const noexcept { copy(a_, which, into); }
  void get_b(tile_index const& which, double* into) const noexcept { copy(b_, which, into); }
  void add_to_c(tile_index const& which, double const* from) noexcept {
    double* const to = c_.tile(which);
    for (std::size_t e = 0; e < c_.tile_size(which); ++e) to[e] += from[e];
  }
  void clear_c() noexcept { std::ranges::fill(c_.elements(), 0); }

  [[nodiscard]] tiled_tensor const& a() const noexcept { return a_; }
  [[nodiscard]] tiled_tensor const& b() const noexcept { return b_; }
  [[nodiscard]] tiled_tensor const& c() const noexcept { return c_; }

  /// C times a random vector. Work O(elements).
  [[nodiscard]] std::vector<double> c_times_random(std::uint64_t seed) const;
  /// A times (B times the same vector). Work O(elements).
  [[nodiscard]] std::vector<double> a_b_times_random(std::uint64_t seed) const;
  /// `c_x`: what c_times_random gave, or the sum of what it gave on several ranks. Returns an empty string or one line.
  [[nodiscard]] std::string wrong(std::uint64_t seed, std::vector<double> const& c_x) const {
    return difference(*on_, c_x, a_b_times_random(seed));
  }

 private:
  static void copy(tiled_tensor const& from, tile_index const& which, double* into) noexcept {
    std::copy_n(from.tile(which), from.tile_size(which), into);
  }

  contraction const* on_;
  tiled_tensor a_;
  tiled_tensor b_;
  tiled_tensor c_;
};

}  // namespace skua::apps::tce
