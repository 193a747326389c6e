// SPDX-License-Identifier: MIT
#include "apps/cg/sweeps.hpp"

namespace skua::apps::cg {
namespace {

/// The inner product of f(i) over [begin, end). Four running sums, because additions that wait for each other would
/// take longer than the memory accesses.
template <class Term>
double sum_of(std::size_t begin, std::size_t end, Term const& term) noexcept {
  double a = 0;
  double b = 0;
  double c = 0;
  double d = 0;
  std::size_t i = begin;
  for (; i + 4 <= end; i += 4) {
    a += term(i);
    b += term(i + 1);
    c += term(i + 2);
    d += term(i + 3);
  }
  for (; i < end; ++i) a += term(i);
  return (a + b) + (c + d);
}

double row_times(matrix const& a, std::size_t row, double const* v) noexcept {
  double const* const values = a.values.data();
  std::uint32_t const* const columns = a.columns.data();
  return sum_of(a.starts[row], a.starts[row + 1], [=](std::size_t k) { return values[k] * v[columns[k]]; });
}

double square(double const* v, rows const& some) noexcept {
  return sum_of(some.begin, some.end, [v](std::size_t i) { return v[i] * v[i]; });
}

}  // namespace

sums start::run(rows const& some) const noexcept {
  double* const x = on.x.data();
  double* const z = on.z.data();
  double* const p = on.p.data();
  double* const r = on.r.data();
  for (std::size_t i = some.begin; i < some.end; ++i) {
    double const now = scale * z[i];
    x[i] = now;
    r[i] = now;
    p[i] = now;
    z[i] = 0;
  }
  return {.first = square(r, some)};
}

sums multiply::run(rows const& some) const noexcept {
  double const* const p = on.p.data();
  double* const q = on.q.data();
  double product = 0;
  for (std::size_t i = some.begin; i < some.end; ++i) {
    q[i] = row_times(on.a, i, p);
    product += p[i] * q[i];
  }
  return {.first = product};
}

sums advance::run(rows const& some) const noexcept {
  double const* const p = on.p.data();
  double const* const q = on.q.data();
  double* const z = on.z.data();
  double* const r = on.r.data();
  for (std::size_t i = some.begin; i < some.end; ++i) {
    z[i] += alpha * p[i];
    r[i] -= alpha * q[i];
  }
  return {.first = square(r, some)};
}

sums turn::run(rows const& some) const noexcept {
  double const* const r = on.r.data();
  double* const p = on.p.data();
  for (std::size_t i = some.begin; i < some.end; ++i) p[i] = r[i] + beta * p[i];
  return {};
}

sums judge::run(rows const& some) const noexcept {
  double const* const x = on.x.data();
  double const* const z = on.z.data();
  sums found;
  for (std::size_t i = some.begin; i < some.end; ++i) {
    double const off = x[i] - row_times(on.a, i, z);
    found.first += x[i] * z[i];
    found.second += z[i] * z[i];
    found.third += off * off;
  }
  return found;
}

}  // namespace skua::apps::cg
