// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/distributed_blocks.hpp"

#include <algorithm>

namespace skua::apps::hartree_fock {
namespace {

/// into = the transpose of a block of so many rows and columns.
void transpose(double const* from, std::size_t leading, std::size_t rows, std::size_t columns, double* into) noexcept {
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = 0; j < rows; ++j) *into++ = from[j * leading + i];
  }
}

/// The block (I, J).
rectangle block_at(tiling const& t, std::uint32_t i, std::uint32_t j) noexcept {
  return {t.first(i), t.first(j), t.size(i), t.size(j)};
}

std::uint64_t bytes_of_share(communicator& world, shared_matrix const& of) noexcept {
  return of.rows() * of.columns() * sizeof(double) / world.size();
}

/// Of the blocks (I, J) that have work.
std::uint64_t bytes_of_pairs(screening const& on) noexcept {
  std::uint64_t const tile = std::min(on.tiles().tile, on.tiles().functions);
  return on.strong_pairs() * tile * tile * sizeof(double);
}

}  // namespace

build_blocks::build_blocks(communicator& world, screening const& on, shared_matrix& density, shared_matrix& fock)
    : on_(on), d_(density), f_(fock), own_(density), others_(density, bytes_of_share(world, density)),
      sums_(fock, 2 * (bytes_of_share(world, fock) + bytes_of_pairs(on))) {}

void build_blocks::begin() {
  d_.reset_traffic();
  f_.reset_traffic();
}

void build_blocks::end() {
  sums_.flush();
  others_.clear();
  remote_bytes_ += d_.traffic().remote_get.bytes + f_.traffic().remote_accumulated.bytes;
}

void build_blocks::density(std::uint32_t i, std::uint32_t j, double* into) {
  rectangle const mirrored = block_at(on_.tiles(), j, i);
  if (mirrored.row >= own_.first && mirrored.row + mirrored.rows <= own_.first + own_.count) {
    d_.note_use(mirrored);
    double const* const from = own_.row(mirrored.row - own_.first).data() + mirrored.column;
    return transpose(from, own_.n, mirrored.rows, mirrored.columns, into);
  }
  auto const kept = others_.get(mirrored);
  transpose(kept->data(), mirrored.columns, mirrored.rows, mirrored.columns, into);
}

void build_blocks::add_to_fock(std::uint32_t i, std::uint32_t j, double const* from, std::vector<double>& scratch) {
  rectangle const mirrored = block_at(on_.tiles(), j, i);
  scratch.resize(mirrored.size());
  transpose(from, mirrored.rows, mirrored.columns, mirrored.rows, scratch.data());
  sums_.accumulate(mirrored, scratch.data(), mirrored.columns);
}

}  // namespace skua::apps::hartree_fock
