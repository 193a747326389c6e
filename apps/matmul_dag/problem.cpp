// SPDX-License-Identifier: MIT
#include "apps/matmul_dag/problem.hpp"

#include <new>

#include "skua/parts/base/error.hpp"

namespace skua::apps::matmul_dag {
namespace {

/// Floats in the temporary matrices of a product of `m` x `n` with sums of `k` terms.
std::size_t temporary_floats(std::size_t m, std::size_t n, std::size_t k, std::size_t side) {
  if (m == 0 || n == 0 || k == 0 || (m <= side && n <= side && k <= side)) return 0;
  auto const half = [side](std::size_t length) {
    return length <= side ? length : ((length + side - 1) / side + 1) / 2 * side;
  };
  std::size_t const group = matmul::column_group;
  std::size_t all = k > side ? m * ((n + group - 1) / group * group) : 0;
  for (std::size_t const rows : {half(m), m - half(m)}) {
    for (std::size_t const columns : {half(n), n - half(n)}) {
      for (std::size_t const terms : {half(k), k - half(k)}) all += temporary_floats(rows, columns, terms, side);
    }
  }
  return all;
}

}  // namespace

double problem::temporary_bytes(std::size_t n, std::size_t side) {
  return static_cast<double>(temporary_floats(n, n, n, side)) * sizeof(float);
}

problem::problem(matmul::input const& given, form f)
    : form_(f), n_(given.size.n), side_(given.side), leaf_(matmul::leaves().back().function), all_(given) {
  if (f == form::in_place) return;
  std::size_t const floats = temporary_floats(n_, n_, n_, side_);
  try {
    temporaries_ = placed_array<float>(floats);
  } catch (std::bad_alloc const&) {
    throw resource_error("matmul-dag: no memory for temporary matrices; a smaller --n or --form in-place may fit");
  }
}

void problem::run_rows(task const& t, std::size_t begin, std::size_t end) const noexcept {
  if (t.what == operation::multiply) {
    matmul::block b = t.p.as_block();
    b.c += begin * b.c_stride;
    b.a += begin * b.a_stride;
    b.m = end - begin;
    return leaf_(b);
  }
  for (std::size_t i = begin; i < end; ++i) {
    float* __restrict const to = t.p.c.row(i);
    float const* const from = t.p.a.row(i);
    for (std::size_t j = 0; j < t.p.c.columns(); ++j) to[j] += from[j];
  }
}

std::string problem::wrong() const {
  std::string const found = all_.wrong();
  return found.empty() ? found : "matmul-dag: " + found;
}

void run_alone(problem& p) {
  p.for_each_task([&p](task const& t) { p.run(t); });
}

}  // namespace skua::apps::matmul_dag
