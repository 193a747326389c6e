// SPDX-License-Identifier: MIT
// The three tensors in one process, by tiles, without their zero tiles. Their numbers are small integers, so that every sum
// is exact, whatever its order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "apps/tce/contraction.hpp"

namespace skua::apps::tce {

/// A tensor of four indices.
class tiled_tensor {
 public:
  using spaces = std::array<index_space const*, 4>;

  tiled_tensor() = default;
  /// Zeros. `over` must outlive it.
  explicit tiled_tensor(spaces const& over);

  /// The elements of a non-zero tile, the last index fastest.
  [[nodiscard]] double* tile(tile_index const& which) noexcept { return &elements_[offsets_[place(which)]]; }
  [[nodiscard]] double const* tile(tile_index const& which) const noexcept {
    return &elements_[offsets_[place(which)]];
  }
  [[nodiscard]] bool non_zero(tile_index const& which) const noexcept { return offsets_[place(which)] != absent; }
  [[nodiscard]] std::size_t tile_size(tile_index const& which) const noexcept;
  [[nodiscard]] std::vector<double>& elements() noexcept { return elements_; }
  [[nodiscard]] std::vector<double> const& elements() const noexcept { return elements_; }

  /// Calls each(indices, element) for the elements of all non-zero tiles.
  void visit(std::function<void(std::array<std::uint32_t, 4> const&, double)> const& each) const;
  void visit_tile(tile_index const& which,
                  std::function<void(std::array<std::uint32_t, 4> const&, double)> const& each) const;

 private:
  static constexpr std::size_t absent = std::numeric_limits<std::size_t>::max();
  [[nodiscard]] std::size_t place(tile_index const& t) const noexcept {
    return ((std::size_t{t.p} * over_[1]->tiles() + t.q) * over_[2]->tiles() + t.r) * over_[3]->tiles() + t.s;
  }
  template <class Each>
  void for_each_tile(Each const& each) const;

  spaces over_{};
  std::vector<std::size_t> offsets_;
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
  /// Multiplies A B by the same random vector as C (Freivalds 1977): a wrong C passes with a probability below 1/2000. `c_x`: what c_times_random
  /// gave, or the sum of what it gave on several ranks. Returns an empty string or one line. Work O(elements).
  [[nodiscard]] std::string wrong(std::uint64_t seed, std::vector<double> const& c_x) const;

 private:
  [[nodiscard]] std::vector<double> random_vector(std::uint64_t seed) const;
  static void copy(tiled_tensor const& from, tile_index const& which, double* into) noexcept {
    std::copy_n(from.tile(which), from.tile_size(which), into);
  }

  contraction const* on_;
  tiled_tensor a_;
  tiled_tensor b_;
  tiled_tensor c_;
};

}  // namespace skua::apps::tce
