// SPDX-License-Identifier: MIT
#include "apps/qr/lapack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "skua/parts/base/error.hpp"

namespace skua::apps::qr {
namespace {

using number = int const*;
// Fortran's functions take addresses, and the lengths of texts at the end.
using dgeqrt = void(number m, number n, number nb, double* a, number lda, double* t, number ldt, double* work,
                    int* info);
using dgemqrt = void(char const* side, char const* transpose, number m, number n, number k, number nb, double const* v,
                     number ldv, double const* t, number ldt, double* c, number ldc, double* work, int* info,
                     std::size_t side_length, std::size_t transpose_length);
using dtpqrt = void(number m, number n, number l, number nb, double* a, number lda, double* b, number ldb, double* t,
                    number ldt, double* work, int* info);
using dtpmqrt = void(char const* side, char const* transpose, number m, number n, number k, number l, number nb,
                     double const* v, number ldv, double const* t, number ldt, double* a, number lda, double* b,
                     number ldb, double* work, int* info, std::size_t side_length, std::size_t transpose_length);
using set_threads = void(int count);

constexpr int rows_of_t = static_cast<int>(lapack::inner);

/// Of this thread; valid until the next call.
double* work_space(std::size_t columns) {
  thread_local std::vector<double> all;
  if (all.size() < columns * lapack::inner) all.resize(columns * lapack::inner);
  return all.data();
}

}  // namespace

struct lapack::functions {
  dgeqrt* factor;
  dgemqrt* apply;
  dtpqrt* factor_below;
  dtpmqrt* apply_below;
};

void lapack::unload::operator()(void* library) const noexcept { dlclose(library); }

lapack::lapack(void* library) : library_(library) {
  auto const symbol = [&]<class F>(F*& function, char const* name) {
    function = library == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(library, name));
    return function != nullptr;
  };
  functions all{};
  set_threads* set = nullptr;
  if (!symbol(all.factor, "dgeqrt_") || !symbol(all.apply, "dgemqrt_") || !symbol(all.factor_below, "dtpqrt_") ||
      !symbol(all.apply_below, "dtpmqrt_")) {
    throw usage_error(
        "qr: libopenblas.so.0 is missing or lacks LAPACK; allowed: OpenBLAS, the package libopenblas-dev");
  }
  if (symbol(set, "openblas_set_num_threads")) set(1);
  call_ = std::make_shared<functions const>(all);
}

lapack lapack::find() { return lapack(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL)); }

void lapack::factor(std::size_t n, double* a, double* t, std::size_t ld) const {
  int const order = static_cast<int>(n);
  int const block = std::min(order, rows_of_t);
  int const distance = static_cast<int>(ld);
  int info = 0;
  call_->factor(&order, &order, &block, a, &distance, t, &rows_of_t, work_space(n), &info);
}

void lapack::apply(std::size_t n, std::size_t m, double const* v, double const* t, double* c, std::size_t ld) const {
  int const order = static_cast<int>(n);
  int const columns = static_cast<int>(m);
  int const block = std::min(order, rows_of_t);
  int const distance = static_cast<int>(ld);
  int info = 0;
  call_->apply("L", "T", &order, &columns, &order, &block, v, &distance, t, &rows_of_t, c, &distance, work_space(m),
               &info, 1, 1);
}

void lapack::factor_below(std::size_t m, std::size_t n, double* r, double* b, double* t, std::size_t ld) const {
  int const rows = static_cast<int>(m);
  int const order = static_cast<int>(n);
  int const rectangle = 0;
  int const block = std::min(order, rows_of_t);
  int const distance = static_cast<int>(ld);
  int info = 0;
  call_->factor_below(&rows, &order, &rectangle, &block, r, &distance, b, &distance, t, &rows_of_t, work_space(n),
                      &info);
}

void lapack::apply_below(std::size_t m, std::size_t n, std::size_t k, double const* v, double const* t, double* top,
                         double* bottom, std::size_t ld) const {
  int const rows = static_cast<int>(m);
  int const columns = static_cast<int>(k);
  int const order = static_cast<int>(n);
  int const rectangle = 0;
  int const block = std::min(order, rows_of_t);
  int const distance = static_cast<int>(ld);
  int info = 0;
  call_->apply_below("L", "T", &rows, &columns, &order, &rectangle, &block, v, &distance, t, &rows_of_t, top, &distance,
                     bottom, &distance, work_space(k), &info, 1, 1);
}

}  // namespace skua::apps::qr
