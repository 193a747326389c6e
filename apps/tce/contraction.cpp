// SPDX-License-Identifier: MIT
#include "apps/tce/contraction.hpp"

#include <algorithm>
#include <utility>

namespace skua::apps::tce {
namespace {

std::size_t largest_pair(index_space const& of) noexcept {
  std::size_t most = 0;
  for (std::uint32_t t = 0; t < of.tiles(); ++t) most = std::max<std::size_t>(most, of.size(t));
  return most * most;
}

}  // namespace

contraction::contraction(shape const& s) : outer_(s.outer, s.tile), inner_(s.inner, s.tile) {
  std::uint32_t const n = outer_.tiles();
  auto const of = [&](std::uint32_t t) { return outer_.representation(t); };
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      for (std::uint32_t k = 0; k < n; ++k) {
        for (std::uint32_t l = 0; l < n; ++l) {
          if ((of(i) ^ of(j) ^ of(k) ^ of(l)) == 0) tasks_.push_back({i, j, k, l});
        }
      }
    }
  }
}

std::uint64_t contraction::all_tiles() const noexcept {
  std::uint64_t const pairs = std::uint64_t{outer_.tiles()} * outer_.tiles();
  return pairs * pairs;
}

std::uint32_t contraction::products(tile_index const& of_c) const noexcept {
  std::uint32_t count = 0;
  for_each_product(of_c, [&](std::uint32_t, std::uint32_t) { ++count; });
  return count;
}

std::uint64_t contraction::flops(tile_index const& of_c) const noexcept {
  std::uint64_t inner = 0;
  for_each_product(of_c,
                   [&](std::uint32_t a, std::uint32_t b) { inner += std::uint64_t{inner_.size(a)} * inner_.size(b); });
  return 2 * inner * outer_.size(of_c.p) * outer_.size(of_c.q) * outer_.size(of_c.r) * outer_.size(of_c.s);
}

std::uint64_t contraction::products() const noexcept {
  std::uint64_t sum = 0;
  for (tile_index const& one : tasks_) sum += products(one);
  return sum;
}

std::uint64_t contraction::flops() const noexcept {
  std::uint64_t sum = 0;
  for (tile_index const& one : tasks_) sum += flops(one);
  return sum;
}

contraction_worker::contraction_worker(contraction const& on, gemm with)
    : on_(on), gemm_(std::move(with)), a_(largest_pair(on.outer()) * largest_pair(on.inner())), b_(a_.size()),
      c_(largest_pair(on.outer()) * largest_pair(on.outer())) {}

void contraction_worker::begin(tile_index const& of_c) noexcept {
  index_space const& o = on_.outer();
  std::fill_n(c_.begin(), std::size_t{o.size(of_c.p)} * o.size(of_c.q) * o.size(of_c.r) * o.size(of_c.s), 0.0);
}

void contraction_worker::multiply(tile_index const& of_c, std::uint32_t a, std::uint32_t b) noexcept {
  index_space const& o = on_.outer();
  gemm_.multiply_add(std::size_t{o.size(of_c.p)} * o.size(of_c.q), std::size_t{o.size(of_c.r)} * o.size(of_c.s),
                     std::size_t{on_.inner().size(a)} * on_.inner().size(b), a_.data(), b_.data(), c_.data());
}

}  // namespace skua::apps::tce
