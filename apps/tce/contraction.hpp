// SPDX-License-Identifier: MIT
// The tasks of the contraction: one per non-zero tile of C, which it computes from some products of tiles of A and B.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "apps/tce/gemm.hpp"
#include "apps/tce/shape.hpp"

namespace skua::apps::tce {

/// Four tiles: of a tile of C (i, j, k, l), of A (i, j, a, b) or of B (a, b, k, l).
struct tile_index {
  std::uint32_t p;
  std::uint32_t q;
  std::uint32_t r;
  std::uint32_t s;
  friend bool operator==(tile_index const&, tile_index const&) = default;
};

class contraction {
 public:
  explicit contraction(shape const& s);

  [[nodiscard]] index_space const& outer() const noexcept { return outer_; }
  [[nodiscard]] index_space const& inner() const noexcept { return inner_; }

  /// The non-zero tiles of C, l fastest.
  [[nodiscard]] std::vector<tile_index> const& tasks() const noexcept { return tasks_; }
  /// All tiles of C, zero or not.
  [[nodiscard]] std::uint64_t all_tiles() const noexcept;
  /// The pairs (a, b) of tiles that multiply in a task.
  [[nodiscard]] std::uint32_t products(tile_index const& of_c) const noexcept;
  [[nodiscard]] std::uint64_t flops(tile_index const& of_c) const noexcept;
  /// Of all tasks.
  [[nodiscard]] std::uint64_t products() const noexcept;
  [[nodiscard]] std::uint64_t flops() const noexcept;

  /// True if the product of representations lets this tile of A (or, with the pairs exchanged, of B) be non-zero.
  [[nodiscard]] bool non_zero(std::uint32_t i, std::uint32_t j, std::uint32_t a, std::uint32_t b) const noexcept {
    return (outer_.representation(i) ^ outer_.representation(j)) == pair_of_inner(a, b);
  }

  /// Calls each(a, b) for the products of a task.
  template <class Each>
  void for_each_product(tile_index const& of_c, Each const& each) const {
    for (std::uint32_t a = 0; a < inner_.tiles(); ++a) {
      for (std::uint32_t b = 0; b < inner_.tiles(); ++b) {
        if (non_zero(of_c.p, of_c.q, a, b)) each(a, b);
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t pair_of_inner(std::uint32_t a, std::uint32_t b) const noexcept {
    return inner_.representation(a) ^ inner_.representation(b);
  }

  index_space outer_;
  index_space inner_;
  std::vector<tile_index> tasks_;
};

/// The tiles of a task, each a dense array whose last index is fastest.
template <class T>
concept tensor_tiles = requires(T& on, tile_index const& which, double* into, double const* from) {
  on.get_a(which, into);     // copies the tile (i, j, a, b) of A
  on.get_b(which, into);     // copies the tile (a, b, k, l) of B
  on.add_to_c(which, from);  // adds to the tile (i, j, k, l) of C
};

/// Runs tasks, one at a time; each worker has its own. Holds room for three tiles.
class contraction_worker {
 public:
  /// `on` must outlive it. Workers of one process should share a gemm: making the first one loads a library.
  explicit contraction_worker(contraction const& on, gemm with = gemm());

  template <tensor_tiles Tiles>
  void run(tile_index const& of_c, Tiles& tiles) {
    begin(of_c);
    on_.for_each_product(of_c, [&](std::uint32_t a, std::uint32_t b) {
      tiles.get_a({of_c.p, of_c.q, a, b}, a_.data());
      tiles.get_b({a, b, of_c.r, of_c.s}, b_.data());
      multiply(of_c, a, b);
    });
    tiles.add_to_c(of_c, c_.data());
  }

 private:
  void begin(tile_index const& of_c) noexcept;
  void multiply(tile_index const& of_c, std::uint32_t a, std::uint32_t b) noexcept;

  contraction const& on_;
  gemm gemm_;
  std::vector<double> a_, b_, c_;
};

}  // namespace skua::apps::tce
