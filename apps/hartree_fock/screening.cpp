// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/screening.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "apps/checks.hpp"

namespace skua::apps::hartree_fock {
namespace {

double schwarz(gaussian const& a, gaussian const& b) noexcept {
  product const ab = product_of(a, b);
  return std::sqrt(repulsion(ab, ab));
}

/// How many products of one number of a with one of b reach the threshold; both fall. Work O(|a| + |b|).
std::uint64_t products_above(std::vector<double> const& a, std::vector<double> const& b, double threshold) noexcept {
  std::uint64_t found = 0;
  std::size_t partners = b.size();
  for (double const one : a) {
    while (partners > 0 && one * b[partners - 1] < threshold) --partners;
    found += partners;
  }
  return found;
}

}  // namespace

screening::screening(chain const& of, std::uint32_t tile, double threshold)
    : chain_(of), tiles_{.functions = of.functions(), .tile = tile}, threshold_(threshold) {
  require_between("hartree-fock: atoms", std::int64_t{of.atoms}, 1, std::int64_t{chain::most_atoms});
  require_between("hartree-fock: the tile", std::int64_t{tile}, 1, std::int64_t{1} << 30);
  require_between("hartree-fock: the threshold", threshold, 0, 1);
  tabulate();
  classify();
  count();
}

void screening::tabulate() {
  for (std::uint32_t distance = 0; distance < chain_.atoms; ++distance) {
    double strongest = 0;
    for (std::uint32_t f = 0; f < per_atom; ++f) {
      for (std::uint32_t g = 0; g < per_atom; ++g) {
        double const here = schwarz(chain::function(f), chain::function(distance * chain::functions_per_atom + g));
        table_.push_back(here);
        strongest = std::max(strongest, here);
      }
    }
    largest_ = std::max(largest_, strongest);
    if (strongest * largest_ < threshold_) break;  // bounds fall with the distance
  }
}

double screening::bound(std::uint32_t i, std::uint32_t j) const noexcept {
  if (i > j) std::swap(i, j);
  std::size_t const a = i / per_atom;
  std::size_t const b = j / per_atom;
  std::size_t const at = ((b - a) * per_atom + i % per_atom) * per_atom + j % per_atom;
  return at < table_.size() ? table_[at] : 0;
}

void screening::block(std::uint32_t i, std::uint32_t j, double* into) const noexcept {
  for (std::uint32_t row = 0; row < tiles_.size(i); ++row) {
    for (std::uint32_t column = 0; column < tiles_.size(j); ++column) {
      *into++ = bound(tiles_.first(i) + row, tiles_.first(j) + column);
    }
  }
}

void screening::classify() {
  std::map<std::vector<double>, std::uint32_t> known;
  std::uint64_t const range = table_.size() / per_atom;  // functions further apart have bound 0
  std::uint64_t const reach = range / tiles_.tile + 2;
  std::uint32_t const tiles = tiles_.count();
  std::vector<double> bounds;
  for (std::uint32_t j = 0; j < tiles; ++j) {
    std::uint64_t const begin = j > reach ? j - reach : 0;
    std::uint64_t const end = std::min<std::uint64_t>(tiles, j + reach + 1);
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      bounds.resize(std::size_t{tiles_.size(i)} * tiles_.size(j));
      block(i, j, bounds.data());
      std::erase_if(bounds, [&](double s) { return s * largest_ < threshold_; });
      if (bounds.empty()) continue;
      std::ranges::sort(bounds, std::greater<>());
      auto const [at, added] = known.try_emplace(bounds, static_cast<std::uint32_t>(classes_.size()));
      if (added) classes_.push_back({.bounds = bounds});
      ++classes_[at->second].pairs;
      strong_.push_back({.pair = tiles_.pair(i, j), .of_class = at->second});
    }
  }
}

void screening::count() {
  work_.resize(classes_.size() * classes_.size());
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      std::uint64_t const found = products_above(classes_[a].bounds, classes_[b].bounds, threshold_);
      work_[a * classes_.size() + b] = found;
      work_[b * classes_.size() + a] = found;
    }
  }
}

screening::strong_pair const* screening::find(std::uint64_t pair) const noexcept {
  auto const at = std::ranges::lower_bound(strong_, pair, {}, &strong_pair::pair);
  return at != strong_.end() && at->pair == pair ? &*at : nullptr;
}

std::uint64_t screening::integrals_of(quartet const& task) const noexcept {
  strong_pair const* const ij = find(tiles_.pair(task.i, task.j));
  strong_pair const* const kl = find(tiles_.pair(task.k, task.l));
  return ij == nullptr || kl == nullptr ? 0 : work(*ij, *kl);
}

bool screening::null(quartet const& task) const noexcept { return integrals_of(task) == 0; }

std::uint64_t screening::non_null() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      if (work_[a * classes_.size() + b] > 0) sum += classes_[a].pairs * classes_[b].pairs;
    }
  }
  return sum;
}

std::uint64_t screening::integrals() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    for (std::size_t b = 0; b < classes_.size(); ++b) {
      sum += work_[a * classes_.size() + b] * classes_[a].pairs * classes_[b].pairs;
    }
  }
  return sum;
}

/// Calls each(id, integrals) for the tasks in [first, last) that are not null.
template <class Visit>
void screening::visit(std::uint64_t first, std::uint64_t last, Visit const& each) const {
  last = std::min(last, tiles_.tasks());
  if (first >= last) return;
  std::uint64_t const pairs = tiles_.pairs();
  auto kl = std::ranges::lower_bound(strong_, first / pairs, {}, &strong_pair::pair);
  for (; kl != strong_.end() && kl->pair * pairs < last; ++kl) {
    std::uint64_t const base = kl->pair * pairs;
    auto ij = std::ranges::lower_bound(strong_, first > base ? first - base : 0, {}, &strong_pair::pair);
    for (; ij != strong_.end() && base + ij->pair < last; ++ij) {
      if (std::uint64_t const found = work(*ij, *kl); found > 0) each(base + ij->pair, found);
    }
  }
}

std::vector<std::uint64_t> screening::non_null_ids(std::uint64_t first, std::uint64_t last) const {
  std::vector<std::uint64_t> ids;
  visit(first, last, [&](std::uint64_t id, std::uint64_t) { ids.push_back(id); });
  return ids;
}

std::vector<std::uint64_t> screening::integrals_per_task() const {
  std::vector<std::uint64_t> all;
  all.reserve(non_null());
  visit(0, tiles_.tasks(), [&](std::uint64_t, std::uint64_t found) { all.push_back(found); });
  return all;
}

std::vector<std::uint64_t> task_integrals(std::uint32_t atoms, std::uint32_t tile) {
  return screening({.atoms = atoms}, tile).integrals_per_task();
}

}  // namespace skua::apps::hartree_fock
