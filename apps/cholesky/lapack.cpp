// SPDX-License-Identifier: MIT
#include "apps/cholesky/lapack.hpp"

#include "apps/openblas.hpp"

namespace skua::apps::cholesky {
namespace {

using dpotrf = void(char const* triangle, int const* n, double* a, int const* ld, int* info, std::size_t letters);
using dtrsm = void(int order, int side, int triangle, int transpose, int diagonal, int m, int n, double alpha,
                   double const* a, int lda, double* b, int ldb);
using dsyrk = void(int order, int triangle, int transpose, int n, int k, double alpha, double const* a, int lda,
                   double beta, double* c, int ldc);

int size(std::size_t n) noexcept { return static_cast<int>(n); }

}  // namespace

struct lapack::functions {
  openblas from;
  dpotrf* factor = from.require<dpotrf>("cholesky", "dpotrf_");
  dtrsm* solve = from.require<dtrsm>("cholesky", "cblas_dtrsm");
  dsyrk* square = from.require<dsyrk>("cholesky", "cblas_dsyrk");
  cblas::gemm<double>* multiply = from.require<cblas::gemm<double>>("cholesky", "cblas_dgemm");
};

lapack lapack::find() { return lapack(std::make_shared<functions const>()); }

int lapack::factor(std::size_t n, double* a, std::size_t ld) const {
  int const order = size(n);
  int const distance = size(ld);
  int info = 0;
  call_->factor("L", &order, a, &distance, &info, 1);
  return info;
}

void lapack::solve(std::size_t m, std::size_t n, double const* l, double* b, std::size_t ld) const {
  call_->solve(cblas::by_columns, cblas::from_right, cblas::lower, cblas::transposed, cblas::any_diagonal, size(m),
               size(n), 1, l, size(ld), b, size(ld));
}

void lapack::square(std::size_t n, std::size_t k, double const* a, double* c, std::size_t ld) const {
  call_->square(cblas::by_columns, cblas::lower, cblas::plain, size(n), size(k), -1, a, size(ld), 1, c, size(ld));
}

void lapack::multiply(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b, double* c,
                      std::size_t ld) const {
  call_->multiply(cblas::by_columns, cblas::plain, cblas::transposed, size(m), size(n), size(k), -1, a, size(ld), b,
                  size(ld), 1, c, size(ld));
}

}  // namespace skua::apps::cholesky
