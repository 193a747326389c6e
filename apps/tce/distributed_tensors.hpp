// SPDX-License-Identifier: MIT
// The three tensors on all ranks: each rank has a share of the tiles of A, B and C, and no rank has a whole tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/tce/contraction.hpp"
#include "apps/tce/tile_places.hpp"
#include "skua/distributed_matrix.hpp"

namespace skua::apps::tce {

/// Share n of so many: tasks [n T / shares, (n + 1) T / shares), which lie as they do in C.
[[nodiscard]] std::size_t first_task(contraction const& on, std::uint32_t share, std::uint32_t shares) noexcept;

/// Each tensor is a vector, in which its tiles lie one after the other, cut into one block per rank. A rank owns the tiles of C of its own share of the
/// tasks, and about the same rows (i, j) of A. B lies with its pairs exchanged, as (k, l, a, b), although each of its tiles is still (a, b, k, l). So a task
/// needs one run of elements of A and one of B: all of row (i, j), and all of row (k, l).
class distributed_tensors {
 public:
  /// Collective. The same numbers as those of `tensors`, C is 0. `on` must outlive it.
  distributed_tensors(communicator& world, contraction const& on, std::uint64_t seed);

  /// The tiles of one row, which stay where they are while it lives.
  struct row {
    double const* first = nullptr;
    matrix_cache<double>::block kept = {};  ///< null: the elements are this rank's own
  };

  // --- tasks, on any worker

  /// All tiles (i, j, a, b) of A.
  [[nodiscard]] row row_of_a(std::uint32_t i, std::uint32_t j) { return row_of(a_, i, j); }
  /// All tiles (a, b, k, l) of B.
  [[nodiscard]] row row_of_b(std::uint32_t k, std::uint32_t l) { return row_of(b_, k, l); }
  /// The task uses a row that its worker has kept.
  void note_row_of_a(std::uint32_t i, std::uint32_t j) { a_.all.note_use(row_at(i, j)); }
  void note_row_of_b(std::uint32_t k, std::uint32_t l) { b_.all.note_use(row_at(k, l)); }
  /// Where in its row a tile lies: (i, j, a, b), or (k, l, a, b) for the tile (a, b, k, l) of B.
  [[nodiscard]] std::size_t in_row(tile_index const& which) const noexcept { return pair_places_.in_row(which); }
  [[nodiscard]] std::size_t tile_size(tile_index const& which) const noexcept { return pair_places_.size(which); }
  /// Once for each tile between two `clear_c`: an own tile is stored, and not added.
  void add_to_c(tile_index const& which, double const* from);

  // --- collective

  void clear_c() { c_.all.fill(0); }
  /// What tasks added to C is there.
  void complete_c() { c_.all.sync(); }
  /// As those of `tensors`: on every rank the sum over the ranks.
  [[nodiscard]] std::vector<double> c_times_random(std::uint64_t seed);
  [[nodiscard]] std::vector<double> a_b_times_random(std::uint64_t seed);
  /// C as `tensors` has it on one rank, nothing on the others. For tests.
  [[nodiscard]] std::vector<double> gather_c(std::uint32_t to_rank) { return c_.all.gather(to_rank); }
  /// What tasks of all ranks got from other ranks and accumulated to them since count_anew().
  [[nodiscard]] std::uint64_t remote_bytes();

  // --- local

  void count_anew();
  /// Of this rank, of all three tensors, without its caches.
  [[nodiscard]] std::size_t own_elements() const noexcept { return a_.own + b_.own + c_.own; }
  /// Of all ranks.
  [[nodiscard]] std::size_t elements() const noexcept { return 2 * pair_places_.elements() + c_places_.elements(); }

 private:
  struct tensor {
    tensor(communicator& world, std::string name, std::size_t elements, std::vector<std::uint64_t> starts);
    [[nodiscard]] bool is_own(std::size_t at) const noexcept { return at - first < own; }  // wraps around below first

    distributed_matrix<double> all;
    std::size_t first = 0;  ///< of the own elements
    std::size_t own = 0;
    double* elements = nullptr;  ///< the own ones
    matrix_cache<double> others;
  };

  [[nodiscard]] rectangle row_at(std::uint32_t p, std::uint32_t q) const noexcept {
    return {pair_places_.at_row(p, q), 0, pair_places_.row_size(p, q), 1};
  }
  [[nodiscard]] row row_of(tensor& of, std::uint32_t p, std::uint32_t q);
  void fill(std::uint64_t seed);

  communicator& world_;
  contraction const* on_;
  tile_places pair_places_;  ///< of A, and of B with its pairs exchanged
  tile_places c_places_;
  tensor a_, b_, c_;
};

/// A worker's view of them; see tensor_tiles. It holds the rows of its last task: the tasks after it mostly have one of them, too.
class worker_tiles {
 public:
  explicit worker_tiles(distributed_tensors& all) noexcept : all_(all) {}

  /// The calls until the next one of this are those of a task: its footprint has each row once.
  void begin_task() noexcept { a_.is_noted = b_.is_noted = false; }
  void get_a(tile_index const& which, double* into);
  void get_b(tile_index const& which, double* into);
  void add_to_c(tile_index const& which, double const* from) { all_.add_to_c(which, from); }

 private:
  struct held {
    std::uint32_t p = 0;
    std::uint32_t q = 0;
    distributed_tensors::row at = {};
    bool is_noted = false;
  };
  void copy(held const& from, tile_index const& which, double* into) const;

  distributed_tensors& all_;
  held a_, b_;
};

}  // namespace skua::apps::tce
