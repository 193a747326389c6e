// SPDX-License-Identifier: MIT
#include "apps/tce/tensors.hpp"

#include "skua/parts/base/dice.hpp"

namespace skua::apps::tce {
namespace {

constexpr std::uint32_t largest_element = 3;
constexpr std::uint32_t largest_weight = 1000;

double whole(runtime::dice& dice, std::uint32_t most) noexcept {
  return static_cast<double>(dice.below(2 * most + 1)) - most;
}

void fill(tiled_tensor& one, runtime::dice& dice) noexcept {
  for (double& element : one.elements()) element = whole(dice, largest_element);
}

}  // namespace

tiled_tensor::tiled_tensor(spaces const& over) : over_(over) {
  std::size_t size = 0;
  offsets_.assign(std::size_t{over[0]->tiles()} * over[1]->tiles() * over[2]->tiles() * over[3]->tiles(), absent);
  for_each_tile([&](tile_index const& t) {
    auto const of = [&](std::size_t index, std::uint32_t tile) { return over_[index]->representation(tile); };
    if ((of(0, t.p) ^ of(1, t.q) ^ of(2, t.r) ^ of(3, t.s)) != 0) return;
    offsets_[place(t)] = size;
    size += tile_size(t);
  });
  elements_.resize(size);
}

template <class Each>
void tiled_tensor::for_each_tile(Each const& each) const {
  for (std::uint32_t p = 0; p < over_[0]->tiles(); ++p) {
    for (std::uint32_t q = 0; q < over_[1]->tiles(); ++q) {
      for (std::uint32_t r = 0; r < over_[2]->tiles(); ++r) {
        for (std::uint32_t s = 0; s < over_[3]->tiles(); ++s) each(tile_index{p, q, r, s});
      }
    }
  }
}

std::size_t tiled_tensor::tile_size(tile_index const& t) const noexcept {
  return std::size_t{over_[0]->size(t.p)} * over_[1]->size(t.q) * over_[2]->size(t.r) * over_[3]->size(t.s);
}

void tiled_tensor::visit_tile(tile_index const& t,
                              std::function<void(std::array<std::uint32_t, 4> const&, double)> const& each) const {
  double const* element = tile(t);
  std::array<std::uint32_t, 4> const first{over_[0]->first(t.p), over_[1]->first(t.q), over_[2]->first(t.r),
                                           over_[3]->first(t.s)};
  for (std::uint32_t p = 0; p < over_[0]->size(t.p); ++p) {
    for (std::uint32_t q = 0; q < over_[1]->size(t.q); ++q) {
      for (std::uint32_t r = 0; r < over_[2]->size(t.r); ++r) {
        for (std::uint32_t s = 0; s < over_[3]->size(t.s); ++s) {
          each({first[0] + p, first[1] + q, first[2] + r, first[3] + s}, *element++);
        }
      }
    }
  }
}

void tiled_tensor::visit(std::function<void(std::array<std::uint32_t, 4> const&, double)> const& each) const {
  for_each_tile([&](tile_index const& t) {
    if (non_zero(t)) visit_tile(t, each);
  });
}

tensors::tensors(contraction const& on, std::uint64_t seed)
    : on_(&on), a_({&on.outer(), &on.outer(), &on.inner(), &on.inner()}),
      b_({&on.inner(), &on.inner(), &on.outer(), &on.outer()}),
      c_({&on.outer(), &on.outer(), &on.outer(), &on.outer()}) {
  runtime::dice dice(seed);
  fill(a_, dice);
  fill(b_, dice);
}

std::vector<double> tensors::random_vector(std::uint64_t seed) const {
  runtime::dice dice(seed);
  std::vector<double> x(std::size_t{on_->outer().extent()} * on_->outer().extent());
  for (double& one : x) one = whole(dice, largest_weight);
  return x;
}

std::vector<double> tensors::c_times_random(std::uint64_t seed) const {
  std::size_t const outer = on_->outer().extent();
  std::vector<double> const x = random_vector(seed);
  std::vector<double> c_x(outer * outer);
  c_.visit([&](auto const& n, double value) { c_x[n[0] * outer + n[1]] += value * x[n[2] * outer + n[3]]; });
  return c_x;
}

std::string tensors::wrong(std::uint64_t seed, std::vector<double> const& c_x) const {
  std::size_t const outer = on_->outer().extent();
  std::size_t const inner = on_->inner().extent();
  std::vector<double> const x = random_vector(seed);
  std::vector<double> b_x(inner * inner);
  std::vector<double> a_b_x(outer * outer);
  b_.visit([&](auto const& n, double value) { b_x[n[0] * inner + n[1]] += value * x[n[2] * outer + n[3]]; });
  a_.visit([&](auto const& n, double value) { a_b_x[n[0] * outer + n[1]] += value * b_x[n[2] * inner + n[3]]; });
  for (std::size_t ij = 0; ij < c_x.size(); ++ij) {
    if (c_x[ij] != a_b_x[ij]) {
      return "tce: C is wrong in row (" + std::to_string(ij / outer) + ", " + std::to_string(ij % outer) + ")";
    }
  }
  return {};
}

}  // namespace skua::apps::tce
