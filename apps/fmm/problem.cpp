// SPDX-License-Identifier: MIT
#include "apps/fmm/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "skua/parts/base/dice.hpp"

namespace skua::apps::fmm {
namespace {

/// A subtree with at most this many charges is one group: tasks of some ten microseconds.
constexpr std::uint32_t charges_of_a_group = 512;
constexpr std::size_t samples_checked = 200;

}  // namespace

std::vector<charge> charges_of(shape const& s) {
  runtime::dice roll{s.seed};
  auto const unit = [&roll] { return static_cast<double>(roll.next() >> 11) * 0x1p-53; };
  std::vector<charge> all(s.n);
  for (charge& c : all) {
    double const angle = 2 * std::numbers::pi * unit();
    switch (s.how) {
      case distribution::uniform: c.at = {unit(), unit()}; break;
      case distribution::circle: c.at = {std::cos(angle), std::sin(angle)}; break;
      case distribution::cluster: {
        double const m = 0.001 + 0.998 * unit();
        double const radius = std::sqrt(m / (1 - m)) / 8;
        c.at = {radius * std::cos(angle), radius * std::sin(angle)};
        break;
      }
    }
    c.q = 2 * unit() - 1;
  }
  return all;
}

problem::problem(shape const& s, std::vector<charge> charges)
    : shape_(s), by_(s.order), charges_(std::move(charges)), tree_(charges_, s.leaf, s.theta) {
  divide_into_groups();
  reset();
}

void problem::reset() {
  std::size_t const coefficients = tree_.cells().size() * by_.terms();
  multipoles_.assign(coefficients, {});
  locals_.assign(coefficients, {});
  potentials_.assign(charges_.size(), 0);
}

void problem::divide_into_groups() {
  auto const cells = tree_.cells();
  std::vector<std::uint32_t> group_of(cells.size());
  for (std::uint32_t c = 0; c < cells.size(); ++c) {  // parents come first
    bool const is_root = c == 0;
    std::uint32_t const around = is_root ? 0 : group_of[cells[c].parent];
    bool const is_inside = !is_root && cells[cells[c].parent].charges() <= charges_of_a_group;
    if (is_inside) {
      group_of[c] = around;
    } else {
      group_of[c] = static_cast<std::uint32_t>(groups_.size());
      groups_.emplace_back().root = c;
      if (!is_root) {
        groups_.back().below = around;
        groups_[around].above.push_back(group_of[c]);
      }
    }
    group& g = groups_[group_of[c]];
    g.cells.push_back(c);
    if (cells[c].children == 0) g.leaves.push_back(c);
  }
  for (std::uint32_t i = 0; i < groups_.size(); ++i) {
    group& g = groups_[i];
    for (std::uint32_t const c : g.cells) {
      for (std::uint32_t const source : tree_.far().of(c)) {
        if (group_of[source] != i) g.far.push_back(group_of[source]);
      }
    }
    std::ranges::sort(g.far);
    g.far.erase(std::unique(g.far.begin(), g.far.end()), g.far.end());
  }
}

address problem::address_of(group const& g) const noexcept {
  cell const& root = tree_.cells()[g.root];
  return address::of(root.begin + (root.charges() - 1) / 2, charges_.size());
}

void problem::up(group const& g) noexcept {
  auto const cells = tree_.cells();
  for (std::size_t i = g.cells.size(); i-- > 0;) {
    std::uint32_t const c = g.cells[i];
    cell const& mine = cells[c];
    std::fill_n(multipole(c), by_.terms(), complex{});
    if (mine.children == 0) {
      by_.p2m({charges_.data() + mine.begin, mine.charges()}, mine.centre, multipole(c));
    }
    for (std::uint32_t k = 0; k < mine.children; ++k) {
      std::uint32_t const child = mine.first_child + k;
      by_.m2m(multipole(child), cells[child].centre, mine.centre, multipole(c));
    }
  }
}

void problem::far(group const& g, std::size_t begin, std::size_t end) noexcept {
  auto const cells = tree_.cells();
  for (std::size_t i = begin; i < end; ++i) {
    std::uint32_t const c = g.cells[i];
    std::fill_n(local(c), by_.terms(), complex{});
    for (std::uint32_t const source : tree_.far().of(c))
      by_.m2l(multipole(source), cells[source].centre, cells[c].centre, local(c));
  }
}

void problem::near(group const& g, std::size_t begin, std::size_t end) noexcept {
  auto const cells = tree_.cells();
  for (std::size_t i = begin; i < end; ++i) {
    cell const& target = cells[g.leaves[i]];
    for (std::uint32_t t = target.begin; t < target.end; ++t) {
      double sum = 0;
      for (std::uint32_t const source : tree_.near().of(g.leaves[i]))
        sum += direct({charges_.data() + cells[source].begin, cells[source].charges()}, charges_[t].at);
      potentials_[t] = sum;
    }
  }
}

void problem::down(group const& g) noexcept {
  auto const cells = tree_.cells();
  for (std::uint32_t const c : g.cells) {
    cell const& mine = cells[c];
    if (c != 0) by_.l2l(local(mine.parent), cells[mine.parent].centre, mine.centre, local(c));
    if (mine.children != 0) continue;
    for (std::uint32_t t = mine.begin; t < mine.end; ++t)
      potentials_[t] += by_.l2p(local(c), mine.centre, charges_[t].at);
  }
}

double problem::operations_up(group const& g) const noexcept {
  double const p = shape_.order;
  double sum = 0;
  for (std::uint32_t const c : g.cells) {
    cell const& mine = tree_.cells()[c];
    sum += mine.children == 0 ? 10 * p * mine.charges() : 5 * p * p * mine.children;
  }
  return sum;
}

double problem::operations_far(group const& g) const noexcept {
  double const p = shape_.order;
  double sum = 1;
  for (std::uint32_t const c : g.cells) sum += 4 * p * p * static_cast<double>(tree_.far().of(c).size());
  return sum;
}

/// A logarithm counts as twenty operations.
double problem::operations_near(group const& g) const noexcept {
  double sum = 1;
  for (std::uint32_t const c : g.leaves) {
    double sources = 0;
    for (std::uint32_t const source : tree_.near().of(c)) sources += tree_.cells()[source].charges();
    sum += 27 * sources * tree_.cells()[c].charges();
  }
  return sum;
}

problem::errors problem::errors_of(std::size_t samples) const {
  double of_all = 0;
  for (charge const& c : charges_) of_all += std::fabs(c.q);
  errors found;
  double squares = 0;
  double squared_error = 0;
  std::size_t const n = std::min(samples, charges_.size());
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const t = i * charges_.size() / n;
    double const right = direct(charges_, charges_[t].at);
    double const error = std::fabs(potentials_[t] - right);
    squares += right * right;
    squared_error += error * error;
    // A NaN is the worst.
    if (!(error <= found.worst * of_all)) found.worst = of_all > 0 ? error / of_all : error;
  }
  found.relative = squares > 0 ? std::sqrt(squared_error / squares) : std::sqrt(squared_error);
  return found;
}

/// Each interaction of series of order p is wrong by |Q| c^(p + 1) / (1 - c) at most, where c is the ratio of a cell's radius
/// to the distance of what it acts on [Greengard, Rokhlin 1987, 2.1]: with radii r, s and (r + s) / d < theta no more than
/// theta. Both series of an interaction are cut off, and everything is rounded.
std::string problem::wrong() const {
  errors const found = errors_of(samples_checked);
  double const theta = shape_.theta;
  double const promised = 2 * std::pow(theta, shape_.order + 1) / (1 - theta) + 1e-12;
  if (found.worst <= promised) return {};
  char line[160];
  std::snprintf(line, sizeof line, "fmm: the worst error is %.3g of the sum of all charges; order %u promises %.3g",
                found.worst, shape_.order, promised);
  return line;
}

void run_alone(problem& p) {
  auto const& all = p.groups();
  for (std::size_t i = all.size(); i-- > 0;) p.up(all[i]);  // children come after their parents
  for (group const& g : all) {
    p.far(g, 0, g.cells.size());
    p.near(g, 0, g.leaves.size());
    p.down(g);
  }
}

}  // namespace skua::apps::fmm
