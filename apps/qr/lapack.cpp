// SPDX-License-Identifier: MIT
#include "apps/qr/lapack.hpp"

#include <algorithm>
#include <vector>

#include "apps/openblas.hpp"

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

constexpr int rows_of_t = static_cast<int>(lapack::inner);

/// Of this thread; valid until the next call.
double* work_space(std::size_t columns) {
  thread_local std::vector<double> all;
  if (all.size() < columns * lapack::inner) all.resize(columns * lapack::inner);
  return all.data();
}

}  // namespace

struct lapack::functions {
  openblas from;
  dgeqrt* factor = from.require<dgeqrt>("qr", "dgeqrt_");
  dgemqrt* apply = from.require<dgemqrt>("qr", "dgemqrt_");
  dtpqrt* factor_below = from.require<dtpqrt>("qr", "dtpqrt_");
  dtpmqrt* apply_below = from.require<dtpmqrt>("qr", "dtpmqrt_");
};

lapack lapack::find() { return lapack(std::make_shared<functions const>()); }

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
