// SPDX-License-Identifier: MIT
// The potential of charges in the plane, sum q log|z - z_j|, as power series around two centres: far away from the charges (a
// multipole expansion) and far away from all that is elsewhere (a local one). The names of the translations are those of the
// field. [Greengard, Rokhlin 1987, lemmas 2.1 to 2.5]
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skua::apps::fmm {

/// As std::complex<double>, whose product asks for infinities.
struct complex {
  double re = 0;
  double im = 0;
  friend constexpr complex operator+(complex a, complex b) noexcept { return {a.re + b.re, a.im + b.im}; }
  friend constexpr complex operator-(complex a, complex b) noexcept { return {a.re - b.re, a.im - b.im}; }
  friend constexpr complex operator*(complex a, complex b) noexcept {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend constexpr complex operator*(double s, complex a) noexcept { return {s * a.re, s * a.im}; }
  [[nodiscard]] constexpr complex inverse() const noexcept {
    double const n = norm();
    return {re / n, -im / n};
  }
  [[nodiscard]] constexpr double norm() const noexcept { return re * re + im * im; }
  friend constexpr bool operator==(complex, complex) noexcept = default;
};

struct charge {
  complex at;
  double q = 0;
};

inline constexpr std::size_t most_terms = 40;

/// The translations between series of p + 1 coefficients; a series is a pointer to its first one. All of them add to what is
/// there.
class translations {
 public:
  /// Precondition: p <= most_terms.
  explicit translations(std::size_t p);
  [[nodiscard]] std::size_t order() const noexcept { return p_; }
  [[nodiscard]] std::size_t terms() const noexcept { return p_ + 1; }

  void p2m(std::span<charge const> of, complex centre, complex* multipole) const noexcept;
  void m2m(complex const* child, complex from, complex to, complex* multipole) const noexcept;
  /// Precondition: the centres differ. It converges where the discs around the charges and the targets are apart.
  void m2l(complex const* multipole, complex from, complex to, complex* local) const noexcept;
  void l2l(complex const* parent, complex from, complex to, complex* local) const noexcept;
  [[nodiscard]] double l2p(complex const* local, complex centre, complex at) const noexcept;

 private:
  [[nodiscard]] double binomial(std::size_t n, std::size_t k) const noexcept { return binomials_[n * row_ + k]; }
  std::size_t p_;
  std::size_t row_;
  std::vector<double> binomials_;  ///< n over k
};

/// The potential of the charges at a point; a charge in that very place has no part in it.
[[nodiscard]] double direct(std::span<charge const> of, complex at) noexcept;

}  // namespace skua::apps::fmm
