// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/fock_task.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "apps/hartree_fock/boys.hpp"
#include "apps/hartree_fock/integrals.hpp"
#include "usable.hpp"

namespace skua::apps::hartree_fock {
namespace {

/// Four running sums, because additions that wait for each other take longer than the loads.
double inner_product(double const* a, double const* b, std::size_t n) noexcept {
  double sum[4] = {};
  std::size_t m = 0;
  for (; m + 4 <= n; m += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sum[lane] += a[m + lane] * b[m + lane];
  }
  for (; m < n; ++m) sum[0] += a[m] * b[m];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double largest_of(double const* some, std::size_t n) noexcept { return *std::max_element(some, some + n); }

}  // namespace

void fock_worker::partners::clear() noexcept {
  for (auto* const list : {&bound, &x, &y, &z, &exponent, &factor}) list->clear();
  row.clear();
  column.clear();
}

void fock_worker::partners::reserve(std::size_t n) {
  for (auto* const list : {&bound, &x, &y, &z, &exponent, &factor}) list->reserve(n);
  row.reserve(n);
  column.reserve(n);
}

fock_worker::fock_worker(screening const& on)
    : on_(on), integrals_(all_integrals().back().function), boys_(table_of_boys().coefficients.data()),
      listed_(std::numeric_limits<std::uint64_t>::max()) {
  for (std::uint32_t i = 0; i < on.atoms().functions(); ++i) functions_.push_back(chain::function(i));
  std::size_t const side = std::min(on.tiles().tile, on.tiles().functions);
  for (auto* const block : {&s_ij_, &s_kl_, &d_kl_, &d_jl_, &f_ij_, &f_ik_, &values_, &densities_}) {
    block->resize(side * side);
  }
  kl_.reserve(side * side);
}

bool fock_worker::is_null(quartet const& task) const noexcept {
  tiling const& t = on_.tiles();
  return largest_of(s_ij_.data(), std::size_t{t.size(task.i)} * t.size(task.j)) *
             largest_of(s_kl_.data(), std::size_t{t.size(task.k)} * t.size(task.l)) <
         on_.threshold();
}

charge fock_worker::charge_of(std::uint32_t a, std::uint32_t b) const noexcept {
  product const ab = product_of(functions_[a], functions_[b]);
  return {
      .x = ab.centre.x, .y = ab.centre.y, .z = ab.centre.z, .exponent = ab.exponent, .factor = ab.factor / ab.exponent};
}

void fock_worker::list_partners(quartet const& task) {
  tiling const& t = on_.tiles();
  if (listed_ == t.pair(task.k, task.l)) return;
  listed_ = t.pair(task.k, task.l);
  std::uint32_t const columns = t.size(task.l);
  order_.resize(std::size_t{t.size(task.k)} * columns);
  std::iota(order_.begin(), order_.end(), 0U);
  std::erase_if(order_, [&](std::uint32_t m) { return s_kl_[m] * on_.largest() < on_.threshold(); });
  std::ranges::sort(order_, std::greater<>(), [&](std::uint32_t m) { return s_kl_[m]; });
  kl_.clear();
  for (std::uint32_t const m : order_) {
    charge const c = charge_of(t.first(task.k) + m / columns, t.first(task.l) + m % columns);
    kl_.row.push_back(m / columns);
    kl_.column.push_back(m % columns);
    kl_.bound.push_back(s_kl_[m]);
    kl_.x.push_back(c.x);
    kl_.y.push_back(c.y);
    kl_.z.push_back(c.z);
    kl_.exponent.push_back(c.exponent);
    kl_.factor.push_back(c.factor);
  }
}

std::uint64_t fock_worker::compute(quartet const& task) {
  tiling const& t = on_.tiles();
  list_partners(task);
  for (std::size_t m = 0; m < order_.size(); ++m) densities_[m] = d_kl_[order_[m]];
  std::ranges::fill(f_ik_, 0);
  charges const with{kl_.x.data(), kl_.y.data(), kl_.z.data(), kl_.exponent.data(), kl_.factor.data()};

  std::uint64_t found = 0;
  for (std::uint32_t i = 0; i < t.size(task.i); ++i) {
    double* const f_k = &f_ik_[std::size_t{i} * t.size(task.k)];
    for (std::uint32_t j = 0; j < t.size(task.j); ++j) {
      std::size_t const ij = std::size_t{i} * t.size(task.j) + j;
      double const bound = s_ij_[ij];
      auto const weak = std::ranges::partition_point(kl_.bound, [&](double s) { return bound * s >= on_.threshold(); });
      auto const n = static_cast<std::size_t>(weak - kl_.bound.begin());
      f_ij_[ij] = 0;
      if (n == 0) continue;
      integrals_(charge_of(t.first(task.i) + i, t.first(task.j) + j), with, n, boys_, values_.data());
      f_ij_[ij] = inner_product(values_.data(), densities_.data(), n);
      double const* const d_l = &d_jl_[std::size_t{j} * t.size(task.l)];
      for (std::size_t m = 0; m < n; ++m) f_k[kl_.row[m]] -= 0.5 * values_[m] * d_l[kl_.column[m]];
      found += n;
    }
  }
  return found;
}

simd::variants<integrals_function> all_integrals() {
  return simd::usable<integrals_function>([](auto arch) { return &integrals<decltype(arch)>; });
}

}  // namespace skua::apps::hartree_fock
