// SPDX-License-Identifier: MIT
#include "apps/cholesky/lapack.hpp"

#include <dlfcn.h>

#include "skua/parts/base/error.hpp"

namespace skua::apps::cholesky {
namespace {

// The C interface of the BLAS, as far as this file uses it; the numbers are part of its ABI.
constexpr int by_columns = 102;
constexpr int plain = 111;
constexpr int transposed = 112;
constexpr int lower = 122;
constexpr int any_diagonal = 131;
constexpr int from_right = 142;

using dpotrf = void(char const* triangle, int const* n, double* a, int const* ld, int* info, std::size_t letters);
using dtrsm = void(int order, int side, int triangle, int transpose, int diagonal, int m, int n, double alpha,
                   double const* a, int lda, double* b, int ldb);
using dsyrk = void(int order, int triangle, int transpose, int n, int k, double alpha, double const* a, int lda,
                   double beta, double* c, int ldc);
using dgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, double const* a,
                   int lda, double const* b, int ldb, double beta, double* c, int ldc);
using set_threads = void(int count);

int size(std::size_t n) noexcept { return static_cast<int>(n); }

}  // namespace

struct lapack::functions {
  dpotrf* factor;
  dtrsm* solve;
  dsyrk* square;
  dgemm* multiply;
};

void lapack::unload::operator()(void* library) const noexcept { dlclose(library); }

lapack::lapack(void* library) : library_(library) {
  auto const symbol = [&]<class F>(F*& function, char const* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name));
    return function != nullptr;
  };
  functions all{};
  set_threads* set = nullptr;
  if (!symbol(all.factor, "dpotrf_") || !symbol(all.solve, "cblas_dtrsm") || !symbol(all.square, "cblas_dsyrk") ||
      !symbol(all.multiply, "cblas_dgemm")) {
    throw usage_error(
        "cholesky: libopenblas.so.0 is missing or lacks LAPACK; allowed: OpenBLAS, the package libopenblas-dev");
  }
  if (symbol(set, "openblas_set_num_threads")) set(1);
  call_ = std::make_shared<functions const>(all);
}

lapack lapack::find() { return lapack(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)); }

int lapack::factor(std::size_t n, double* a, std::size_t ld) const {
  int const order = size(n);
  int const distance = size(ld);
  int info = 0;
  call_->factor("L", &order, a, &distance, &info, 1);
  return info;
}

void lapack::solve(std::size_t m, std::size_t n, double const* l, double* b, std::size_t ld) const {
  call_->solve(by_columns, from_right, lower, transposed, any_diagonal, size(m), size(n), 1, l, size(ld), b, size(ld));
}

void lapack::square(std::size_t n, std::size_t k, double const* a, double* c, std::size_t ld) const {
  call_->square(by_columns, lower, plain, size(n), size(k), -1, a, size(ld), 1, c, size(ld));
}

void lapack::multiply(std::size_t m, std::size_t n, std::size_t k, double const* a, double const* b, double* c,
                      std::size_t ld) const {
  call_->multiply(by_columns, plain, transposed, size(m), size(n), size(k), -1, a, size(ld), b, size(ld), 1, c,
                  size(ld));
}

}  // namespace skua::apps::cholesky
