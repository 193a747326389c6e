// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/quartets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

namespace skua::apps::hartree_fock::molecules {

quartets::quartets(shells of, double threshold) : of_(std::move(of)), library_(find_integrals()) {
  for (std::uint32_t i = 0; i < of_.all.size(); ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) pairs_.push_back(pair_of(of_, i, j));
  }
  order_pairs();
  list_tasks(threshold);
}

void quartets::order_pairs() {
  repulsion_integrals integrals(library_, of_);
  for (shell_pair& p : pairs_) {
    auto const values = integrals(p, p);
    std::size_t const functions = of_.all[p.i].functions() * of_.all[p.j].functions();
    double largest = 0;
    for (std::size_t f = 0; f < functions; ++f) largest = std::max(largest, std::abs(values[f * functions + f]));
    p.bound = std::sqrt(largest);
  }
  std::ranges::sort(pairs_, std::greater<>(), [](shell_pair const& p) { return std::tuple(p.bound, p.i, p.j); });
}

void quartets::list_tasks(double threshold) {
  // An element of a density is up to 2; Coulomb and exchange have a half and a quarter of the products of two, and each
  // integral stands for eight.
  constexpr double of_bound = 8 * (0.5 + 0.25) * 2 * 2;
  auto const functions_of = [&](shell_pair const& p) {
    return static_cast<double>(of_.all[p.i].functions() * of_.all[p.j].functions());
  };
  std::vector<double> bounds_before(pairs_.size() + 1);
  std::vector<double> work_before(pairs_.size() + 1);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    double const f = functions_of(pairs_[p]);
    bounds_before[p + 1] = bounds_before[p] + f * pairs_[p].bound;
    work_before[p + 1] = work_before[p] + f * static_cast<double>(pairs_[p].primitives.size());
  }
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    shell_pair const& one = pairs_[p];
    auto const last = std::partition_point(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(p) + 1,
                                           [&](shell_pair const& q) { return one.bound * q.bound >= threshold; });
    auto const end = static_cast<std::size_t>(last - pairs_.begin());
    double const f = functions_of(one);
    error_ += of_bound * f * one.bound * (bounds_before[p + 1] - bounds_before[end]);
    computed_ += end;
    left_out_ += p + 1 - end;
    if (end == 0) continue;  // and so are those of all later pairs
    ends_.push_back(static_cast<std::uint32_t>(end));
    work_.push_back(f * static_cast<double>(one.primitives.size()) * work_before[end]);
  }
}

void quartet_worker::run(std::uint32_t task, matrix const& density) {
  shell_pair const& p = of_.pair(task);
  shells const& all = of_.of();
  auto const sum_of_l = [&](shell_pair const& pair) { return all.all[pair.i].l + all.all[pair.j].l; };
  for (std::uint32_t n = 0; n < of_.end(task); ++n) {
    shell_pair const& q = of_.pair(n);
    double const weight = (p.i == p.j ? 1. : 2.) * (q.i == q.j ? 1. : 2.) * (n == task ? 1. : 2.);
    if (sum_of_l(p) <= sum_of_l(q)) {
      add(p, q, weight, density);
    } else {
      add(q, p, weight, density);
    }
  }
}

void quartet_worker::add(shell_pair const& bra, shell_pair const& ket, double weight, matrix const& density) {
  std::vector<shell> const& all = of_.of().all;
  shell const& first = all[bra.i];
  shell const& second = all[bra.j];
  shell const& third = all[ket.i];
  shell const& fourth = all[ket.j];
  double const* value = integrals_(bra, ket).data();
  for (std::size_t a = first.first; a < first.first + first.functions(); ++a) {
    for (std::size_t b = second.first; b < second.first + second.functions(); ++b) {
      double coulomb = 0;
      double const of_ab = density.at(a, b);
      for (std::size_t c = third.first; c < third.first + third.functions(); ++c) {
        double const of_ac = density.at(a, c);
        double const of_bc = density.at(b, c);
        double exchange_ac = 0;
        double exchange_bc = 0;
        for (std::size_t d = fourth.first; d < fourth.first + fourth.functions(); ++d) {
          double const v = weight * *value++;
          coulomb += density.at(c, d) * v;
          fock.at(c, d) += of_ab * v;
          exchange_ac += density.at(b, d) * v;
          exchange_bc += density.at(a, d) * v;
          fock.at(b, d) -= 0.25 * of_ac * v;
          fock.at(a, d) -= 0.25 * of_bc * v;
        }
        fock.at(a, c) -= 0.25 * exchange_ac;
        fock.at(b, c) -= 0.25 * exchange_bc;
      }
      fock.at(a, b) += coulomb;
    }
  }
}

matrix symmetric(matrix const& sum) {
  matrix f(sum.n);
  for (std::size_t i = 0; i < f.n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) f.at(i, j) = f.at(j, i) = 0.25 * (sum.at(i, j) + sum.at(j, i));
  }
  return f;
}

}  // namespace skua::apps::hartree_fock::molecules
