// SPDX-License-Identifier: MIT
#include "apps/hartree_fock/linear_algebra.hpp"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "skua/parts/base/error.hpp"

namespace skua::apps::hartree_fock {
namespace {

// The C interface of the BLAS and Fortran's of LAPACK, as far as this file uses them; the numbers are part of the ABI.
constexpr int row_major = 101;
constexpr int no_transpose = 111;
constexpr int transpose = 112;
using dgemm = void(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, double const* a,
                   int a_stride, double const* b, int b_stride, double beta, double* c, int c_stride);
using number = int const*;
using dsyevd = void(char const* job, char const* triangle, number n, double* a, number lda, double* values,
                    double* work, number lwork, int* iwork, number liwork, int* info, std::size_t job_length,
                    std::size_t triangle_length);
using set_threads = void(int count);

}  // namespace

struct linear_algebra::functions {
  dgemm* multiply;
  dsyevd* solve;
};

void linear_algebra::unload::operator()(void* library) const noexcept {
  if (library != nullptr) dlclose(library);
}

linear_algebra::linear_algebra(void* library) : library_(library, unload()) {
  auto const symbol = [&]<class F>(F*& function, char const* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name));
    return function != nullptr;
  };
  functions all{};
  set_threads* set = nullptr;
  if (!symbol(all.multiply, "cblas_dgemm") || !symbol(all.solve, "dsyevd_")) {
    throw usage_error(
        "hartree-fock: libopenblas.so.0 is missing or lacks LAPACK; allowed: OpenBLAS, the package libopenblas-dev");
  }
  if (symbol(set, "openblas_set_num_threads")) set(1);
  call_ = std::make_shared<functions const>(all);
}

linear_algebra linear_algebra::find() { return linear_algebra(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)); }

matrix linear_algebra::multiply(matrix const& a, form of_a, matrix const& b, form of_b) const {
  matrix c(a.n);
  auto const code = [](form f) { return f == form::plain ? no_transpose : transpose; };
  int const n = static_cast<int>(a.n);
  call_->multiply(row_major, code(of_a), code(of_b), n, n, n, 1, a.elements.data(), n, b.elements.data(), n, 0,
                  c.elements.data(), n);
  return c;
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
