// SPDX-License-Identifier: MIT
#include "apps/fmm/expansion.hpp"

#include <array>

namespace skua::apps::fmm {

translations::translations(std::size_t p) : p_(p), row_(2 * p + 2), binomials_(row_ * row_) {
  for (std::size_t n = 0; n < row_; ++n) {
    binomials_[n * row_] = 1;
    for (std::size_t k = 1; k <= n; ++k)
      binomials_[n * row_ + k] = binomials_[(n - 1) * row_ + k - 1] + (k < n ? binomials_[(n - 1) * row_ + k] : 0);
  }
}

void translations::p2m(std::span<charge const> of, complex centre, complex* multipole) const noexcept {
  for (charge const& c : of) {
    complex const z = c.at - centre;
    complex power = c.q * z;
    multipole[0].re += c.q;
    for (std::size_t k = 1; k <= p_; ++k) {
      multipole[k] = multipole[k] - (1.0 / static_cast<double>(k)) * power;
      power = power * z;
    }
  }
}

void translations::m2m(complex const* child, complex from, complex to, complex* multipole) const noexcept {
  complex const z = from - to;
  std::array<complex, most_terms + 1> power;
  power[0] = {1, 0};
  for (std::size_t k = 1; k <= p_; ++k) power[k] = power[k - 1] * z;
  multipole[0] = multipole[0] + child[0];
  for (std::size_t l = 1; l <= p_; ++l) {
    complex sum = (-1.0 / static_cast<double>(l)) * (child[0] * power[l]);
    for (std::size_t k = 1; k <= l; ++k) sum = sum + binomial(l - 1, k - 1) * (child[k] * power[l - k]);
    multipole[l] = multipole[l] + sum;
  }
}

void translations::m2l(complex const* multipole, complex from, complex to, complex* local) const noexcept {
  complex const z = from - to;
  complex const inverse = z.inverse();
  // (-1)^k a_k / z^k
  std::array<complex, most_terms + 1> scaled;
  complex power{1, 0};
  complex at_centre{multipole[0].re * 0.5 * std::log(z.norm()), 0};  // only the real part of a potential counts
  for (std::size_t k = 1; k <= p_; ++k) {
    power = -1.0 * (power * inverse);
    scaled[k] = multipole[k] * power;
    at_centre = at_centre + scaled[k];
  }
  local[0] = local[0] + at_centre;
  complex factor{1, 0};
  for (std::size_t l = 1; l <= p_; ++l) {
    factor = factor * inverse;
    complex sum = (-1.0 / static_cast<double>(l)) * multipole[0];
    for (std::size_t k = 1; k <= p_; ++k) sum = sum + binomial(l + k - 1, k - 1) * scaled[k];
    local[l] = local[l] + sum * factor;
  }
}

void translations::l2l(complex const* parent, complex from, complex to, complex* local) const noexcept {
  complex const z = to - from;
  std::array<complex, most_terms + 1> power;
  power[0] = {1, 0};
  for (std::size_t k = 1; k <= p_; ++k) power[k] = power[k - 1] * z;
  for (std::size_t l = 0; l <= p_; ++l) {
    complex sum;
    for (std::size_t k = l; k <= p_; ++k) sum = sum + binomial(k, l) * (parent[k] * power[k - l]);
    local[l] = local[l] + sum;
  }
}

double translations::l2p(complex const* local, complex centre, complex at) const noexcept {
  complex const z = at - centre;
  complex sum = local[p_];
  for (std::size_t k = p_; k-- > 0;) sum = sum * z + local[k];
  return sum.re;
}

double direct(std::span<charge const> of, complex at) noexcept {
  double sum = 0;
  for (charge const& c : of) {
    double const n = (c.at - at).norm();
    if (n > 0) sum += c.q * std::log(n);
  }
  return 0.5 * sum;
}

}  // namespace skua::apps::fmm
