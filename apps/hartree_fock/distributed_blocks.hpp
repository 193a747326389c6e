// SPDX-License-Identifier: MIT
// The blocks of a Fock build whose matrices lie on all ranks. Matrices are symmetric, so a block stands in two places; tasks use the one whose rows are those of the second
// tile. Most tasks of a rank have the same few tiles L there, and K is near L: so they find most of D on their own rank, and most of F goes there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/hartree_fock/distributed_algebra.hpp"
#include "apps/hartree_fock/screening.hpp"

namespace skua::apps::hartree_fock {

/// Of one rank, for all its workers.
class build_blocks {
 public:
  /// All must outlive it. It takes no more memory than two of the rank's shares and two times the blocks (I, J) that have work: O(atoms).
  build_blocks(communicator& world, screening const& on, shared_matrix& density, shared_matrix& fock);

  /// Before each build.
  void begin();
  /// After it: what the tasks of this rank added to F is on its way.
  void end();
  /// What tasks got from other ranks and accumulated to them.
  [[nodiscard]] std::uint64_t remote_bytes() const noexcept { return remote_bytes_; }
  void count_anew() noexcept { remote_bytes_ = 0; }

  // --- any worker; `scratch`: of this worker

  void density(std::uint32_t i, std::uint32_t j, double* into);
  void add_to_fock(std::uint32_t i, std::uint32_t j, double const* from, std::vector<double>& scratch);
  [[nodiscard]] screening const& on() const noexcept { return on_; }

 private:
  screening const& on_;
  shared_matrix& d_;
  shared_matrix& f_;
  own_rows own_;  ///< of d_
  matrix_cache<double> others_;
  matrix_accumulator<double> sums_;
  std::uint64_t remote_bytes_ = 0;
};

/// A worker's view; see fock_blocks.
struct worker_blocks {
  void bounds(std::uint32_t i, std::uint32_t j, double* into) const noexcept { all.on().block(i, j, into); }
  void density(std::uint32_t i, std::uint32_t j, double* into) const { all.density(i, j, into); }
  void add_to_fock(std::uint32_t i, std::uint32_t j, double const* from) const { all.add_to_fock(i, j, from, scratch); }

  build_blocks& all;
  std::vector<double>& scratch;
};

}  // namespace skua::apps::hartree_fock
