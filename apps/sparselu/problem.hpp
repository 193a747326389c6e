// SPDX-License-Identifier: MIT
// sparselu: A = L * U without pivoting, of a matrix of blocks most of which are empty; elimination fills some of them. The
// pattern is that of the Barcelona OpenMP Tasks Suite (Duran et al. 2009), where the diagonal is not dominant: there nobody
// checks L * U. [arms-2021 4.4]
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/row_parts.hpp"
#include "skua/program/flow/flow.hpp"
#include "skua/program/footprint.hpp"

namespace skua::apps::sparselu {

inline constexpr std::size_t most_size = 1024;

/// Of blocks: `blocks` in a row and in a column, each of size x size floats, row by row. Null: an empty block.
class block_matrix {
 public:
  block_matrix() = default;
  /// All blocks are empty.
  block_matrix(std::size_t blocks, std::size_t size) : blocks_(blocks), size_(size), all_(blocks * blocks) {}

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size_ * size_ * sizeof(float); }  ///< of a block
  [[nodiscard]] float* at(std::size_t i, std::size_t j) const noexcept { return all_[i * blocks_ + j].get(); }
  /// The block, which is zero if it was empty. Throws std::bad_alloc.
  float* fill(std::size_t i, std::size_t j);
  [[nodiscard]] std::size_t filled() const noexcept;
  void copy(block_matrix const& from);

 private:
  std::size_t blocks_ = 0;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<float[]>> all_;
};

/// The pattern of the suite, with values from its range and a dominant diagonal, so that no pivots are needed.
block_matrix generated(std::size_t blocks, std::size_t size, std::uint64_t seed);

// The kernels, on blocks of `size`. Parts of the same operation may run at the same time.

/// The diagonal block becomes L and U, with ones on the diagonal of L.
void lu0(float* diagonal, std::size_t size) noexcept;
/// The columns [begin, end) of a block right of it: L^-1 * block.
void fwd(float const* diagonal, float* block, std::size_t size, std::size_t begin, std::size_t end) noexcept;
/// The rows [begin, end) of a block below it: block * U^-1.
void bdiv(float const* diagonal, float* block, std::size_t size, std::size_t begin, std::size_t end) noexcept;
/// The rows [begin, end) of inner -= below * right.
void bmod(float const* below, float const* right, float* inner, std::size_t size, std::size_t begin,
          std::size_t end) noexcept;

enum class operation : std::uint16_t { lu0 = 1, fwd, bdiv, bmod };

/// An operation on whole blocks: `block` is written, the others are read, if any.
struct task {
  operation what;
  std::size_t row, column;  ///< of the written block
  float* block;
  float const* first = nullptr;
  float const* second = nullptr;

  void run(std::size_t size) const noexcept;
  /// A part of it: columns of a `fwd`, else rows; not of an `lu0`, which has none.
  void run_part(std::size_t size, std::size_t begin, std::size_t end) const noexcept;
  [[nodiscard]] double operations(std::size_t size) const noexcept;
  [[nodiscard]] task_type type() const noexcept { return {.number = static_cast<std::uint16_t>(what)}; }
};

/// Calls visit(task) for the operations of the factorisation, in an order in which they can be executed. Fills the blocks that
/// it needs. Throws std::bad_alloc.
template <class Visit>
void for_each_task(block_matrix& a, Visit&& visit) {
  std::size_t const n = a.blocks();
  for (std::size_t k = 0; k < n; ++k) {
    float* const diagonal = a.at(k, k);
    visit(task{operation::lu0, k, k, diagonal});
    for (std::size_t j = k + 1; j < n; ++j) {
      if (a.at(k, j) != nullptr) visit(task{operation::fwd, k, j, a.at(k, j), diagonal});
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      if (a.at(i, k) != nullptr) visit(task{operation::bdiv, i, k, a.at(i, k), diagonal});
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      if (a.at(i, k) == nullptr) continue;
      for (std::size_t j = k + 1; j < n; ++j) {
        if (a.at(k, j) != nullptr) visit(task{operation::bmod, i, j, a.fill(i, j), a.at(i, k), a.at(k, j)});
      }
    }
  }
}

/// The graph: a task waits according to its reads and writes.
template <class Here>
void program(Here& here, block_matrix& a) {
  flow graph(here);
  std::size_t const n = a.blocks();
  std::size_t const size = a.size();
  std::size_t const bytes = a.bytes();
  for_each_task(a, [&](task const& t) {
    auto const hints = work{t.operations(size)} | address::of(t.row * n + t.column, n * n) | t.type();
    writes const block{t.block, bytes};
    // The rows of a block, or its columns, follow each other in memory, or in each row.
    std::size_t const row = size * sizeof(float);
    auto const rows = [row](auto const& of, std::size_t begin, std::size_t end) {
      return std::decay_t<decltype(of)>{static_cast<char const*>(of.data) + begin * row, (end - begin) * row};
    };
    auto const columns = [row, size](auto const& of, std::size_t begin, std::size_t end) {
      return std::decay_t<decltype(of)>{static_cast<char const*>(of.data) + begin * sizeof(float),
                                        (end - begin) * sizeof(float), size, row};
    };
    auto const add_team = [&](auto const& run_part, auto const&... words) {
      graph.add_team(hints, words..., block, [t, size, run_part, words..., block](auto& mine) {
        auto const part = mine.share(size);
        if (part.begin == part.end) return;
        flops const operations{part_of(t.operations(size), part.begin, part.end, size)};
        run_part(mine.here(), part.begin, part.end, operations, words..., block);
      });
    };
    reads const first{t.first, bytes};
    reads const second{t.second, bytes};
    switch (t.what) {
      case operation::lu0:
        graph.add(hints, block,
                  [t, size, block](auto& h) { h.leaf(block, flops{t.operations(size)}, [&] { t.run(size); }); });
        return;
      case operation::fwd:
        return add_team(
            [t, size, columns](auto& h, std::size_t begin, std::size_t end, flops count, reads diagonal, writes to) {
              h.leaf(diagonal, columns(to, begin, end), count, [&] { t.run_part(size, begin, end); });
            },
            first);
      case operation::bdiv:
        return add_team(
            [t, size, rows](auto& h, std::size_t begin, std::size_t end, flops count, reads diagonal, writes to) {
              h.leaf(diagonal, rows(to, begin, end), count, [&] { t.run_part(size, begin, end); });
            },
            first);
      case operation::bmod:
        return add_team(
            [t, size, rows](auto& h, std::size_t begin, std::size_t end, flops count, reads below, reads right,
                            writes to) {
              h.leaf(rows(below, begin, end), right, rows(to, begin, end), count,
                     [&] { t.run_part(size, begin, end); });
            },
            first, second);
    }
  });
  graph.run(here);
}

/// One operation after the other.
void run_alone(block_matrix& a);
void with_openmp(unsigned workers, block_matrix& a);

/// Empty if L * U * x = A * x for random x, as exactly as rounding allows; else one line. [Freivalds 1977]
/// |L U - A| <= g |L| |U| with g = n e / (1 - n e), whatever the order of summation (Higham 2002, theorem 9.3).
std::string wrong(block_matrix const& lu, block_matrix const& a);

}  // namespace skua::apps::sparselu
