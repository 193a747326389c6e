// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/molecules/one_electron.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "apps/hartree_fock/molecules/boys_orders.hpp"

namespace skua::apps::hartree_fock::molecules {
namespace {

using std::numbers::pi;

constexpr std::size_t most_sum = 2 * most_l;
constexpr std::size_t raised_l = most_l + 2;  // the kinetic energy raises an l by two

/// E_t of x_A^i x_B^j along one axis: its product of Gaussians as a sum of Hermite Gaussians.
class hermite_sums {
 public:
  hermite_sums(primitive_pair const& p, double from_a, double from_b) noexcept {
    double const half = 0.5 / p.exponent;
    e_[0][0][0] = 1;  // the exponential is in p.factor
    for (std::size_t i = 0; i <= most_l; ++i) {
      if (i > 0) raise(e_[i - 1][0], e_[i][0], half, from_a);
      for (std::size_t j = 1; j <= raised_l; ++j) raise(e_[i][j - 1], e_[i][j], half, from_b);
    }
  }
  [[nodiscard]] double at(std::size_t i, std::size_t j, std::size_t t) const noexcept { return e_[i][j][t]; }
  [[nodiscard]] double overlap(std::size_t i, std::size_t j) const noexcept { return e_[i][j][0]; }
  /// -1/2 the raised_l derivative of x_B^j exp(-b x_B^2).
  [[nodiscard]] double kinetic(std::size_t i, std::size_t j, double b) const noexcept {
    double const n = static_cast<double>(j);
    double const lowered = j < 2 ? 0 : 0.5 * n * (n - 1) * overlap(i, j - 2);
    return b * (2 * n + 1) * overlap(i, j) - 2 * b * b * overlap(i, j + 2) - lowered;
  }

 private:
  static constexpr std::size_t orders = most_l + raised_l + 2;
  using row = std::array<double, orders>;
  static void raise(row const& from, row& to, double half, double away) noexcept {
    for (std::size_t t = 0; t + 1 < orders; ++t) {
      to[t] = (t == 0 ? 0 : half * from[t - 1]) + away * from[t] + static_cast<double>(t + 1) * from[t + 1];
    }
  }
  std::array<std::array<row, raised_l + 1>, most_l + 1> e_{};
};

/// R_tuv: the potentials of Hermite Gaussians, up to t + u + v = order.
class hermite_potentials {
 public:
  void set(boys_orders const& boys, double exponent, point const& away, std::size_t order) noexcept {
    std::array<double, most_sum + 1> f{};
    boys(exponent * square_distance(away, {0, 0, 0}), order, f.data());
    double scale = 1;
    for (std::size_t n = 0; n <= order; ++n, scale *= -2 * exponent) level(n)[0] = scale * f[n];
    // Level n is complete up to order - n; it needs level n + 1 up to one less.
    for (std::size_t n = order; n-- > 0;) fill(n, order - n, away);
  }
  [[nodiscard]] double at(std::size_t t, std::size_t u, std::size_t v) const noexcept { return r_[index(t, u, v)]; }

 private:
  static constexpr std::size_t side = most_sum + 1;
  static constexpr std::size_t index(std::size_t t, std::size_t u, std::size_t v) noexcept {
    return (t * side + u) * side + v;
  }
  double* level(std::size_t n) noexcept { return &r_[n * side * side * side]; }
  void fill(std::size_t n, std::size_t most, point const& away) noexcept {
    double const* const above = level(n + 1);
    double* const here = level(n);
    auto const raised = [&](std::size_t m, double along, std::size_t one_less, std::size_t two_less) {
      return along * above[one_less] + (m < 2 ? 0 : static_cast<double>(m - 1) * above[two_less]);
    };
    for (std::size_t t = 0; t <= most; ++t) {
      for (std::size_t u = 0; t + u <= most; ++u) {
        for (std::size_t v = 0; t + u + v <= most; ++v) {
          double& to = here[index(t, u, v)];
          if (t > 0) {
            to = raised(t, away.x, index(t - 1, u, v), t < 2 ? 0 : index(t - 2, u, v));
          } else if (u > 0) {
            to = raised(u, away.y, index(t, u - 1, v), u < 2 ? 0 : index(t, u - 2, v));
          } else if (v > 0) {
            to = raised(v, away.z, index(t, u, v - 1), v < 2 ? 0 : index(t, u, v - 2));
          }
        }
      }
    }
  }
  std::array<double, (most_sum + 1) * side * side * side> r_{};
};

/// The blocks of one pair of shells.
class pair_integrals {
 public:
  pair_integrals(shells const& of, molecule const& within, boys_orders const& boys) noexcept
      : of_(of), within_(within), boys_(boys) {}

  void compute(shell_pair const& pair) {
    shell const& a = of_.all[pair.i];
    shell const& b = of_.all[pair.j];
    overlap.assign(a.cartesians() * b.cartesians(), 0);
    core.assign(overlap.size(), 0);
    for (primitive_pair const& p : pair.primitives) {
      std::array<hermite_sums, 3> const e{hermite_sums(p, p.centre.x - a.at.x, p.centre.x - b.at.x),
                                          hermite_sums(p, p.centre.y - a.at.y, p.centre.y - b.at.y),
                                          hermite_sums(p, p.centre.z - a.at.z, p.centre.z - b.at.z)};
      add_local(a.l, b.l, p, e);
      for (nucleus const& n : within_.nuclei) add_attraction(a.l, b.l, p, e, n);
    }
    for (auto* const block : {&overlap, &core}) {
      std::array<std::size_t, 2> sizes{a.cartesians(), b.cartesians()};
      make_spherical(a, 0, sizes, *block, scratch_);
      make_spherical(b, 1, sizes, *block, scratch_);
    }
  }

  std::vector<double> overlap;
  std::vector<double> core;

 private:
  using axes = std::array<hermite_sums, 3>;
  void add_local(unsigned la, unsigned lb, primitive_pair const& p, axes const& e) noexcept {
    double const volume = p.factor * std::pow(pi / p.exponent, 1.5);
    std::size_t at = 0;
    for (auto const& i : powers_of(la)) {
      for (auto const& j : powers_of(lb)) {
        std::array<double, 3> s{};
        std::array<double, 3> t{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          s[axis] = e[axis].overlap(i[axis], j[axis]);
          t[axis] = e[axis].kinetic(i[axis], j[axis], p.b);
        }
        overlap[at] += volume * s[0] * s[1] * s[2];
        core[at++] += volume * (t[0] * s[1] * s[2] + s[0] * t[1] * s[2] + s[0] * s[1] * t[2]);
      }
    }
  }
  void add_attraction(unsigned la, unsigned lb, primitive_pair const& p, axes const& e, nucleus const& n) noexcept {
    potentials_.set(boys_, p.exponent, {p.centre.x - n.at.x, p.centre.y - n.at.y, p.centre.z - n.at.z}, la + lb);
    double const scale = -2 * pi / p.exponent * p.factor * static_cast<double>(n.protons);
    std::size_t at = 0;
    for (auto const& i : powers_of(la)) {
      for (auto const& j : powers_of(lb)) core[at++] += scale * attraction(i, j, e);
    }
  }
  [[nodiscard]] double attraction(std::array<unsigned, 3> const& i, std::array<unsigned, 3> const& j,
                                  axes const& e) const noexcept {
    double sum = 0;
    for (std::size_t t = 0; t <= i[0] + j[0]; ++t) {
      for (std::size_t u = 0; u <= i[1] + j[1]; ++u) {
        for (std::size_t v = 0; v <= i[2] + j[2]; ++v) {
          sum += e[0].at(i[0], j[0], t) * e[1].at(i[1], j[1], u) * e[2].at(i[2], j[2], v) * potentials_.at(t, u, v);
        }
      }
    }
    return sum;
  }

  shells const& of_;
  molecule const& within_;
  boys_orders const& boys_;
  hermite_potentials potentials_;
  std::vector<double> scratch_;
};

}  // namespace

one_electron one_electron_integrals(shells const& of, molecule const& within) {
  boys_orders const boys(most_sum);
  pair_integrals integrals(of, within, boys);
  one_electron found{.overlap = matrix(of.functions), .core = matrix(of.functions)};
  for (std::uint32_t i = 0; i < of.all.size(); ++i) {
    for (std::uint32_t j = 0; j <= i; ++j) {
      shell_pair const pair = pair_of(of, i, j);
      integrals.compute(pair);
      shell const& a = of.all[pair.i];
      shell const& b = of.all[pair.j];
      for (std::size_t m = 0; m < a.functions(); ++m) {
        for (std::size_t n = 0; n < b.functions(); ++n) {
          std::size_t const at = m * b.functions() + n;
          std::size_t const row = a.first + m;
          std::size_t const column = b.first + n;
          found.overlap.at(row, column) = found.overlap.at(column, row) = integrals.overlap[at];
          found.core.at(row, column) = found.core.at(column, row) = integrals.core[at];
        }
      }
    }
  }
  return found;
}

}  // namespace skua::apps::hartree_fock::molecules
