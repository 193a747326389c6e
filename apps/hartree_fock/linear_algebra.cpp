// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/linear_algebra.hpp"

#include <string>
#include <utility>

#include "apps/openblas.hpp"
#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {
namespace {

// Fortran takes addresses, and the lengths of texts at the end.
using number = int const*;
using dsyevd = void(char const* job, char const* triangle, number n, double* a, number lda, double* values,
                    double* work, number lwork, int* iwork, number liwork, int* info, std::size_t job_length,
                    std::size_t triangle_length);

}  // namespace

struct linear_algebra::functions {
  openblas from;
  cblas::gemm<double>* multiply = from.require<cblas::gemm<double>>("hartree-fock", "cblas_dgemm");
  dsyevd* solve = from.require<dsyevd>("hartree-fock", "dsyevd_");
};

linear_algebra linear_algebra::find() { return linear_algebra(std::make_shared<functions const>()); }

matrix linear_algebra::multiply(matrix const& a, form of_a, matrix const& b, form of_b) const {
  matrix c(a.n);
  auto const code = [](form f) { return f == form::plain ? cblas::plain : cblas::transposed; };
  int const n = static_cast<int>(a.n);
  call_->multiply(cblas::row_major, code(of_a), code(of_b), n, n, n, 1, a.elements.data(), n, b.elements.data(), n, 0,
                  c.elements.data(), n);
  return c;
}

void linear_algebra::multiply_add(block_product<double> const& p) const {
  auto const number_of = [](std::uint64_t n) { return static_cast<int>(n); };
  call_->multiply(cblas::row_major, cblas::plain, cblas::plain, number_of(p.rows), number_of(p.columns),
                  number_of(p.inner), 1, p.a, number_of(p.leading_a), p.b, number_of(p.leading_b), 1, p.c,
                  number_of(p.leading_c));
}

linear_algebra::eigen linear_algebra::solve(matrix symmetric) const {
  std::size_t const order = symmetric.n;
  eigen found{.values = std::vector<double>(order), .vectors = matrix(order)};
  int const n = static_cast<int>(order);
  // Row by row, the lower triangle is Fortran's upper one.
  std::vector<double> work(1 + 6 * order + 2 * order * order);
  std::vector<int> iwork(3 + 5 * order);
  int const work_size = static_cast<int>(work.size());
  int const iwork_size = static_cast<int>(iwork.size());
  int info = 0;
  call_->solve("V", "U", &n, symmetric.elements.data(), &n, found.values.data(), work.data(), &work_size, iwork.data(),
               &iwork_size, &info, 1, 1);
  if (info != 0) throw resource_error("hartree-fock: LAPACK's dsyevd failed with info " + std::to_string(info));
  for (std::size_t i = 0; i < order; ++i) {
    for (std::size_t j = 0; j < order; ++j) found.vectors.at(i, j) = symmetric.at(j, i);  // Fortran's columns are rows
  }
  return found;
}

}  // namespace skua::apps::hartree_fock
